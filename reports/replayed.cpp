#include "reports/replayed.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/formats.h"
#include "reports/case_json.h"
#include "reports/text.h"

namespace assay::reports {
namespace {

using Json = nlohmann::json;

std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-./:=+,@%") == std::string::npos;
  if (plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// A command that can be given anywhere.
std::string placed(const AuditReport& report, const std::string& path) {
  return (std::filesystem::path(report.run.folder) / path).lexically_normal().string();
}

std::string subject_word(const AuditReport& report, const SubjectInfo& subject) {
  const std::string path = placed(report, subject.path);
  return quoted(subject.symbol.empty() ? path : path + ":" + subject.symbol);
}

std::string calls_of(const Finding& finding) {
  const auto it = finding.evidence.find("calls_of");
  if (it == finding.evidence.end()) return {};
  const auto* name = std::get_if<std::string>(&it->second);
  return name ? *name : std::string();
}

std::string command_for(const AuditReport& report, const Finding& finding) {
  const auto reference = report.subjects.find("reference");
  const std::string only = calls_of(finding);
  std::string command = "assay audit " + quoted(placed(report, report.contract_path)) + " --candidate " +
                        subject_word(report, report.subjects.at("candidate"));
  if (reference != report.subjects.end()) command += " --reference " + subject_word(report, reference->second);
  if (report.run.device != "cpu") command += " --device " + report.run.device;
  command += " --depth " + report.run.depth;
  if (!only.empty()) command += " --only " + only;
  if (!report.run.seed.empty()) command += " --seed " + report.run.seed;
  return command;
}

/// The folder of --out stands for the report in it.
Json load(std::string file) {
  if (std::filesystem::is_directory(file)) file = (std::filesystem::path(file) / info(Format::json).file).string();
  std::ifstream stream(file);
  if (!stream) throw Error("report " + file + ": can't be read", Exit::kUsage);
  Json json = Json::parse(stream, nullptr, false);
  if (json.is_discarded() || !json.is_object())
    throw Error("report " + file + ": no JSON report; give the report.json of an audit", Exit::kUsage);
  return json;
}

const Json& finding_in(const Json& report, const std::string& file, const std::string& id) {
  std::string known;
  for (const Json& finding : report.at("findings")) {
    if (finding.at("id") == id) return finding;
    known += (known.empty() ? "" : ", ") + finding.at("id").get<std::string>();
  }
  throw Error(file + " has no finding " + id + (known.empty() ? "; it has none at all" : "; it has " + known),
              Exit::kUsage);
}

/// Paths of a report start where its command was given.
std::string placed(const Json& report, const std::string& path) {
  const std::string folder = report.at("run").value("folder", "");
  return folder.empty() || path.empty() ? path : (std::filesystem::path(folder) / path).string();
}

void read_subject(const Json& report, const char* name, std::string& path, std::string& symbol, std::string& digest) {
  const Json& subjects = report.at("subjects");
  if (!subjects.contains(name)) return;
  const Json& subject = subjects.at(name);
  path = placed(report, subject.at("path"));
  symbol = subject.at("symbol");
  digest = subject.at("digest");
}

Depth depth_named(const std::string& name) {
  for (const DepthInfo& row : kDepths) {
    if (row.name == name) return row.depth;
  }
  return Depth::standard;
}

ReplayRequest to_request(const Json& report, const Json& finding) {
  ReplayRequest request;
  request.id = finding.at("id");
  request.check = finding.at("check");
  request.witness = finding.at("witness");
  request.contract = placed(report, report.at("contract").at("path"));
  request.contract_digest = report.at("contract").at("digest");
  read_subject(report, "candidate", request.candidate, request.candidate_symbol, request.candidate_digest);
  read_subject(report, "reference", request.reference, request.reference_symbol, request.reference_digest);
  request.device = report.at("run").at("device");
  request.depth = depth_named(report.at("run").at("depth"));
  Seed seed;
  if (from_hex(report.at("run").at("seed"), seed)) request.seed = seed;
  const Json& evidence = finding.at("evidence");
  if (evidence.contains("calls_of")) request.only.push_back(evidence.at("calls_of"));
  if (finding.contains("case")) request.repro = case_from_json(finding.at("case"));
  return request;
}

}  // namespace

void add_replay_commands(AuditReport& report) {
  for (Finding& finding : report.findings) finding.replay = command_for(report, finding);
}

ReplayRequest read_replay_request(const std::string& report_file, const std::string& finding) {
  const Json report = load(report_file);
  try {
    return to_request(report, finding_in(report, report_file, finding));
  } catch (const Json::exception& error) {
    throw Error("report " + report_file + ": not a report of this schema (" + error.what() + ")", Exit::kUsage);
  }
}

std::string changed_files(const ReplayRequest& wanted, const std::string& contract, const std::string& candidate,
                          const std::string& reference) {
  std::string text;
  const auto compare = [&](const std::string& what, const std::string& before, const std::string& now) {
    if (before != now) text += what + " is not the file of the report: SHA-256 " + before + " then, " + now + " now\n";
  };
  compare("the contract", wanted.contract_digest, contract);
  compare("the candidate", wanted.candidate_digest, candidate);
  compare("the reference", wanted.reference_digest, reference);
  return text;
}

Replayed count_replay(const ReplayRequest& wanted, int failures, int tries, bool statistical,
                      const std::string& message) {
  const std::string often = std::to_string(failures) + " of " + std::to_string(tries) + " times";
  if (failures > 0) {
    const std::string times = statistical ? ", " + often : "";
    return {"reproduced" + times + ": " + wanted.check + ": " + printable(message) + "\n", Exit::kFail};
  }
  if (statistical) {
    return {"not reproduced: " + often + "; it takes luck, so this proves nothing\n", Exit::kInconclusive};
  }
  return {"not reproduced: " + wanted.check + " found nothing this time, " + often + "\n", Exit::kEnvironment};
}

Replayed compare_replay(const ReplayRequest& wanted, const AuditReport& again) {
  const auto same = std::find_if(again.findings.begin(), again.findings.end(), [&](const Finding& finding) {
    return finding.check == wanted.check && finding.witness == wanted.witness;
  });
  if (same != again.findings.end()) {
    return {"reproduced: " + wanted.check + ": " + printable(same->message) + "\n", Exit::kFail};
  }
  return {"not reproduced: " + wanted.check + " found nothing this time\n", Exit::kEnvironment};
}

}  // namespace assay::reports
