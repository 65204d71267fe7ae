#pragma once
// Twelve ways to compute sums of products, honest and not, and which legs of the acceptance stack convict them.
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "numerics/comparator.h"
#include "numerics/float_formats.h"
#include "numerics/philox.h"
#include "verdict/exactness.h"
#include "verdict/tolerance.h"
#include "verdict/traces.h"

namespace assay::downgrades {

enum class Data { normal, small_normal, uniform };
inline constexpr std::array<std::pair<Data, const char*>, 3> kData{
    {{Data::normal, "N(0,1)"}, {Data::small_normal, "N(0,0.02)"}, {Data::uniform, "U(0,1)"}}};

using Terms = std::vector<float>;
/// `output`: which element of the result is computed.
using Kernel = float (*)(const Terms& x, const Terms& y, std::size_t output);

inline double to_bits(double value, int bits) {
  int exponent = 0;
  const double part = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(part, bits)), exponent - bits);
}
inline float narrowed(float value, int bits) {
  return value == 0.0f ? value : static_cast<float>(to_bits(value, bits));
}

inline float sequential(const Terms& x, const Terms& y, std::size_t) {
  float sum = 0.0f;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}
inline float blocked(const Terms& x, const Terms& y, std::size_t) {
  std::array<float, 16> sums{};
  for (std::size_t i = 0; i < x.size(); ++i) sums[i % 16] += x[i] * y[i];
  float sum = 0.0f;
  for (const float each : sums) sum += each;
  return sum;
}
inline float pairwise_part(const float* x, const float* y, std::size_t n) {
  if (n == 1) return x[0] * y[0];
  return pairwise_part(x, y, n / 2) + pairwise_part(x + n / 2, y + n / 2, n - n / 2);
}
inline float pairwise(const Terms& x, const Terms& y, std::size_t) {
  return pairwise_part(x.data(), y.data(), x.size());
}
inline float kahan(const Terms& x, const Terms& y, std::size_t) {
  float sum = 0.0f, lost = 0.0f;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float term = x[i] * y[i] - lost, next = sum + term;
    lost = (next - sum) - term;
    sum = next;
  }
  return sum;
}
inline float three_tf32(const Terms& x, const Terms& y, std::size_t) {
  float large = 0.0f, small = 0.0f;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float x1 = narrowed(x[i], 11), y1 = narrowed(y[i], 11);
    small += x1 * narrowed(y[i] - y1, 11) + narrowed(x[i] - x1, 11) * y1;
    large += x1 * y1;
  }
  return large + small;
}
template <int kBits>
float narrow_inputs(const Terms& x, const Terms& y, std::size_t) {
  float sum = 0.0f;
  for (std::size_t i = 0; i < x.size(); ++i) sum += narrowed(x[i], kBits) * narrowed(y[i], kBits);
  return sum;
}
inline float half_inputs(const Terms& x, const Terms& y, std::size_t) {
  float sum = 0.0f;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += static_cast<float>(round_to(DType::f16, x[i])) * static_cast<float>(round_to(DType::f16, y[i]));
  }
  return sum;
}
inline float half_sums(const Terms& x, const Terms& y, std::size_t) {
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) sum = round_to(DType::f16, sum + static_cast<double>(x[i]) * y[i]);
  return static_cast<float>(sum);
}
inline float narrow_output(const Terms& x, const Terms& y, std::size_t output) {
  return narrowed(blocked(x, y, output), 8);
}
inline float skips(const Terms& x, const Terms& y, std::size_t output) {
  const std::size_t kept = x.size() - std::max<std::size_t>(1, x.size() / 100);
  return blocked({x.begin(), x.begin() + static_cast<std::ptrdiff_t>(kept)},
                 {y.begin(), y.begin() + static_cast<std::ptrdiff_t>(kept)}, output);
}

inline constexpr std::size_t kRows = 2, kColumns = 512, kOutputs = kRows * kColumns;

