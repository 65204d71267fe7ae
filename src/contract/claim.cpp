#include "contract/claim.h"

#include <fstream>
#include <iterator>

#include "contract/sections.h"
#include "contract/table.h"
#include "core/error.h"

namespace assay {
namespace contract {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

/// Unlike in a contract an empty text is allowed: it says "not stated".
template <auto kMember>
void stated(Reader& reader, const Node& node, Claim& out) {
  if (reader.expect(node, NodeKind::string)) out.*kMember = node.text;
}

template <auto kMember, const auto& kTable>
void stated_word(Reader& reader, const Node& node, Claim& out) {
  if (!reader.expect(node, NodeKind::string) || node.text.empty()) return;
  std::vector<std::string_view> names;
  for (const auto& word : kTable) {
    if (word.name == node.text) {
      out.*kMember = word.value;
      return;
    }
    names.push_back(word.name);
  }
  reader.fail(node, unknown_word("value of " + node.path, node.text, names));
}

constexpr std::array<Key<Claim>, 16> kClaimKeys{
    {{"text", stated<&Claim::text>, Need::required},
     {"system", stated<&Claim::system>},
     {"level", stated<&Claim::level>},
     {"pass_definition", stated<&Claim::pass_definition>},
     {"correctness_inputs", stated<&Claim::correctness_inputs>},
     {"workloads_passed", stated<&Claim::workloads_passed>},
     {"denominator_class", stated_word<&Claim::denominator_class, kDenominatorClasses>},
     {"source", stated<&Claim::source>},
     {"speedup", number<&Claim::speedup, Range::positive>},
     {"baseline", stated<&Claim::baseline>},
     {"candidate", stated<&Claim::candidate>},
     {"hardware", stated<&Claim::hardware>},
     {"metric", stated_word<&Claim::metric, kClaimMetrics>},
     {"aggregate", stated_word<&Claim::aggregate, kAggregates>},
     {"shapes", stated<&Claim::shapes>},
     {"tolerance", stated<&Claim::tolerance>}}};

void read_format(Reader& reader, const Node& node, ResultsSpec& out) {
  if (!reader.expect(node, NodeKind::string)) return;
  std::vector<std::string_view> names;
  for (const auto& word : kResultsFormats) {
    names.push_back(word.name);
    if (word.name != node.text) continue;
    out.format = word.value;
    return;
  }
  reader.fail(node, unknown_word("value of " + node.path, node.text, names));
}

constexpr std::array<Key<ResultsSpec>, 2> kResultsKeys{
    {{"path", field<&ResultsSpec::path>, Need::required}, {"format", read_format, Need::required}}};

void read_results(Reader& reader, const Node& node, Claim& out) {
  ResultsSpec results;
  read_table(reader, node, kResultsKeys, results);
  out.evidence_results = std::move(results);
}

constexpr std::array<Key<Claim>, 2> kEvidenceKeys{
    {{"contract", field<&Claim::evidence_contract>}, {"results", read_results}}};

void read_evidence(Reader& reader, const Node& node, Claim& out) {
  if (!read_table(reader, node, kEvidenceKeys, out)) return;
  if (node.find("contract") && node.find("results")) {
    reader.fail(node, node.path + ": either 'contract' or 'results': two kinds of evidence are not mixed");
  }
}

void read_claim_table(Reader& reader, const Node& node, Claim& out) {
  read_table(reader, node, kClaimKeys, out);
}

void read_claim_roi(Reader& reader, const Node& node, Claim& out) {
  read_roi(reader, node);
  out.roi = reader.contract.roi;
}

void read_claim_schema(Reader& reader, const Node& node, Claim&) {
  std::int64_t schema = 0;
  if (reader.read(node, schema) && schema != 1) {
    reader.fail(node, "schema " + std::to_string(schema) + " is unknown: this program reads schema 1");
  }
}

constexpr std::array<Key<Claim>, 4> kRootKeys{{{"schema", read_claim_schema, Need::required},
                                               {"claim", read_claim_table, Need::required},
                                               {"evidence", read_evidence},
                                               {"roi", read_claim_roi}}};

std::string read_claim_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    throw Error(path.string() + ": can't read the claim; is the path right?", Exit::kUsage);
  }
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace
}  // namespace contract

std::variant<Claim, std::vector<ContractError>> parse_claim(std::string_view text, const std::string& file_name) {
  using Errors = std::vector<ContractError>;
  if (text.size() > contract::kMostBytes) return Errors{{file_name, 1, 1, "the file is larger than 1 MiB"}};
  const auto document = contract::parse_document(text);
  if (const auto* error = std::get_if<contract::SyntaxError>(&document)) {
    return Errors{{file_name, error->at.line, error->at.column, error->message}};
  }
  contract::Reader reader(text, file_name);
  Claim claim;
  claim.path = file_name;
  claim.folder = std::filesystem::path(file_name).parent_path().string();
  contract::read_table(reader, std::get<contract::Node>(document), contract::kRootKeys, claim);
  if (reader.error_count() > 0) return reader.errors();
  return claim;
}

Claim load_claim(const std::filesystem::path& path) {
  auto parsed = parse_claim(contract::read_claim_file(path), path.string());
  if (auto* claim = std::get_if<Claim>(&parsed)) return std::move(*claim);
  refuse(std::get<std::vector<ContractError>>(parsed));
}

}  // namespace assay
