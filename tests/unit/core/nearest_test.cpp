#include "core/nearest.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>

namespace assay {
namespace {

constexpr std::array<std::string_view, 4> kWords{"audit", "replay", "checks", "oracles"};

TEST(Nearest, CountsEditsAndSwapsOfNeighbours) {
  EXPECT_EQ(edit_distance("audit", "audit"), 0u);
  EXPECT_EQ(edit_distance("AUDIT", "audit"), 0u);
  EXPECT_EQ(edit_distance("adit", "audit"), 1u);
  EXPECT_EQ(edit_distance("audti", "audit"), 1u);
  EXPECT_EQ(edit_distance("", "audit"), 5u);
}

TEST(Nearest, IsSymmetric) {
  EXPECT_TRUE(rc::check(
      [](const std::string& a, const std::string& b) { RC_ASSERT(edit_distance(a, b) == edit_distance(b, a)); }));
}

TEST(Nearest, SuggestsOnlyWhatIsClose) {
  EXPECT_EQ(near_words("adit", kWords), std::vector<std::string>{"audit"});
  EXPECT_TRUE(near_words("frobnicate", kWords).empty());
  EXPECT_EQ(did_you_mean("chekcs", kWords), "; did you mean 'checks'?");
  EXPECT_EQ(did_you_mean("", kWords), "");
}

}  // namespace
}  // namespace assay
