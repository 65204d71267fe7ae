#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>

#include "attest/digest.h"
#include "cli/interrupt.h"
#include "cli/parse.h"
#include "contract/claim.h"
#include "contract/load.h"
#include "core/check.h"
#include "core/nearest.h"
#include "core/oracle.h"
#include "core/shape_family.h"
#include "core/version.h"
#include "judge/adequacy.h"
#include "judge/audit.h"
#include "judge/device_trial.h"
#include "judge/hints.h"
#include "judge/replay.h"
#include "judge/speed/campaign_file.h"
#include "judge/speed/fitness.h"
#include "reports/adequacy_page.h"
#include "reports/console.h"
#include "reports/disclose.h"
#include "reports/explain.h"
#include "reports/listing.h"
#include "reports/progress.h"
#include "reports/render.h"
#include "reports/replayed.h"
#include "reports/roi_json.h"
#include "reports/roi_page.h"
#include "reports/text.h"
#include "roi/answer.h"
#include "roi/claim.h"
#include "sandbox/identity.h"
#include "sandbox/image.h"
#include "verdict/decide.h"

/// The algorithm, top to bottom: read the command line; load the contract; take private copies of what will be loaded;
/// audit; write the reports; answer with an exit code. Our own faults arrive in main as one exception type.
namespace assay {
namespace {

namespace fs = std::filesystem;

void require_sound_registries() {
  std::vector<std::string> problems = Registry<Check>::problems();
  for (const std::string& problem : Registry<ShapeFamily>::problems()) problems.push_back(problem);
  for (const std::string& problem : Registry<Oracle>::problems()) problems.push_back(problem);
  if (!problems.empty()) throw Error("internal: " + problems.front());
}

void require_sandbox(const sandbox::Diagnosis& diagnosis, bool accept_weak) {
  if (diagnosis.level != sandbox::Level::weak || accept_weak) return;
  throw Error("this machine can't confine a subject: " + diagnosis.why +
              " ('assay doctor' says what is missing; --accept-weak-sandbox audits all the same)");
}

std::set<std::string> selected_checks(const std::string& flag, const std::vector<std::string>& only) {
  std::vector<std::string_view> known;
  const std::vector<Check> checks = Registry<Check>::all();
  for (const Check& check : checks) known.push_back(check.id);
  for (const std::string& id : only) {
    if (std::find(known.begin(), known.end(), id) != known.end()) continue;
    throw Error(flag + " " + id + ": no such check" + did_you_mean(id, known) + " ('assay checks' lists all)",
                Exit::kUsage);
  }
  return {only.begin(), only.end()};
}

/// The contract's word on a subject, with the command line's on top; the contract's paths are relative to its folder.
SubjectSpec resolve(const Contract& contract, const SubjectSpec* written, const std::optional<cli::SubjectArg>& given) {
  const auto at_home = [&](const std::string& path) { return (fs::path(contract.folder) / path).string(); };
  SubjectSpec spec = written ? *written : SubjectSpec{"", {}, contract.entry};
  if (!spec.path.empty()) spec.path = at_home(spec.path);
  for (std::string& with : spec.with) with = at_home(with);
  if (!given) return spec;
  spec.path = given->path;
  if (!given->symbol.empty()) spec.entry.symbol = given->symbol;
  return spec;
}

AuditSubject prepare(const SubjectSpec& spec, const std::string& what, const Contract& contract,
                     const Machine& machine) {
  AuditSubject subject = prepare_subject(spec, what, contract.concurrency.threads, machine);
  subject.info.digest = sha256_hex_of_descriptor(subject.file);
  return subject;
}

std::vector<std::string> real_paths(std::vector<std::string> paths) {
  std::erase_if(paths, [](const std::string& path) { return path.empty(); });
  for (std::string& path : paths) path = fs::weakly_canonical(path).string();
  return paths;
}

std::string utc(std::chrono::system_clock::time_point when) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(when);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&seconds));
  return text;
}

/// The same audit has the same name. It must not give the seed away, which a report may keep back.
std::string run_id(const AuditReport& report) {
  const std::string text = report.run.seed + report.subjects.at("candidate").digest + report.contract_digest;
  return sha256_hex(std::as_bytes(std::span(text))).substr(0, 16);
}

/// What an audit works on, taken before anything of the subjects runs.
struct Prepared {
  std::chrono::system_clock::time_point started = std::chrono::system_clock::now();
  Contract contract;
  std::shared_ptr<const Device> device;
  Machine machine;
  std::optional<AuditRequest> request;  ///< refers to `contract`
};

