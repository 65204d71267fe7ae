#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "support.h"

namespace assay {
namespace {

using namespace testing_support;

struct Knobs {
  std::int64_t stride = 1, padding = 0, dilation = 1, groups = 1;
  std::int64_t out(std::int64_t in, std::int64_t kernel) const {
    const std::int64_t reach = in + 2 * padding - dilation * (kernel - 1) - 1;
    return reach < 0 ? 0 : reach / stride + 1;
  }
};

/// The definition, by scattering each element of x to the outputs that it meets.
std::vector<Quad> scatter(const Owned& x, const Owned& w, const Owned& bias, const Owned& y, const Knobs& k) {
  const std::int64_t batch = x.shape[0], in = x.shape[1], height = x.shape[2], width = x.shape[3], out = y.shape[1];
  std::vector<Quad> sums;
  for (std::int64_t i = 0; i < y.elements; ++i) sums.push_back(bias.at(i / (y.shape[2] * y.shape[3]) % out));
  for (std::int64_t i = 0; i < w.elements; ++i) {
    const std::int64_t column = i % w.shape[3], row = i / w.shape[3] % w.shape[2],
                       c = i / (w.shape[3] * w.shape[2]) % w.shape[1], o = i / (w.shape[3] * w.shape[2] * w.shape[1]);
    const std::int64_t channel = o / (out / k.groups) * (in / k.groups) + c;
    for (std::int64_t p = 0; p < batch * height * width; ++p) {
      const std::int64_t b = p / (height * width), r = p / width % height, s = p % width;
      const std::int64_t top = r + k.padding - row * k.dilation, left = s + k.padding - column * k.dilation;
      if (top < 0 || left < 0 || top % k.stride || left % k.stride) continue;
      if (top / k.stride >= y.shape[2] || left / k.stride >= y.shape[3]) continue;
      const std::int64_t to = ((b * out + o) * y.shape[2] + top / k.stride) * y.shape[3] + left / k.stride;
      sums[static_cast<std::size_t>(to)] += Quad(x.at(((b * in + channel) * height + r) * width + s)) * w.at(i);
    }
  }
  return sums;
}

TEST(Conv2d, AnyShapeAgreesWithQuadPrecision) {
  rc::check("strides, padding, dilation and groups", [] {
    const auto draw = [](int low, int high) { return *rc::gen::inRange<std::int64_t>(low, high + 1); };
    const Knobs k{draw(1, 3), draw(0, 3), draw(1, 3), draw(1, 2)};
    const std::int64_t in = k.groups * draw(1, 2), out = k.groups * draw(1, 2), kh = draw(1, 3), kw = draw(1, 3);
    const Owned x = random_tensor(DType::f64, {draw(1, 2), in, draw(1, 7), draw(1, 7)}, 1),
                w = random_tensor(DType::f64, {out, in / k.groups, kh, kw}, 2),
                bias = random_tensor(DType::f64, {out}, 3),
                y(DType::f64, {x.shape[0], out, k.out(x.shape[2], kh), k.out(x.shape[3], kw)});
    Call call;
    call.with("x", x).with("weight", w).with("bias", bias).out("y", y);
    call.scalar("stride", static_cast<double>(k.stride)).scalar("padding", static_cast<double>(k.padding));
    call.scalar("dilation", static_cast<double>(k.dilation)).scalar("groups", static_cast<double>(k.groups));
    const RealTruth truth = call.real("conv2d", "y");
    const std::vector<Quad> want = scatter(x, w, bias, y, k);
    for (std::size_t i = 0; i < want.size(); ++i)
      RC_ASSERT(static_cast<double>(fabsq(truth.value[i] - want[i])) <= 0x1p-53 * truth.scale[i]);
  });
}

TEST(Conv1d, IsConv2dOfOneRow) {
  const Owned x = random_tensor(DType::f32, {2, 3, 9}, 1), w = random_tensor(DType::f32, {4, 3, 2}, 2),
              y(DType::f32, {2, 4, 4});
  const RealTruth truth = Call().with("x", x).with("weight", w).out("y", y).scalar("stride", 2).real("conv1d", "y");
  EXPECT_EQ(truth.n, 6);
  const Owned plane = [&] {
    Owned p = x;
    p.shape = {2, 3, 1, 9}, p.strides = {27, 9, 9, 1};
    return p;
  }();
  Owned kernel = w, out(DType::f32, {2, 4, 1, 4}), none = tensor_of(DType::f32, {4}, {0, 0, 0, 0});
  kernel.shape = {4, 3, 1, 2};
  Knobs k;
  k.stride = 2;
  const std::vector<Quad> want = scatter(plane, kernel, none, out, k);
  for (std::size_t i = 0; i < want.size(); ++i)
    EXPECT_LE(static_cast<double>(fabsq(truth.value[i] - want[i])), 0x1p-53 * truth.scale[i]);
}

TEST(Conv, SaysWhatDoesNotFit) {
  const Owned x(DType::f32, {1, 2, 5}), w(DType::f32, {2, 2, 3}), y(DType::f32, {1, 2, 4});
  Call call;
  call.with("x", x).with("weight", w).out("y", y);
  EXPECT_EQ(call.refusal("conv1d"),
            "x [1, 2, 5] and weight [2, 2, 3] give 3 elements along an axis, but y is [1, 2, 4]");
  EXPECT_EQ(call.refusal("conv2d"), "x is [1, 2, 5] but needs 4 axes");
}

}  // namespace
}  // namespace assay
