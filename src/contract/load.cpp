#include "contract/load.h"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include "contract/names.h"
#include "contract/sections.h"
#include "contract/table.h"
#include "core/error.h"

// Theory of operation: toml++ turns the text into a tree with places (document.h). Names are declared first, then each
// section is read by its table of (key, reader); a reader reports a mistake with its place and goes on, so that one run
// shows all. Sections are read in an order in which each can check what it refers to at once: axes before shapes,
// tensors before arguments. A name whose declaration is wrong still counts as declared, and nothing is concluded from
// what could not be read: one mistake gives one message. Shapes that production calls are checked last, only if the
// domain they must lie in was read without a mistake.

namespace assay {
namespace contract {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 18;

struct Section {
  std::string_view name;
  void (*read)(Reader&, const Node&);
  Need need = Need::optional;
};

void read_schema(Reader& reader, const Node& node) {
  std::int64_t schema = 0;
  if (reader.read(node, schema) && schema != 1) {
    reader.fail(node, "schema " + std::to_string(schema) + " is unknown: this program reads schema 1");
  }
}

/// Sections that read_subjects reads together.
void elsewhere(Reader&, const Node&) {}

/// Those that the domain of production shapes depends on come first.
constexpr std::array<Section, 6> kDomain{{{"schema", read_schema, Need::required},
                                          {"axes", read_axes},
                                          {"params", read_params},
                                          {"tensors", read_tensors, Need::required},
                                          {"op", read_op, Need::required},
                                          {"memory", read_memory}}};

constexpr std::array<Section, 12> kRest{{{"lifetime", read_lifetime},
                                         {"concurrency", read_concurrency},
                                         {"numerics", read_numerics},
                                         {"entry", elsewhere, Need::required},
                                         {"reference", elsewhere},
                                         {"candidate", elsewhere},
                                         {"speed", elsewhere},
                                         {"oracle", read_oracle},
                                         {"cost", read_cost},
                                         {"roi", read_roi},
                                         {"end_to_end", read_end_to_end},
                                         {"shapes", read_shapes}}};

void read_sections(Reader& reader, const Node& root, std::span<const Section> sections) {
  for (const Section& section : sections) {
    const Node* node = root.find(section.name);
    if (node) section.read(reader, *node);
  }
}

void read_root(Reader& reader, const Node& root) {
  std::vector<KeyName> keys;
  for (std::span<const Section> part : {std::span<const Section>(kDomain), std::span<const Section>(kRest)}) {
    for (const Section& section : part) keys.push_back({section.name, section.need});
  }
  check_keys(reader, root, keys);
  const std::size_t before = reader.error_count();
  declare_names(reader, root);
  read_sections(reader, root, kDomain);
  const bool domain_known = reader.error_count() == before;
  read_subjects(reader, root);
  read_sections(reader, root, kRest);
  finish(reader, root, domain_known);
}

std::string read_file(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) {
    throw Error(path.string() + ": is a folder; give the contract's file", Exit::kUsage);
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw Error(path.string() + ": can't read the contract: " + std::generic_category().message(errno), Exit::kUsage);
  }
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (text.starts_with("\x7f"
                       "ELF")) {
    throw Error(path.string() + ": is a shared object, not a contract; give it as --candidate", Exit::kUsage);
  }
  return text;
}

}  // namespace
}  // namespace contract

std::string to_string(const ContractError& error) {
  return error.file + ":" + std::to_string(error.line) + ":" + std::to_string(error.column) + ": " + error.message;
}

void refuse(const std::vector<ContractError>& errors) {
  std::string message;
  for (const ContractError& error : errors) message += (message.empty() ? "" : "\n") + to_string(error);
  throw Error(message, Exit::kUsage, Lines::of_files);
}

std::variant<Contract, std::vector<ContractError>> parse_contract(std::string_view text, const std::string& file_name) {
  using Errors = std::vector<ContractError>;
  if (text.size() > contract::kMaxBytes) return Errors{{file_name, 1, 1, "the file is larger than 256 KiB"}};
  const auto document = contract::parse_document(text);
  if (const auto* error = std::get_if<contract::SyntaxError>(&document)) {
    return Errors{{file_name, error->at.line, error->at.column, error->message}};
  }
  contract::Reader reader(text, file_name);
  reader.contract.path = file_name;
  reader.contract.folder = std::filesystem::path(file_name).parent_path().string();
  contract::read_root(reader, std::get<contract::Node>(document));
  if (reader.error_count() > 0) return reader.errors();
  return std::move(reader.contract);
}

Contract load_contract(const std::filesystem::path& path) {
  auto parsed = parse_contract(contract::read_file(path), path.string());
  if (auto* contract = std::get_if<Contract>(&parsed)) return std::move(*contract);
  refuse(std::get<std::vector<ContractError>>(parsed));
}

}  // namespace assay
