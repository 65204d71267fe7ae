#include "cli/commands.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/nearest.h"

namespace assay::cli {
namespace {

constexpr std::array<ArgumentRow, 1> kAuditArguments{{
    {"CONTRACT", "the TOML file that says what the kernel must do", &Options::contract},
}};
constexpr std::array<ArgumentRow, 2> kReplayArguments{{
    {"REPORT", "a report.json of an earlier audit", &Options::report},
    {"FINDING", "the id of one of its findings, such as f1", &Options::finding},
}};
constexpr std::array<ArgumentRow, 1> kExplainArguments{{
    {"ID", "a check, a witness or a threat, as reports name them", &Options::topic},
}};

constexpr std::array<ArgumentRow, 1> kRoiArguments{{
    {"CONTRACT|REPORT", "a contract with [roi], or the report.json of an audit", &Options::worth, true},
}};
constexpr std::array<ArgumentRow, 1> kClaimArguments{{
    {"CLAIM", "the TOML file that states the claim and what is at hand to check it", &Options::claim},
}};

constexpr std::array<ArgumentRow, 1> kInspectArguments{{
    {"CONTRACT", "the TOML file that is to be trusted", &Options::contract},
}};

constexpr std::array<Flag, 13> kAuditFlags{Flag::candidate,
                                           Flag::reference,
                                           Flag::device,
                                           Flag::depth,
                                           Flag::only,
                                           Flag::without,
                                           Flag::seed,
                                           Flag::out,
                                           Flag::format,
                                           Flag::with,
                                           Flag::disclose,
                                           Flag::campaign,
                                           Flag::accept_weak_sandbox};
constexpr std::array<Flag, 1> kReplayFlags{Flag::accept_weak_sandbox};
constexpr std::array<Flag, 10> kRoiFlags{Flag::hot_fraction, Flag::speedup,  Flag::trace,  Flag::kernel,
                                         Flag::before,       Flag::previous, Flag::preset, Flag::rank,
                                         Flag::emit_shapes,  Flag::printed};
constexpr std::array<Flag, 1> kChecksFlags{Flag::threats};
constexpr std::array<Flag, 2> kClaimFlags{Flag::printed, Flag::accept_weak_sandbox};

constexpr std::array<CommandRow, 10> kCommands{{
    {CommandId::audit, "audit", "judge a candidate against a contract", kAuditArguments, kAuditFlags},
    {CommandId::replay, "replay", "reproduce one finding of a report", kReplayArguments, kReplayFlags},
    {CommandId::checks, "checks", "list the checks, what each claims and which threats it serves", {}, kChecksFlags},
    {CommandId::oracles, "oracles", "list the operators whose truth is known, with their arguments", {}, {}},
    {CommandId::devices, "devices", "list the devices that this machine offers, or why not", {}, {}},
    {CommandId::doctor, "doctor", "say how well this machine can confine and measure a subject", {}, {}},
    {CommandId::explain,
     "explain",
     "say what a check or witness does, or what a threat is, and how to fix what is found",
     kExplainArguments,
     {}},
    {CommandId::roi, "roi", "say what a speed-up is worth end to end, or whether to search for one", kRoiArguments,
     kRoiFlags},
    {CommandId::claim, "claim", "say what the evidence at hand allows of a published speed-up", kClaimArguments,
     kClaimFlags},
    {CommandId::inspect,
     "inspect",
     "say whether a contract could tell a wrong kernel from a right one",
     kInspectArguments,
     {}},
}};

constexpr std::array<ExitRow, 6> kExits{{
    {Exit::kPass, "pass"},
    {Exit::kFail, "fail: the candidate broke the contract or missed the gate"},
    {Exit::kUsage, "bad command or contract"},
    {Exit::kInconclusive, "inconclusive: it could not be told, and why"},
    {Exit::kEnvironment, "environment or auditor error"},
    {Exit::kDigest, "a signature, a digest or a date does not hold"},
}};

}  // namespace

std::span<const CommandRow> command_rows() {
  return kCommands;
}
std::span<const ExitRow> exit_rows() {
  return kExits;
}

const CommandRow& find_command(std::string_view name) {
  const auto found =
      std::find_if(kCommands.begin(), kCommands.end(), [&](const auto& row) { return row.name == name; });
  if (found != kCommands.end()) return *found;
  std::vector<std::string_view> names;
  for (const CommandRow& row : kCommands) names.push_back(row.name);
  throw Error("unknown command '" + std::string(name) + "'" + did_you_mean(name, names) + " ('assay --help' lists all)",
              Exit::kUsage);
}

}  // namespace assay::cli