inline float bad_tile(const Terms& x, const Terms& y, std::size_t output) {
  const bool inside = output % kColumns / 64 == 3;
  return inside ? narrow_inputs<11>(x, y, output) : blocked(x, y, output);
}
/// A product by a table of logarithms with twelve bits: what a fast function does to every term.
inline float fast_function(const Terms& x, const Terms& y, std::size_t) {
  float sum = 0.0f;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float product = x[i] * y[i];
    if (product == 0.0f) continue;
    const float power = narrowed(std::log2(std::fabs(product)), 12);
    sum += std::copysign(std::exp2(power), product);
  }
  return sum;
}

struct Row {
  const char* name;
  Kernel kernel;
  bool honest;
};
inline constexpr std::array<Row, 13> kRowsOfTable{{{"fp32 sequential", sequential, true},
                                                   {"fp32 blocked", blocked, true},
                                                   {"fp32 pairwise", pairwise, true},
                                                   {"Kahan", kahan, true},
                                                   {"3xTF32", three_tf32, true},
                                                   {"tf32 inputs", narrow_inputs<11>, false},
                                                   {"fp16 inputs", half_inputs, false},
                                                   {"bf16 inputs", narrow_inputs<8>, false},
                                                   {"fp16 accumulation", half_sums, false},
                                                   {"bf16 output", narrow_output, false},
                                                   {"skips 1 % of K", skips, false},
                                                   {"fast function", fast_function, false},
                                                   {"one tf32 tile", bad_tile, false}}};

/// What the legs say of one kernel on one kind of data.
struct Convictions {
  bool exact = false, bound = false, calibrated = false, traces = false, distribution = false;
  double max_rho = 0.0, rms_rho = 0.0, limit = 0.0;
  /// Leg D never convicts alone.
  bool any() const { return exact || bound || traces || distribution; }
};

class Bench {
 public:
  Bench(std::size_t n, Data data) : n_(n), data_(data) {
    contract_.tensors.push_back(
        {.name = "x", .role = Role::in, .dtype = DType::f32, .shape = {}, .strides = {}, .values = {}, .range = {}});
    draw();
  }

  std::vector<Convictions> examine() {
    std::vector<Convictions> all;
    const ErrorProfile calm = profile_of(outputs_of(blocked));
    for (const Row& row : kRowsOfTable) {
      Convictions c;
      const Terms& y = outputs_of(row.kernel);
      const ErrorProfile profile = profile_of(y);
      const Tolerance t = tolerance();
      c.limit = t.limit;
      c.max_rho = profile.scaled.max;
      c.rms_rho = profile.scaled.rms;
      c.bound = std::holds_alternative<Beyond>(judge_profile(t, profile));
      c.calibrated = std::holds_alternative<Worse>(calibrate(t, profile, calm));
      c.distribution = judge_distribution(t, profile).has_value();
      c.traces = traces(y);
      c.exact = exact(row.kernel);
      all.push_back(c);
    }
    return all;
  }

 private:
  struct Draw {
    Terms x, y;
  };

  /// The same terms for the same output, drawn again instead of kept: long sums have hundreds of megabytes of them.
  Draw terms(std::size_t output) const {
    StreamReader random(derive_key(Seed{}, output + 1, "downgrades"));
    Draw drawn{Terms(n_), Terms(n_)};
    for (Terms* each : {&drawn.x, &drawn.y}) {
      for (float& value : *each) value = one(random);
    }
    return drawn;
  }
  float one(StreamReader& random) const {
    const auto unit = [&] { return (static_cast<double>(random.next()) + 0.5) * 0x1p-32; };
    if (data_ == Data::uniform) return static_cast<float>(unit());
    double sum = 0.0;
    for (int i = 0; i < 4; ++i) sum += unit() - 0.5;
    return static_cast<float>(sum * std::sqrt(3.0) * (data_ == Data::normal ? 1.0 : 0.02));
  }

  static double sum_of(const Terms& x, const Terms& y) {
    long double sum = 0.0L;  // a product of floats is exact in it
    for (std::size_t i = 0; i < x.size(); ++i) sum += static_cast<long double>(x[i]) * y[i];
    return static_cast<double>(sum);
  }

