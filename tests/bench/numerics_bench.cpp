#include <time.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "numerics/comparator.h"
#include "numerics/float_formats.h"
#include "numerics/generator.h"

/// Prints gigabytes of tensor per second and core: generating, comparing, and both together (goal: 1 for float32).
/// One mebibyte of float32, as a call of a kernel has it: truth and tensor then lie in the last cache.
namespace {

using namespace assay;

constexpr std::int64_t kElements = std::int64_t{1} << 18;

/// Of this thread, so that a busy machine doesn't blur the figures.
double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <class F>
double seconds(F&& work) {
  work();
  double best = 1e9;
  for (int repeat = 0; repeat < 25; ++repeat) {
    const double start = processor_seconds();
    work();
    best = std::min(best, processor_seconds() - start);
  }
  return best;
}

void row(const char* name, DType dtype, ValueKind kind) {
  const std::vector<std::int64_t> shape{2048, kElements / 2048}, strides{kElements / 2048, 1};
  std::vector<std::byte> data(static_cast<std::size_t>(kElements * info(dtype).bytes));
  const TensorView view{dtype, shape, strides, kElements, true, data.data()};
  ConcreteValues values;
  values.spec.kind = kind;
  values.spec.low = -1.0;
  const Generator generator(Seed{});
  const double generate = seconds([&] { generator.fill(view, {}, values, "x"); });
  RealTruth truth{std::vector<double>(kElements), std::vector<double>(kElements, 1.0), 64.0};
  for (std::int64_t i = 0; i < kElements; ++i) {
    truth.value[static_cast<std::size_t>(i)] =
        load_element(dtype, data.data() + i * info(dtype).bytes) * (1 + 1e-7 * (i % 5));
  }
  const Truth any = std::move(truth);
  CompareOptions options;
  options.poison = PoisonSpec{};
  const double check = seconds([&] { compare(view, any, options); });
  const double gigabytes = static_cast<double>(data.size()) / 1e9;
  std::printf("%-20s generate %6.2f   compare %6.2f   both %6.2f GB/s\n", name, gigabytes / generate, gigabytes / check,
              gigabytes / (generate + check));
}

}  // namespace

int main() {
  row("float32 uniform", DType::f32, ValueKind::uniform);
  row("float32 normal", DType::f32, ValueKind::normal);
  row("float64 normal", DType::f64, ValueKind::normal);
  row("float16 normal", DType::f16, ValueKind::normal);
  row("bfloat16 normal", DType::bf16, ValueKind::normal);
  return 0;
}