/// What the judge itself doesn't know: who audited, which files, where and when.
void complete(AuditReport& report, const cli::Options& options, const Prepared& prepared) {
  const AuditRequest& request = *prepared.request;
  const Machine& machine = prepared.machine;
  report.tool = "assay " + std::string(kVersion);
  report.contract_name = prepared.contract.name;
  report.contract_path = options.contract;
  report.contract_digest = sha256_hex_of_file(options.contract);
  report.subjects["candidate"] = request.candidate.info;
  if (request.reference) report.subjects["reference"] = request.reference->info;
  if (request.baseline) report.subjects["baseline"] = request.baseline->info;
  report.run.started = utc(prepared.started);
  report.run.device = prepared.device->info().name;
  const std::vector<std::string>& notes = prepared.device->info().notes;
  report.not_covered.insert(report.not_covered.end(), notes.begin(), notes.end());
  report.run.sandbox = std::string(name_of(machine.diagnosis.level));
  report.run.id = run_id(report);
  report.run.folder = std::filesystem::current_path().string();
  if (machine.diagnosis.level != sandbox::Level::full) report.not_covered.push_back(machine.diagnosis.why);
  reports::add_replay_commands(report);
}

std::unique_ptr<Prepared> prepare_audit(const cli::Options& options, Progress* progress) {
  auto prepared = std::make_unique<Prepared>();
  prepared->contract = load_contract(options.contract);
  sandbox::Diagnosis diagnosis = sandbox::examine_machine();  // forks: before a device is there
  prepared->device = open_device(options.device);
  if (!prepared->contract.memory.align_given) prepared->contract.memory.align = prepared->device->info().align;
  const Contract& contract = prepared->contract;
  SubjectSpec candidate = resolve(contract, &contract.candidate, options.candidate);
  candidate.with.insert(candidate.with.end(), options.with.begin(), options.with.end());
  const SubjectSpec reference =
      resolve(contract, contract.reference ? &*contract.reference : nullptr, options.reference);
  prepared->machine = {std::move(diagnosis), sandbox::worker_image(),
                       real_paths({options.contract, candidate.path, reference.path, options.out}), prepared->device};
  require_sandbox(prepared->machine.diagnosis, options.accept_weak_sandbox);

  std::optional<AuditSubject> today;
  if (!reference.path.empty()) today = prepare(reference, "reference", contract, prepared->machine);
  std::optional<AuditSubject> baseline;
  if (contract.speed.baseline) {
    baseline =
        prepare(resolve(contract, &*contract.speed.baseline, std::nullopt), "baseline", contract, prepared->machine);
  }
  prepared->request.emplace(AuditRequest{
      .contract = contract,
      .candidate = prepare(candidate, "candidate", contract, prepared->machine),
      .reference = std::move(today),
      .depth = options.depth,
      .baseline = std::move(baseline),
      .nothing = builtin_subject(protocol::Builtin::nothing, candidate.entry, 1, prepared->machine),
      .campaign = std::nullopt,
      .only = selected_checks("--only", options.only),
      .without = selected_checks("--without", options.without),
      .seed = options.seed,
      .memory_bytes = prepared->device->lendable_bytes(),
      .progress = progress,
  });
  if (!options.campaign.empty() && options.depth != Depth::quick) {
    prepared->request->campaign = enter_campaign(options.campaign, sha256_hex_of_file(options.contract),
                                                 prepared->request->candidate.info.digest);
  }
  return prepared;
}

AuditReport perform(const Prepared& prepared, const cli::Options& options) {
  AuditReport report = audit(*prepared.request);
  report.hints = hints_of_file(prepared.request->candidate.file);
  complete(report, options, prepared);
  return report;
}

Exit run_audit(const cli::Options& options) {
  const auto progress = reports::make_progress(STDERR_FILENO);
  const std::unique_ptr<Prepared> prepared = prepare_audit(options, progress.get());
  if (!options.out.empty()) reports::prepare_folder(options.out, options.formats);
  const AuditReport report = reports::disclosed(perform(*prepared, options), options.disclosure);
  if (!options.out.empty()) reports::write_all(options.out, options.formats, report);
  const bool console =
      std::find(options.formats.begin(), options.formats.end(), Format::console) != options.formats.end();
  if (!console && !options.out.empty()) std::cout << reports::headline(report) << "; see " << options.out << "\n";
  for (const Format format : options.formats) {
    if (format == Format::console || options.out.empty()) {
      std::cout << reports::render(format, report, reports::style_of(STDOUT_FILENO));
    }
  }
  return exit_code(report.verdict);
}