  void draw() {
    truth_ = blank();
    altered_.assign(narrow_formats().size() > 2 ? 3 : 0, blank());
    for (auto& each : results_) each.assign(kOutputs, 0.0f);
    for (std::size_t output = 0; output < kOutputs; ++output) {
      const Draw drawn = terms(output);
      truth_.value[output] = sum_of(drawn.x, drawn.y);
      for (std::size_t i = 0; i < n_; ++i)
        truth_.scale[output] += std::fabs(static_cast<double>(drawn.x[i]) * drawn.y[i]);
      for (std::size_t f = 0; f < altered_.size(); ++f) alter(f, output, drawn);
      for (std::size_t k = 0; k < kRowsOfTable.size(); ++k) {
        results_[k][output] = kRowsOfTable[k].kernel(drawn.x, drawn.y, output);
      }
    }
  }
  void alter(std::size_t format, std::size_t output, Draw drawn) {
    for (float& value : drawn.x) value = narrowed(value, narrow_formats()[format].bits);
    altered_[format].value[output] = sum_of(drawn.x, drawn.y);
  }
  RealTruth blank() const {
    RealTruth truth;
    truth.value.assign(kOutputs, 0.0);
    truth.scale.assign(kOutputs, 0.0);
    truth.n = static_cast<double>(n_);
    truth.matrix_unit = true;
    return truth;
  }

  const Terms& outputs_of(Kernel kernel) const {
    std::size_t k = 0;
    while (kRowsOfTable[k].kernel != kernel) ++k;
    return results_[k];
  }
  ConstTensorView view(const Terms& y) const {
    return {DType::f32, shape_,
            strides_,   static_cast<std::int64_t>(kOutputs),
            true,       reinterpret_cast<const std::byte*>(y.data())};
  }
  Tolerance tolerance() const {
    const Tensor y{
        .name = "y", .role = Role::out, .dtype = DType::f32, .shape = {}, .strides = {}, .values = {}, .range = {}};
    return tolerance_for(contract_, y, truth_, static_cast<std::int64_t>(kOutputs));
  }
  ErrorProfile profile_of(const Terms& y) const { return compare_under(tolerance(), view(y), truth_, std::nullopt); }

  bool traces(const Terms& y) const {
    if (narrow_outputs(view(y), truth_, 24)) return true;
    for (std::size_t f = 0; f < altered_.size(); ++f) {
      if (narrow_formats()[f].toward_zero) continue;
      if (likeness(view(y), truth_, altered_[f]).convicts()) return true;
    }
    return false;
  }

  /// As mutators/exact.cpp plans them: small integers, positive ones, and one number a row.
  bool exact(Kernel kernel) const {
    for (int kind = 0; kind < 3; ++kind) {
      RealTruth truth = blank();
      Terms results(kOutputs);
      for (std::size_t output = 0; output < kOutputs; ++output) {
        const Draw drawn = few_bits(kind, output);
        truth.value[output] = sum_of(drawn.x, drawn.y);
        for (std::size_t i = 0; i < n_; ++i)
          truth.scale[output] += std::fabs(static_cast<double>(drawn.x[i]) * drawn.y[i]);
        results[output] = kernel(drawn.x, drawn.y, output);
      }
      if (judge_exactness(view(results), truth, kind == 2 ? 19 : 0, 24)) return true;
    }
    return false;
  }
  Draw few_bits(int kind, std::size_t output) const {
    StreamReader random(derive_key(Seed{}, output + 1, "few bits"));
    Draw drawn{Terms(n_), Terms(n_)};
    for (std::size_t i = 0; i < n_; ++i) {
      drawn.x[i] = kind == 2 ? 0.0f : static_cast<float>(random.below(3)) + (kind == 0 ? -1.0f : 1.0f);
      drawn.y[i] = kind == 1 ? static_cast<float>(1 + random.below(3)) : static_cast<float>(random.below(3)) - 1.0f;
    }
    if (kind == 2) drawn.x[random.below(n_)] = 1.0f + static_cast<float>(random.below(1u << 19)) * 0x1p-19f;
    return drawn;
  }

  std::size_t n_;
  Data data_;
  Contract contract_;
  std::array<std::int64_t, 2> shape_{kRows, kColumns}, strides_{kColumns, 1};
  RealTruth truth_;
  std::vector<RealTruth> altered_;
  std::array<Terms, kRowsOfTable.size()> results_;
};

}  // namespace assay::downgrades
