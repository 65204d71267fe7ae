#pragma once
#include <span>
#include <string>
#include <string_view>

#include "reports/page.h"

namespace assay::reports {

enum class TopicKind { witness, check };

/// What `assay explain` knows about one check or witness. Threats have a table of their own (core/threats.h).
struct Explanation {
  std::string_view id;
  TopicKind kind;
  std::string_view does;     ///< what is looked at, or which calls are made
  std::string_view matters;  ///< what would go wrong in service
  std::string_view fix;      ///< what usually causes a finding, and what to do about it
};

/// One row per check and witness, witnesses first.
std::span<const Explanation> explanations();

/// The page about one check, witness or threat. Throws assay::Error (exit 2) with the nearest id if there is none.
std::string explain(std::string_view id, const ConsoleStyle& style);

}  // namespace assay::reports