cli::Options options_of(const reports::ReplayRequest& wanted, cli::Options options) {
  options.contract = wanted.contract;
  options.candidate = cli::SubjectArg{wanted.candidate, wanted.candidate_symbol};
  if (!wanted.reference.empty()) options.reference = cli::SubjectArg{wanted.reference, wanted.reference_symbol};
  options.device = wanted.device;
  options.depth = wanted.depth;
  options.seed = wanted.seed;
  options.only = wanted.only;
  return options;
}

/// The finding's own calls alone. Where it has none, or they don't show it, the same check's calls of the whole audit.
reports::Replayed replayed(const reports::ReplayRequest& wanted, const Prepared& prepared) {
  if (wanted.repro && wanted.seed) {
    const ReplayCount count = replay(*prepared.request, *wanted.repro, wanted.witness);
    if (count.failures > 0 || count.statistical) {
      return reports::count_replay(wanted, count.failures, count.tries, count.statistical, count.message);
    }
  }
  return reports::compare_replay(wanted, audit(*prepared.request));
}

Exit run_replay(const cli::Options& options) {
  const reports::ReplayRequest wanted = reports::read_replay_request(options.report, options.finding);
  const cli::Options again = options_of(wanted, options);
  const std::unique_ptr<Prepared> prepared = prepare_audit(again, nullptr);
  const std::optional<AuditSubject>& reference = prepared->request->reference;
  const std::string changed =
      reports::changed_files(wanted, sha256_hex_of_file(again.contract), prepared->request->candidate.info.digest,
                             reference ? reference->info.digest : "");
  if (!changed.empty())
    throw Error(changed + "a finding is replayed with the files that it was found with", Exit::kDigest);
  const reports::Replayed answer = replayed(wanted, *prepared);
  std::cout << answer.text;
  return answer.exit;
}

std::string percent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2g %%", 100.0 * share);
  return text.data();
}

std::string fitness_page(const MachineFitness& fitness) {
  reports::Page page(reports::style_of(STDOUT_FILENO));
  page.heading(std::string("timing: ") + (fitness.fit ? "fit" : "not fit for differences of 2 %"));
  if (fitness.control) {
    page.field("control", "the same work against itself comes out within " + percent(fitness.noise_floor) +
                              " of equal (noise floor, six process pairs)");
  }
  page.field("visible", "effects from " + percent(fitness.visible) + " on in " + reports::duration(fitness.budget_s) +
                            ", on a kernel of 100 µs");
  page.field("empty call", reports::duration(fitness.empty_call_s) + ", judge to worker and back");
  for (const std::string& disturbance : fitness.disturbances) page.field("beside", disturbance);
  return page.text();
}

void add_rows(reports::Page& page, const std::vector<sandbox::DoctorRow>& found) {
  std::vector<std::vector<std::string>> rows{{"needed", "here", "found", "what is weaker without it"}};
  for (const sandbox::DoctorRow& row : found) rows.push_back({row.name, row.ok ? "yes" : "no", row.detail, row.lowers});
  page.table(rows, 4);
}

/// A device that isn't here is no fault of the machine's: most have none.
std::string device_page(Machine& machine, const DeviceRow& row) {
  reports::Page page(reports::style_of(STDOUT_FILENO));
  page.heading(row.kind + ": " + row.found);
  if (!row.available) return page.text();
  try {
    machine.device = open_device(row.kind);
    add_rows(page, try_device(machine));
  } catch (const Error& error) {
    page.field("unusable", error.what());
  }
  machine.device.reset();
  return page.text();
}

Exit run_doctor(const cli::Options&) {
  const sandbox::Diagnosis diagnosis = sandbox::examine_machine();
  reports::Page page(reports::style_of(STDOUT_FILENO));
  page.line("sandbox: " + std::string(name_of(diagnosis.level)) + ": " + diagnosis.why, reports::Tone::strong);
  add_rows(page, diagnosis.rows);
  std::cout << page.text() << std::flush;
  if (diagnosis.level == sandbox::Level::weak) return Exit::kEnvironment;
  Machine machine{diagnosis, sandbox::worker_image(), {}, {}};
  std::cout << fitness_page(measure_fitness(machine)) << std::flush;
  for (const DeviceRow& row : list_devices()) {
    if (row.kind != "cpu") std::cout << device_page(machine, row);
  }
  return Exit::kPass;
}

Exit run_checks(const cli::Options& options) {
  const reports::ConsoleStyle style = reports::style_of(STDOUT_FILENO);
  std::cout << (options.threats ? reports::list_threats(style) : reports::list_checks(style));
  return Exit::kPass;
}

Exit run_oracles(const cli::Options&) {
  std::cout << reports::list_oracles(reports::style_of(STDOUT_FILENO));
  return Exit::kPass;
}

