#include "judge/device_trial.h"

#include <array>
#include <cstdio>

#include "core/error.h"
#include "judge/worker.h"

namespace assay {
namespace {

constexpr double kDeadline = 10.0;

sandbox::DoctorRow good(const std::string& name, const std::string& detail) {
  return {name, true, detail, ""};
}

sandbox::DoctorRow bad(const std::string& name, const std::string& detail, const std::string& lowers) {
  return {name, false, detail, lowers};
}

/// Filled on one way and read back on the other: both must give the same bytes.
sandbox::DoctorRow memory_row(const Device& device, std::shared_ptr<DeviceMemory>& lent) {
  const std::string name = "lent memory", lowers = "no audit on this device";
  try {
    const StreamKey key = derive_key(Seed{}, 0, "doctor");
    const std::uint64_t bytes = device.info().granule;
    lent = device.lend(bytes, Lending::writable);
    lent->fill(0, bytes, key);
    std::vector<std::byte> copy(bytes);
    lent->read(0, copy);
    const bool same = !lent->first_difference(0, bytes, key) && !lent->first_difference(0, copy);
    if (!same) return bad(name, "what was written isn't what is read back", lowers);
    return good(name, "in pieces of " + std::to_string(bytes >> 10) + " KiB: filled, read and compared");
  } catch (const Error& error) {
    return bad(name, error.what(), lowers);
  }
}

std::string milliseconds(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.0f ms", 1e3 * seconds);
  return text.data();
}

/// Empty: it went well; `started_s` is then set.
std::string worker_problem(const Machine& machine, const DeviceMemory& lent, double& started_s) {
  const AuditSubject nothing = builtin_subject(protocol::Builtin::nothing, Entry{}, 1, machine);
  const std::unique_ptr<Worker> worker = nothing.start(sandbox::Surroundings::usual);
  const auto loaded = worker->load();
  if (const auto* failure = std::get_if<LoadFailure>(&loaded)) {
    return "a worker can't bring it up: " + (failure->end ? failure->end->what : failure->what);
  }
  const auto& ready = std::get<Loaded>(loaded);
  started_s = ready.seconds;
  const Mapping mapping{ready.arena, static_cast<std::uint64_t>(lent.bytes()), lent.fd(), true};
  if (const auto end = worker->map(std::span(&mapping, 1))) return "a worker can't map lent memory: " + end->what;
  const CallOutcome outcome = worker->call(Invocation{}, kDeadline);
  const auto* end = std::get_if<Ended>(&outcome);
  return end ? "a call of nothing ended the worker: " + end->what : "";
}

sandbox::DoctorRow worker_row(const Machine& machine, const DeviceMemory& lent) {
  const std::string lowers = "no audit on this device";
  double started_s = 0.0;
  try {
    const std::string problem = worker_problem(machine, lent, started_s);
    if (!problem.empty()) return bad("worker", problem, lowers);
  } catch (const Error& error) {
    return bad("worker", error.what(), lowers);
  }
  return good("worker", "starts in " + milliseconds(started_s) + " and maps lent memory, under the same sandbox");
}

}  // namespace

std::vector<sandbox::DoctorRow> try_device(const Machine& machine) {
  const Device& device = *machine.device;
  std::shared_ptr<DeviceMemory> lent;
  std::vector<sandbox::DoctorRow> rows{memory_row(device, lent)};
  if (lent) rows.push_back(worker_row(machine, *lent));
  for (const std::string& note : device.info().notes) rows.push_back(bad("note", note, ""));
  return rows;
}

}  // namespace assay
