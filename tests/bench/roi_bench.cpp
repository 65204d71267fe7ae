// Figures that the ROI part promises: a trace of 1 GB at 200 MB/s or more in 200 MB of memory or less, and 100,000
// draws in 0.2 s or less. Prints what it measured; exits with 1 where a figure is missed.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "roi/assess.h"
#include "roi/profile.h"

namespace {

using namespace assay::roi;

/// Seconds of this process's own work: one thread, and what else runs on the machine does not count. Prints the wall's.
double seconds_of(const std::function<void()>& body) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t work = std::clock();
  body();
  const double seconds = static_cast<double>(std::clock() - work) / CLOCKS_PER_SEC;
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  std::printf("%.3f s of work, %.3f s by the wall\n", seconds, wall.count());
  return seconds;
}

/// As the profiler writes it: a host operator with its shapes, a runtime call, a flow and a kernel.
constexpr std::string_view kEvents = R"json(  {
    "ph": "X", "cat": "cpu_op", "name": "aten::linear", "pid": 416, "tid": 416,
    "ts": $T.700, "dur": 9.507,
    "args": {
      "External id": $I,"Record function id": 0, "Concrete Inputs": ["", "", ""], "Input type": ["c10::Half", "c10::Half", ""],
      "Input Strides": [[1048576, 1024, 1], [1024, 1], []], "Input Dims": [[4, 1024, 1024], [3072, 1024], []], "Ev Idx": $I
    }
  },
  {
    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 416, "tid": 416,
    "ts": $T.900, "dur": 4.120,
    "args": {
      "External id": $I, "cbid": 211, "correlation": $I
    }
  },
  {
    "ph": "s", "id": $I, "pid": 416, "tid": 416, "ts": $T.900,
    "cat": "ac2g", "name": "ac2g"
  },
  {
    "ph": "X", "cat": "kernel", "name": "void cutlass::Kernel2<cutlass_80_tensorop_f16_s16816gemm_relu_f16_256x128_32x3>(Params)",
    "pid": 0, "tid": 7, "ts": $T.950, "dur": 17.760,
    "args": {
      "External id": $I, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": $I,
      "registers per thread": 168, "shared memory": 213188, "blocks per SM": 1.0, "warps per SM": 12.0,
      "grid": [2, 66, 1], "block": [384, 1, 1], "est. achieved occupancy %": 0
    }
  })json";

std::string events_of(long index) {
  std::string events;
  for (std::size_t i = 0; i < kEvents.size(); ++i) {
    const char next = kEvents[i] == '$' ? kEvents[i + 1] : '\0';
    if (next == '\0') {
      events += kEvents[i];
      continue;
    }
    events += std::to_string(next == 'I' ? index : 5205691874386 + index * 20);
    ++i;
  }
  return events;
}

void write_trace(const std::string& path, double bytes) {
  std::ofstream file(path, std::ios::binary);
  file << "{\n  \"schemaVersion\": 1,\n  \"traceEvents\": [\n";
  double written = 0.0;
  for (long i = 0; written < bytes; ++i) {
    const std::string events = (i > 0 ? ",\n" : "") + events_of(i);
    file << events;
    written += static_cast<double>(events.size());
  }
  file << "\n  ]\n}\n";
}

double peak_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

bool report(const char* what, double value, const char* unit, double limit, bool at_least) {
  const bool holds = at_least ? value >= limit : value <= limit;
  std::printf("%-28s %10.3f %-5s (%s %g) %s\n", what, value, unit, at_least ? "at least" : "at most", limit,
              holds ? "ok" : "MISSED");
  return holds;
}

bool bench_trace(double bytes) {
  const std::string path = (std::filesystem::temp_directory_path() / "assay_roi_bench.json").string();
  write_trace(path, bytes);
  const double size_mb = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
  double share = 0.0;
  const double seconds = seconds_of([&] {
    ProfileRequest request;
    request.picks = [](std::string_view name) { return name.find("cutlass") != std::string_view::npos; };
    const Profile profile = read_profile(path, request);
    share = profile.picked->exclusive_s / *profile.window_s;
  });
  std::filesystem::remove(path);
  std::printf("trace of %.0f MB, share %.3f\n", size_mb, share);
  const bool fast = report("reading", size_mb / seconds, "MB/s", 200.0, true);
  return report("peak memory", peak_mb(), "MB", 200.0, false) && fast;
}

bool bench_draws() {
  Inputs inputs;
  inputs.kernels = {single_kernel("k", {0.2, 0.25, 0.3}, {1.5, 2.0, 2.5})};
  return report("100,000 draws", seconds_of([&] { assess(inputs); }), "s", 0.2, false);
}

}  // namespace

int main(int argc, char** argv) {
  const double megabytes = argc > 1 ? std::atof(argv[1]) : 1000.0;
  const bool draws = bench_draws();
  const bool trace = bench_trace(megabytes * 1e6);
  return draws && trace ? 0 : 1;
}
