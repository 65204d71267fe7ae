#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "contract/load.h"
#include "core/claim.h"

namespace assay {

/// Reads a claim file of schema 1 from its text: the claim, or all that is wrong with it, in the order of the file.
std::variant<Claim, std::vector<ContractError>> parse_claim(std::string_view text, const std::string& file_name);

/// The same from a file. Throws Error (exit 2) with every error on a line of its own.
Claim load_claim(const std::filesystem::path& path);

}  // namespace assay
