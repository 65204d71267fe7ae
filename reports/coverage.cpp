#include "reports/coverage.h"

#include "core/check.h"

namespace assay::reports {
namespace {

std::string seen_by(const Threat& threat) {
  std::string text(threat.witnesses);
  for (const Check& check : Registry<Check>::all()) {
    if (lists(check.threats, threat.id)) text += (text.empty() ? "" : " ") + std::string(check.id);
  }
  return text;
}

const Proof* guilty_of(const Threat& threat) {
  for (const Proof& proof : proofs()) {
    if (proof.guilty && lists(proof.threats, threat.id)) return &proof;
  }
  return nullptr;
}

bool share_a_word(std::string_view some, std::string_view others) {
  while (!some.empty()) {
    const std::size_t end = std::min(some.find(' '), some.size());
    if (end > 0 && lists(others, some.substr(0, end))) return true;
    some.remove_prefix(std::min(end + 1, some.size()));
  }
  return false;
}

/// One that does what the guilty one does, honestly, if its header says so; else any that faced the same checks.
const Proof* acquitted_of(const Threat& threat, const Proof& guilty) {
  const Proof* any = nullptr;
  for (const Proof& proof : proofs()) {
    if (proof.guilty || !share_a_word(guilty.checks, proof.checks)) continue;
    if (lists(proof.threats, threat.id)) return &proof;
    if (any == nullptr) any = &proof;
  }
  return any;
}

std::string reason(const Threat& threat) {
  switch (threat.shown) {
    case Shown::calls:
      return "none yet";
    case Shown::design:
      return "no way: " + std::string(threat.why);
    case Shown::device:
    case Shown::later:
      return "not yet: " + std::string(threat.why);
  }
  return {};
}

}  // namespace

Coverage coverage_of(const Threat& threat) {
  Coverage coverage;
  coverage.seen_by = seen_by(threat);
  coverage.guilty = guilty_of(threat);
  if (coverage.guilty != nullptr) coverage.honest = acquitted_of(threat, *coverage.guilty);
  if (coverage.guilty == nullptr) coverage.why_not = reason(threat);
  return coverage;
}

}  // namespace assay::reports