Exit run_devices(const cli::Options&) {
  for (const DeviceRow& row : list_devices()) {
    std::cout << std::left << std::setw(6) << row.kind << (row.available ? "available: " : "not here: ") << row.found
              << "\n";
  }
  return Exit::kPass;
}

Exit run_explain(const cli::Options& options) {
  std::cout << reports::explain(options.topic, reports::style_of(STDOUT_FILENO));
  return Exit::kPass;
}

/// A report brings its contract along where that is still there.
std::optional<Contract> load_worth(const std::string& worth, roi::Question& question) {
  if (worth.empty()) return std::nullopt;
  if (!worth.ends_with(".json")) return load_contract(worth);
  question.report = roi::read_report(worth);
  const std::string& path = question.report->contract_path;
  return fs::exists(path) ? std::optional(load_contract(path)) : std::nullopt;
}

bool prints_json(const cli::Options& options) {
  for (const Format format : options.formats) {
    if (format != Format::console && format != Format::json) {
      throw Error("--format " + std::string(info(format).name) + ": this command prints console or json", Exit::kUsage);
    }
  }
  return options.formats.front() == Format::json;
}

Exit run_roi(const cli::Options& options) {
  roi::Question question{.hot_fraction = options.hot_fraction,
                         .speedup = options.speedup,
                         .trace = options.trace,
                         .kernel = options.kernel,
                         .before = options.before,
                         .previous = options.previous,
                         .preset = options.preset,
                         .rank = options.rank};
  const bool json = prints_json(options);
  const std::optional<Contract> contract = load_worth(options.worth, question);
  if (contract) question.contract = &*contract;
  if (options.emit_shapes) {
    std::cout << roi::shapes_of(question);
    return Exit::kPass;
  }
  const RoiAnswer answer = roi::answer(question);
  std::cout << (json ? reports::roi_to_json(answer)
                     : reports::roi_to_console(answer, reports::style_of(STDOUT_FILENO)));
  return roi::exit_of(question, answer);
}

/// Paths of a claim are relative to its folder. A contract is audited here and now.
roi::ClaimEvidence gather_evidence(const Claim& claim, const cli::Options& options) {
  const fs::path folder = claim.folder;
  if (claim.evidence_results) {
    return roi::read_results((folder / claim.evidence_results->path).string(), claim.evidence_results->format);
  }
  if (claim.evidence_contract.empty()) return std::monostate{};
  cli::Options audit_options = options;
  audit_options.contract = (folder / claim.evidence_contract).string();
  const AuditReport report = perform(*prepare_audit(audit_options, nullptr), audit_options);
  return roi::audited_speed(report, load_contract(audit_options.contract));
}

Exit run_claim(const cli::Options& options) {
  const bool json = prints_json(options);
  const Claim claim = load_claim(options.claim);
  const ClaimReport report = roi::report_of(claim, gather_evidence(claim, options));
  std::cout << (json ? reports::claim_to_json(report)
                     : reports::claim_to_console(report, reports::style_of(STDOUT_FILENO)));
  return static_cast<Exit>(report.exit);
}

/// An audit under a contract that can't tell could not pass.
Exit run_inspect(const cli::Options& options) {
  const AdequacySection section = inspect_contract(load_contract(options.contract));
  std::cout << reports::adequacy_page(section, reports::style_of(STDOUT_FILENO));
  return section.inadequate.empty() ? Exit::kPass : Exit::kInconclusive;
}

/// In the order of cli::CommandId.
constexpr std::array<Exit (*)(const cli::Options&), 10> kCommands{run_audit,   run_replay, run_checks,  run_oracles,
                                                                  run_devices, run_doctor, run_explain, run_roi,
                                                                  run_claim,   run_inspect};

/// Copies of tensors come and go by the thousand: memory that has been fetched from the system once is kept.
void keep_memory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

Exit run(const std::vector<std::string>& words) {
  keep_memory();
  cli::answer_interrupts();
  require_sound_registries();
  sandbox::protect_judge();
  const std::variant<cli::Options, cli::Shown> parsed = cli::parse(words);
  if (const auto* shown = std::get_if<cli::Shown>(&parsed)) {
    std::cout << shown->text;
    return Exit::kPass;
  }
  const auto& options = std::get<cli::Options>(parsed);
  return kCommands.at(static_cast<std::size_t>(options.command))(options);
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  try {
    const assay::Exit code = assay::run({argv + 1, argv + argc});
    std::cout.flush();
    return static_cast<int>(code);
  } catch (const assay::Error& error) {
    std::cerr << error.told() << '\n';
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    std::cerr << "assay: " << error.what() << '\n';
    return static_cast<int>(assay::Exit::kEnvironment);
  }
}
