#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/depth.h"
#include "core/error.h"
#include "core/report.h"
#include "core/seed.h"

namespace assay::reports {

/// Gives every finding the command that makes its calls again: same seed, depth and check.
void add_replay_commands(AuditReport& report);

/// A finding of an earlier report, and what is needed to make its calls again.
struct ReplayRequest {
  std::string id, check, witness;
  std::optional<Case> repro;  ///< its own calls, where they reproduce alone
  std::string contract, contract_digest;
  std::string candidate, candidate_symbol, candidate_digest, reference, reference_symbol, reference_digest;
  std::string device;
  Depth depth = Depth::standard;
  std::optional<Seed> seed;
  std::vector<std::string> only;  ///< the check whose calls exposed it; empty: all
};

/// Reads a report.json. Throws Error (usage) where the file is no report or has no such finding (it names those it
/// has).
ReplayRequest read_replay_request(const std::string& report_file, const std::string& finding);

/// Which files are not those of the report any more, a line each; empty if all are.
std::string changed_files(const ReplayRequest& wanted, const std::string& contract, const std::string& candidate,
                          const std::string& reference);

/// What came of it: exit 1 if the finding showed again, 4 if not (a replay that doesn't reproduce is the auditor's
/// fault), 3 if it takes luck and there was none.
struct Replayed {
  std::string text;
  Exit exit = Exit::kEnvironment;
};
Replayed compare_replay(const ReplayRequest& wanted, const AuditReport& again);
Replayed count_replay(const ReplayRequest& wanted, int failures, int tries, bool statistical,
                      const std::string& message);

}  // namespace assay::reports
