#include "timing/peaks.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "core/error.h"
#include "timing/arithmetic.h"

namespace assay::timing {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kCacheFactor = 4;
constexpr std::int64_t kFewestBytes = 64LL << 20;
constexpr std::int64_t kRounds = 20000;
constexpr int kFewestTrials = 3;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Runs `work(thread)` on all threads at once; seconds from the first start to the last end.
double run_together(int threads, const std::function<void(int)>& work) {
  const auto start = Clock::now();
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(work, t);
  work(0);
  for (std::thread& thread : others) thread.join();
  return since(start);
}

/// Work per second of the fastest trial.
double best_rate(const PeakRequest& request, double amount, const std::function<void(int)>& work) {
  const auto start = Clock::now();
  double best = 0.0;
  for (int trial = 0; trial < kFewestTrials || since(start) < request.seconds; ++trial) {
    best = std::max(best, amount / run_together(request.threads, work));
  }
  return best;
}

/// A source and a target for each thread, written once so that every page is real.
struct Buffers {
  std::int64_t words = 0;  ///< in each
  std::vector<std::unique_ptr<std::uint64_t[]>> from, to;
};

Buffers make_buffers(const PeakRequest& request) {
  const std::int64_t each = std::max(kFewestBytes, kCacheFactor * request.cache_bytes) / request.threads;
  if (2 * each * request.threads > request.most_bytes) {
    throw Error("timing: buffers of four times the cache (" + std::to_string(request.cache_bytes) +
                " bytes) exceed the " + std::to_string(request.most_bytes) + " bytes allowed; allow more memory");
  }
  Buffers buffers{each / 8, {}, {}};
  for (int t = 0; t < request.threads; ++t) {
    buffers.from.push_back(std::make_unique<std::uint64_t[]>(static_cast<std::size_t>(buffers.words)));
    buffers.to.push_back(std::make_unique<std::uint64_t[]>(static_cast<std::size_t>(buffers.words)));
  }
  return buffers;
}

std::uint64_t sum_of(const std::uint64_t* words, std::int64_t count) {
  std::uint64_t a = 0, b = 0, c = 0, d = 0;
  for (std::int64_t i = 0; i + 4 <= count; i += 4) {
    a += words[i];
    b += words[i + 1];
    c += words[i + 2];
    d += words[i + 3];
  }
  return a + b + c + d;
}

template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

void measure_memory(const PeakRequest& request, Peaks& peaks) {
  const Buffers buffers = make_buffers(request);
  const auto bytes = 8.0 * static_cast<double>(buffers.words) * request.threads;
  peaks.copy_bytes_per_s = best_rate(request, 2.0 * bytes, [&](int t) {
    const auto at = static_cast<std::size_t>(t);
    std::memcpy(buffers.to[at].get(), buffers.from[at].get(), static_cast<std::size_t>(8 * buffers.words));
    keep(buffers.to[at][0]);
  });
  peaks.read_bytes_per_s = best_rate(
      request, bytes, [&](int t) { keep(sum_of(buffers.to[static_cast<std::size_t>(t)].get(), buffers.words)); });
}

void measure_arithmetic(const PeakRequest& request, Peaks& peaks) {
  const auto kernels = arithmetic_kernels();
  const ArithmeticKernel& kernel =
      *std::find_if(kernels.begin(), kernels.end(), [](const auto& k) { return k.supported(); });
  const double rounds = static_cast<double>(kRounds) * request.threads;
  // Thread starts cost tens of microseconds: a block of rounds must be long against that.
  constexpr int kBlocks = 50;
  const auto rate = [&](double (*work)(std::int64_t), int flops) {
    return best_rate(request, kBlocks * rounds * flops, [&](int) {
      for (int i = 0; i < kBlocks; ++i) keep(work(kRounds));
    });
  };
  peaks.f32_flops_per_s = rate(kernel.f32, kernel.f32_flops_per_round);
  peaks.f64_flops_per_s = rate(kernel.f64, kernel.f64_flops_per_round);
  peaks.instructions = kernel.instructions;
  peaks.arithmetic_is_peak = kernel.is_peak;
}

}  // namespace

Peaks measure_peaks(const PeakRequest& request) {
  if (request.threads < 1) throw Error("timing: peaks need at least one thread");
  Peaks peaks;
  measure_memory(request, peaks);
  measure_arithmetic(request, peaks);
  return peaks;
}

}  // namespace assay::timing
