#include <gtest/gtest.h>

#include "support.h"

namespace assay {
namespace {

using namespace testing_support;

TEST(CrossEntropy, AgreesWithQuadPrecisionAndAcquitsBothHonestForms) {
  for (const std::int64_t V : {1, 2, 65, 1000}) {
    for (const double spread : {1.0, 60.0, 400.0}) {
      const std::int64_t T = 5;
      const Owned x = random_tensor(DType::f32, {T, V}, 3, spread), loss(DType::f32, {T});
      const Owned target =
          tensor_of(DType::i64, {T}, {0, static_cast<double>(V - 1), static_cast<double>(V / 2), 0, 0});
      const RealTruth truth =
          Call().with("logits", x).with("target", target).out("loss", loss).real("cross_entropy", "loss");
      for (std::int64_t t = 0; t < T; ++t) {
        Quad sum = 0;
        float max = -INFINITY, total = 0;
        for (std::int64_t i = 0; i < V; ++i) {
          sum += expq(x.at(t * V + i));
          max = std::max(max, static_cast<float>(x.at(t * V + i)));
        }
        for (std::int64_t i = 0; i < V; ++i) total += std::exp(static_cast<float>(x.at(t * V + i)) - max);
        const auto at = static_cast<std::size_t>(t);
        const std::int64_t chosen = t * V + static_cast<std::int64_t>(target.at(t));
        const auto logit = static_cast<float>(x.at(chosen));
        ASSERT_LT(static_cast<double>(fabsq(truth.value[at] - (logq(sum) - Quad(x.at(chosen))))),
                  0x1p-52 * truth.scale[at] * std::sqrt(truth.n));
        const double allowed = 0x1p-24 * std::min(truth.n, 4 * std::sqrt(truth.n)) * truth.scale[at];
        EXPECT_LE(std::fabs(std::log(total) - (logit - max) - truth.value[at]), allowed);
        EXPECT_LE(std::fabs((max + std::log(total)) - logit - truth.value[at]), allowed);
      }
    }
  }
}

TEST(CrossEntropy, EdgesAndMistakes) {
  const Owned x = tensor_of(DType::f32, {2, 2}, {-INFINITY, 3, 3, -INFINITY}), loss(DType::f32, {2});
  const Owned target = tensor_of(DType::i32, {2}, {1, 1}), far = tensor_of(DType::i32, {2}, {0, 2});
  const RealTruth truth =
      Call().with("logits", x).with("target", target).out("loss", loss).real("cross_entropy", "loss");
  EXPECT_EQ(truth.value[0], 0.0);
  EXPECT_EQ(truth.value[1], INFINITY);
  EXPECT_EQ(Call().with("logits", x).with("target", far).out("loss", loss).refusal("cross_entropy"),
            "outside the domain: target[1] = 2 is no column of logits");
}

TEST(Rope, BothPairingsAgreeWithQuadPrecisionAndAcquitAnHonestKernel) {
  const std::int64_t T = 6, H = 2;
  const Owned positions = tensor_of(DType::i32, {T}, {0, 1, 2, 777, 4095, 131071});
  for (const std::int64_t D : {2, 6, 64, 128}) {
    for (const bool interleaved : {false, true}) {
      const Owned x = random_tensor(DType::f32, {T, H, D}), y(DType::f32, {T, H, D});
      const RealTruth truth = Call()
                                  .with("x", x)
                                  .with("positions", positions)
                                  .out("y", y)
                                  .scalar("interleaved", interleaved)
                                  .real("rope", "y");
      for (std::int64_t v = 0; v < T * H; ++v) {
        const double position = positions.at(v / H);
        for (std::int64_t i = 0; i < D / 2; ++i) {
          const std::int64_t a = v * D + (interleaved ? 2 * i : i), b = a + (interleaved ? 1 : D / 2);
          const Quad angle = position * powq(10000, Quad(-2 * i) / D);
          const float turn =
              static_cast<float>(position) * std::pow(10000.0f, static_cast<float>(-2 * i) / static_cast<float>(D));
          const auto first = static_cast<float>(x.at(a)), second = static_cast<float>(x.at(b));
          const Quad want_a = x.at(a) * cosq(angle) - x.at(b) * sinq(angle);
          const Quad want_b = x.at(b) * cosq(angle) + x.at(a) * sinq(angle);
          const double got_a = first * std::cos(turn) - second * std::sin(turn);
          const double got_b = second * std::cos(turn) + first * std::sin(turn);
          const auto at = static_cast<std::size_t>(a), bt = static_cast<std::size_t>(b);
          ASSERT_LT(static_cast<double>(fabsq(truth.value[at] - want_a)), 0x1p-53 * 1.5 * truth.scale[at]);
          ASSERT_LT(static_cast<double>(fabsq(truth.value[bt] - want_b)), 0x1p-53 * 1.5 * truth.scale[bt]);
          ASSERT_LE(std::fabs(got_a - truth.value[at]), 0x1p-24 * truth.n * truth.scale[at]) << v << " " << i;
          ASSERT_LE(std::fabs(got_b - truth.value[bt]), 0x1p-24 * truth.n * truth.scale[bt]) << v << " " << i;
        }
      }
    }
  }
}

TEST(Rope, SaysWhatDoesNotFit) {
  const Owned x(DType::f32, {2, 3}), y(DType::f32, {2, 3}), positions(DType::i32, {2});
  EXPECT_NE(Call().with("x", x).with("positions", positions).out("y", y).refusal("rope").find("an even last one"),
            std::string::npos);
}

/// The definition with weights as [in, out].
template <class Real>
Real mlp(const Owned& x, const Owned& gate, const Owned& up, const Owned& down, std::int64_t r, std::int64_t c,
         Real (*exponential)(Real)) {
  const std::int64_t in = gate.shape[0], middle = gate.shape[1], out = down.shape[1];
  Real sum = 0;
  for (std::int64_t m = 0; m < middle; ++m) {
    Real g = 0, u = 0;
    for (std::int64_t i = 0; i < in; ++i) {
      g += static_cast<Real>(x.at(r * in + i)) * static_cast<Real>(gate.at(i * middle + m));
      u += static_cast<Real>(x.at(r * in + i)) * static_cast<Real>(up.at(i * middle + m));
    }
    sum += g / (1 + exponential(-g)) * u * static_cast<Real>(down.at(m * out + c));
  }
  return sum;
}

Owned flipped(const Owned& x) {
  Owned y(x.dtype, {x.shape[1], x.shape[0]});
  for (std::int64_t i = 0; i < x.elements; ++i) y.set(i % x.shape[1] * x.shape[0] + i / x.shape[1], x.at(i));
  return y;
}

TEST(FusedMlp, AgreesWithQuadPrecisionAndAcquitsAnHonestKernel) {
  for (const auto& [rows, in, middle, out] :
       std::vector<std::array<std::int64_t, 4>>{{1, 1, 1, 1}, {3, 5, 7, 2}, {2, 64, 96, 8}, {2, 4, 0, 3}}) {
    for (const DType dtype : {DType::f32, DType::f64}) {
      const Owned x = random_tensor(dtype, {rows, in}, 1), gate = random_tensor(dtype, {in, middle}, 2),
                  up = random_tensor(dtype, {in, middle}, 3), down = random_tensor(dtype, {middle, out}, 4),
                  y(dtype, {rows, out});
      const RealTruth truth = Call()
                                  .with("x", x)
                                  .with("w_gate", gate)
                                  .with("w_up", up)
                                  .with("w_down", down)
                                  .out("y", y)
                                  .real("fused_mlp", "y");
      const Owned gate_t = flipped(gate), up_t = flipped(up), down_t = flipped(down);
      Call other;
      other.with("x", x).with("w_gate", gate_t).with("w_up", up_t).with("w_down", down_t).out("y", y);
      EXPECT_EQ(other.scalar("trans_w", 1).real("fused_mlp", "y").value, truth.value);
      for (std::int64_t i = 0; i < rows * out; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const Quad want = mlp<Quad>(x, gate, up, down, i / out, i % out, [](Quad v) { return expq(v); });
        const float honest = mlp<float>(x, gate, up, down, i / out, i % out, [](float v) { return std::exp(v); });
        ASSERT_LE(static_cast<double>(fabsq(truth.value[at] - want)),
                  (dtype == DType::f64 ? 0x1p-53 : 0x1p-47) * truth.scale[at]);
        ASSERT_LE(std::fabs(honest - truth.value[at]), 0x1p-24 * 4 * std::sqrt(truth.n) * truth.scale[at]);
      }
    }
  }
}

TEST(FusedMlp, SaysWhatDoesNotFit) {
  const Owned x(DType::f32, {2, 3}), w(DType::f32, {3, 4}), down(DType::f32, {3, 3}), y(DType::f32, {2, 3});
  EXPECT_NE(Call()
                .with("x", x)
                .with("w_gate", w)
                .with("w_up", w)
                .with("w_down", down)
                .out("y", y)
                .refusal("fused_mlp")
                .find("do not give y [2, 3]"),
            std::string::npos);
}

}  // namespace
}  // namespace assay
