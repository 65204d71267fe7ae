#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "device/lent_memory.h"
#include "judge/worker_process.h"
#include "sandbox/doctor.h"
#include "sandbox/image.h"
#include "sandbox/system.h"

/// What the tests of the sandbox share: subjects from the build folder, lent memory, and a look at the process table.
namespace assay::rig {

inline const sandbox::UniqueFd& image() {
  static const sandbox::UniqueFd kept = sandbox::sealed_copy(ASSAY_BINARY_DIR "/assay-worker", true);
  return kept;
}

inline const sandbox::Diagnosis& machine() {
  static const sandbox::Diagnosis kept = sandbox::examine_machine();
  return kept;
}

inline Entry entry_of(const std::string& symbol, std::vector<CType> types) {
  Entry entry;
  entry.symbol = symbol;
  entry.returns = ReturnKind::status64;
  entry.return_type = CType::i64;
  for (const CType type : types) {
    Argument argument;
    argument.type = type;
    entry.args.push_back(argument);
  }
  return entry;
}

inline Entry rmsnorm_entry() {
  Entry entry =
      entry_of("rmsnorm", {CType::pointer, CType::pointer, CType::pointer, CType::i64, CType::i64, CType::f32});
  entry.returns = ReturnKind::status32;
  entry.return_type = CType::i32;
  return entry;
}

/// A worker with one subject. The files' descriptors live as long as it does.
struct Subject {
  std::vector<sandbox::UniqueFd> files;
  std::unique_ptr<WorkerProcess> worker;

  Subject(const std::string& path, Entry entry, const std::function<void(WorkerSpec&)>& change = {},
          const std::vector<std::string>& with = {}) {
    WorkerSpec spec;
    spec.image = image().get();
    spec.entry = std::move(entry);
    spec.layers = machine().layers;
    spec.load_deadline_s = 5.0;
    spec.memory_bytes = std::int64_t{1} << 30;
    add(spec, path);
    for (const std::string& each : with) add(spec, each);
    if (change) change(spec);
    worker = std::make_unique<WorkerProcess>(std::move(spec));
  }

 private:
  void add(WorkerSpec& spec, const std::string& path) {
    files.push_back(sandbox::sealed_copy(path, false));
    spec.files.push_back({path.substr(path.rfind('/') + 1), files.back().get()});
  }
};

inline std::string fixture(const std::string& name) {
  return ASSAY_BINARY_DIR "/fixtures/" + name + ".so";
}
inline std::string probe() {
  return ASSAY_BINARY_DIR "/tests/e2e/sandbox/probe.so";
}

/// x, weight and y of rmsnorm at T = 2, H = 64, lent to the worker.
struct Buffers {
  LentMemory x{4096, Lending::read_only}, weight{4096, Lending::read_only}, y{4096, Lending::writable};
  std::uintptr_t base = 0;

  std::optional<Ended> lend(WorkerProcess& worker, std::uintptr_t arena) {
    base = arena + (std::uintptr_t{1} << 30);
    for (int i = 0; i < 128; ++i) reinterpret_cast<float*>(x.data())[i] = static_cast<float>(i % 7) - 2.5F;
    for (int i = 0; i < 64; ++i) reinterpret_cast<float*>(weight.data())[i] = 1.0F;
    const Mapping mappings[] = {
        {base, 4096, x.fd(), false}, {base + 8192, 4096, weight.fd(), false}, {base + 16384, 4096, y.fd(), true}};
    return worker.map(mappings);
  }

  Invocation invocation(std::uint64_t sequence) const {
    Invocation call;
    call.sequence = sequence;
    call.count = 6;
    const float eps = 1e-6F;
    std::uint32_t bits = 0;
    std::memcpy(&bits, &eps, sizeof bits);
    call.args = {base, base + 8192, base + 16384, 2, 64, bits};
    return call;
  }

  /// Largest difference from the right answer.
  double error() const {
    const auto* in = reinterpret_cast<const float*>(x.data());
    const auto* out = reinterpret_cast<const float*>(y.data());
    double worst = 0.0;
    for (int t = 0; t < 2; ++t) {
      double sum = 0.0;
      for (int h = 0; h < 64; ++h) sum += double{in[t * 64 + h]} * in[t * 64 + h];
      for (int h = 0; h < 64; ++h) {
        const double right = in[t * 64 + h] / std::sqrt(sum / 64 + 1e-6);
        worst = std::fmax(worst, std::fabs(right - out[t * 64 + h]));
      }
    }
    return worst;
  }
};

/// A process and everything below it, by id.
inline std::set<pid_t> family_of(pid_t ancestor) {
  std::set<pid_t> all{ancestor};
  std::vector<pid_t> open{ancestor};
  while (!open.empty()) {
    const std::string id = std::to_string(open.back());
    open.pop_back();
    std::istringstream children(sandbox::read_text("/proc/" + id + "/task/" + id + "/children"));
    for (pid_t child = 0; children >> child;) {
      if (all.insert(child).second) open.push_back(child);
    }
  }
  return all;
}

/// Those of `pids` that still run (zombies are gone: somebody else's to reap).
inline std::set<pid_t> alive(const std::set<pid_t>& pids) {
  std::set<pid_t> running;
  for (const pid_t pid : pids) {
    const std::string status = sandbox::read_text("/proc/" + std::to_string(pid) + "/stat");
    const std::size_t end = status.rfind(')');
    if (end != std::string::npos && status.size() > end + 2 && status[end + 2] != 'Z' && status[end + 2] != 'X')
      running.insert(pid);
  }
  return running;
}

/// Waits up to `seconds` until none of `pids` runs.
inline std::set<pid_t> left_after(const std::set<pid_t>& pids, double seconds) {
  std::set<pid_t> left = alive(pids);
  for (int i = 0; i < seconds * 100 && !left.empty(); ++i) {
    ::usleep(10000);
    left = alive(pids);
  }
  return left;
}

inline std::vector<std::string> words(const std::string& text, char separator) {
  std::vector<std::string> all;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, separator);) {
    const std::size_t first = part.find_first_not_of(' ');
    if (first != std::string::npos) all.push_back(part.substr(first, part.find_last_not_of(' ') - first + 1));
  }
  return all;
}

/// "call exited 0", "call signalled 11", "call deadline", "call protocol".
inline std::string text_of(const Ended& end) {
  switch (end.kind) {
    case EndKind::exited:
      return "exited " + std::to_string(end.code);
    case EndKind::signalled:
      return "signalled " + std::to_string(end.code);
    case EndKind::deadline:
      return "deadline";
    case EndKind::protocol:
      return "protocol";
    case EndKind::device:
      return "device " + std::to_string(end.code);
    case EndKind::ended:
      break;
  }
  return "ended";
}

}  // namespace assay::rig
