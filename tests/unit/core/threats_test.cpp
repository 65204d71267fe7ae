#include "core/threats.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace assay {
namespace {

TEST(Threats, AreAllThereOnceAndComplete) {
  std::set<std::string_view> ids;
  std::map<char, int> families;
  for (const Threat& threat : threats()) {
    EXPECT_TRUE(ids.insert(threat.id).second) << threat.id;
    ++families[threat.id.front()];
    EXPECT_GT(threat.mechanism.size(), 15U) << threat.id;
    EXPECT_NE(std::string("SMW").find(threat.strength), std::string::npos) << threat.id;
    EXPECT_EQ(threat.shown == Shown::calls, threat.why.empty()) << threat.id;
  }
  EXPECT_EQ(threats().size(), 107U);
  EXPECT_EQ(families,
            (std::map<char, int>{{'A', 15}, {'B', 23}, {'C', 14}, {'D', 13}, {'E', 23}, {'F', 9}, {'G', 10}}));
}

TEST(Threats, AreFoundById) {
  ASSERT_NE(find_threat("F5"), nullptr);
  EXPECT_EQ(find_threat("F5")->name, "non-reentrant statics");
  EXPECT_EQ(find_threat("F"), nullptr);
}

TEST(Threats, ListsKnowWholeWordsOnly) {
  EXPECT_TRUE(lists("A1 A4", "A4"));
  EXPECT_TRUE(lists("A14 A1", "A1"));
  EXPECT_FALSE(lists("A14 B1", "A1"));
  EXPECT_FALSE(lists("", "A1"));
}

}  // namespace
}  // namespace assay
