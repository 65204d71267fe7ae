#include "timing/peaks.h"

#include <time.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "core/error.h"
#include "timing/arithmetic.h"

namespace assay::timing {
namespace {

constexpr std::int64_t kCacheFactor = 4;
constexpr std::int64_t kFewestBytes = 64LL << 20;
constexpr std::int64_t kRounds = 200000;  // about a millisecond
constexpr int kFewestTrials = 3;

double read_clock(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Work per second of this thread's fastest trial. Its processor time counts, not the wall: a machine that others use
/// too has the same peak.
double best_rate(double seconds, double amount, const std::function<void()>& work) {
  const double end = read_clock(CLOCK_MONOTONIC_RAW) + seconds;
  double best = 0.0;
  for (int trial = 0; trial < kFewestTrials || read_clock(CLOCK_MONOTONIC_RAW) < end; ++trial) {
    const double start = read_clock(CLOCK_THREAD_CPUTIME_ID);
    work();
    best = std::max(best, amount / (read_clock(CLOCK_THREAD_CPUTIME_ID) - start));
  }
  return best;
}

/// The sum of what all threads reach at the same time; `amount` and `work(thread)` are of one trial of one thread.
double total_rate(const PeakRequest& request, double amount, const std::function<void(int)>& work) {
  std::vector<double> rates(static_cast<std::size_t>(request.threads), 0.0);
  const auto one = [&](int t) {
    rates[static_cast<std::size_t>(t)] = best_rate(request.seconds, amount, [&] { work(t); });
  };
  std::vector<std::thread> others;
  for (int t = 1; t < request.threads; ++t) others.emplace_back(one, t);
  one(0);
  for (std::thread& thread : others) thread.join();
  return std::accumulate(rates.begin(), rates.end(), 0.0);
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
  const double bytes = 8.0 * static_cast<double>(buffers.words);
  peaks.copy_bytes_per_s = total_rate(request, 2.0 * bytes, [&](int t) {
    const auto at = static_cast<std::size_t>(t);
    std::memcpy(buffers.to[at].get(), buffers.from[at].get(), static_cast<std::size_t>(8 * buffers.words));
    keep(buffers.to[at][0]);
  });
  peaks.read_bytes_per_s = total_rate(
      request, bytes, [&](int t) { keep(sum_of(buffers.to[static_cast<std::size_t>(t)].get(), buffers.words)); });
  peaks.fill_bytes_per_s = total_rate(request, bytes, [&](int t) {
    const auto at = static_cast<std::size_t>(t);
    std::memset(buffers.to[at].get(), t + 1, static_cast<std::size_t>(8 * buffers.words));
    keep(buffers.to[at][0]);
  });
}

void measure_arithmetic(const PeakRequest& request, Peaks& peaks) {
  const auto kernels = arithmetic_kernels();
  const ArithmeticKernel& kernel =
      *std::find_if(kernels.begin(), kernels.end(), [](const auto& k) { return k.supported(); });
  const double rounds = kRounds;
  peaks.f32_flops_per_s =
      total_rate(request, rounds * kernel.f32_flops_per_round, [&](int) { keep(kernel.f32(kRounds)); });
  peaks.f64_flops_per_s =
      total_rate(request, rounds * kernel.f64_flops_per_round, [&](int) { keep(kernel.f64(kRounds)); });
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
