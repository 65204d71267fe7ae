#include "judge/layout.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "judge/address_space.h"

namespace assay {
namespace {

RC_GTEST_PROP(Layout, TensorLiesInsideAtThePromisedAlignment, ()) {
  const auto bytes = *rc::gen::inRange<std::uint64_t>(0, 100000);
  const std::uint64_t align = 1ULL << *rc::gen::inRange(0, 14);
  const Flush flush{*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>()};
  const Layout layout = lay_out(bytes, align, flush);
  RC_ASSERT(layout.pages_bytes % kPage == 0u);
  RC_ASSERT(layout.pages_bytes > 0u);
  RC_ASSERT(layout.offset % align == 0u);
  RC_ASSERT(layout.offset + bytes <= layout.pages_bytes);
  const std::uint64_t behind = layout.pages_bytes - layout.offset - bytes;
  if (flush.at_end) RC_ASSERT(behind < 2 * align + (bytes == 0 ? kPage : 0));
  if (!flush.at_end) RC_ASSERT(layout.offset == (flush.odd ? align : 0));
}

RC_GTEST_PROP(Layout, OddMeansAlignedToNoMoreThanPromised, ()) {
  const auto bytes = *rc::gen::inRange<std::uint64_t>(1, 100000);
  const std::uint64_t align = 1ULL << *rc::gen::inRange(0, 12);
  const Layout layout = lay_out(bytes, align, {*rc::gen::arbitrary<bool>(), true});
  RC_ASSERT(layout.offset % (2 * align) == align);
}

TEST(AddressSpace, KeepsAGapAndRecycles) {
  AddressSpace space(1ULL << 40, 1ULL << 30, 7);
  const Range a = space.allocate(5000, 16);
  const Range b = space.allocate(5000, 16);
  EXPECT_EQ(a.bytes, 8192u);
  EXPECT_GE(b.address, a.address + a.bytes + kPage);
  space.release(a);
  EXPECT_EQ(space.allocate(8192, 16).address, a.address);
}

TEST(AddressSpace, SaysWhenItIsUsedUp) {
  AddressSpace space(1ULL << 40, 1ULL << 20, 7);
  EXPECT_ANY_THROW(space.allocate(1ULL << 21, 16));
}

}  // namespace
}  // namespace assay
