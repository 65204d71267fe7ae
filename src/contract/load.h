#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/contract.h"

namespace assay {

/// One thing that is wrong with a contract. Lines and columns count from 1, columns in characters; column 0: the whole
/// file.
struct ContractError {
  std::string file;
  int line = 0;
  int column = 0;
  std::string message;
  bool operator==(const ContractError&) const = default;
};

/// "rmsnorm.toml:12:3: message".
std::string to_string(const ContractError& error);

/// Throws Error (exit 2) with all of them, each on a line of its own.
[[noreturn]] void refuse(const std::vector<ContractError>& errors);

/// Reads a contract of schema 1 from its text: the contract, validated and with every default filled in, or all that is
/// wrong with it, in the order of the file. `file_name` is for messages and for Contract::path and folder.
std::variant<Contract, std::vector<ContractError>> parse_contract(std::string_view text, const std::string& file_name);

/// The same from a file. Refuses it if anything is wrong.
Contract load_contract(const std::filesystem::path& path);

}  // namespace assay
