#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/depth.h"
#include "core/disclosure.h"
#include "core/formats.h"
#include "core/seed.h"

namespace assay::cli {

enum class CommandId : std::uint8_t { audit, replay, checks, oracles, devices, doctor, explain, roi, claim, inspect };

/// LIB[:SYMBOL] as given; an empty symbol leaves the choice to the contract.
struct SubjectArg {
  std::string path;
  std::string symbol;
  bool operator==(const SubjectArg&) const = default;
};

/// Everything that a command line can say. Plain data: the tables in commands.cpp and flags.cpp fill it.
struct Options {
  CommandId command = CommandId::audit;
  std::string contract;  ///< audit
  std::string report;    ///< replay: a report.json
  std::string finding;   ///< replay: the id of one of its findings
  std::string topic;     ///< explain
  std::string worth;     ///< roi: a contract or a report.json; empty: neither
  std::string claim;     ///< claim: a claim file
  std::optional<SubjectArg> candidate;
  std::optional<SubjectArg> reference;
  std::string device = "cpu";
  Depth depth = Depth::standard;
  std::vector<std::string> only;  ///< ids of checks; empty: all
  std::vector<std::string> without;
  std::optional<Seed> seed;
  std::string out;              ///< folder; empty: nothing is written
  std::vector<Format> formats;  ///< after parsing never empty
  std::vector<std::string> with;
  std::string campaign;  ///< file; empty: the audit is no part of one
  Disclosure disclosure = Disclosure::full;
  bool accept_weak_sandbox = false;
  std::optional<double> hot_fraction, speedup;
  std::string trace, kernel, previous, preset, rank;
  bool before = false;
  bool emit_shapes = false;
  bool threats = false;  ///< checks
};

/// Splits at the last ':' if an identifier follows it; anything else is all path.
SubjectArg split_subject(std::string_view text);

}  // namespace assay::cli
