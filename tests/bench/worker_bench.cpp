// What a worker costs: start to first call, and the round trip of an empty call with and without the stop between
// calls.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

#include "core/error.h"
#include "judge/worker_process.h"
#include "sandbox/doctor.h"
#include "sandbox/image.h"

namespace {

using namespace assay;
using Clock = std::chrono::steady_clock;

double seconds(Clock::time_point from) {
  return std::chrono::duration<double>(Clock::now() - from).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

struct Bench {
  sandbox::UniqueFd image, subject;
  sandbox::Layers layers;

  std::unique_ptr<WorkerProcess> worker(bool stop) const {
    WorkerSpec spec;
    spec.image = image.get();
    spec.files = {{"libm.so.6", subject.get()}};
    spec.entry.symbol = "fabs";  // returns at once
    spec.entry.returns = ReturnKind::status64;
    spec.entry.return_type = CType::f64;
    spec.entry.args.resize(1);
    spec.entry.args[0].type = CType::f64;
    spec.layers = layers;
    spec.stop_between_calls = stop;
    return std::make_unique<WorkerProcess>(std::move(spec));
  }

  static void call(WorkerProcess& worker, std::uint64_t number) {
    Invocation invocation;
    invocation.sequence = number;
    invocation.count = 1;
    if (!std::holds_alternative<Returned>(worker.call(invocation, 5.0))) throw Error("the call failed");
  }

  double start_s(int times) const {
    std::vector<double> all;
    for (int i = 0; i < times; ++i) {
      const auto start = Clock::now();
      const auto one = worker(true);
      if (std::holds_alternative<LoadFailure>(one->load())) throw Error("the subject doesn't load");
      call(*one, 1);
      all.push_back(seconds(start));
      one->end();
    }
    return median(std::move(all));
  }

  double round_trip_s(bool stop, bool look, int times) const {
    const auto one = worker(stop);
    if (std::holds_alternative<LoadFailure>(one->load())) throw Error("the subject doesn't load");
    std::vector<double> all;
    for (int i = 0; i < times; ++i) {
      const auto start = Clock::now();
      call(*one, static_cast<std::uint64_t>(i));
      if (look) one->residue(false);
      all.push_back(seconds(start));
    }
    return median(std::move(all));
  }
};

}  // namespace

int main(int, char** argv) {
  try {
    const std::string self = argv[0];
    const std::string worker = self.substr(0, self.rfind('/')) + "/" ASSAY_WORKER_FROM_BENCH;
    const sandbox::Diagnosis machine = sandbox::examine_machine();
    const Bench bench{sandbox::sealed_copy(worker, true),
                      sandbox::sealed_copy("/lib/x86_64-linux-gnu/libm.so.6", false), machine.layers};
    std::printf("sandbox %s\n", machine.why.c_str());
    std::printf("%-44s %10s %10s\n", "", "median", "target");
    std::printf("%-44s %7.2f ms %10s\n", "start to first call", bench.start_s(50) * 1e3, "8 ms");
    std::printf("%-44s %7.2f us %10s\n", "empty call, no stop", bench.round_trip_s(false, false, 20000) * 1e6, "15 us");
    std::printf("%-44s %7.2f us %10s\n", "empty call, stopped in between", bench.round_trip_s(true, false, 20000) * 1e6,
                "40 us");
    std::printf("%-44s %7.2f us\n", "the same, with the cheap residue", bench.round_trip_s(true, true, 20000) * 1e6);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "worker_bench: %s\n", error.what());
    return 4;
  }
}
