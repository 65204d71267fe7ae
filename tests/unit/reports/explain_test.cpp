#include "reports/explain.h"

#include <gtest/gtest.h>

#include <set>

#include "core/error.h"

namespace assay::reports {
namespace {

TEST(Explain, EveryRowIsCompleteAndUnique) {
  std::set<std::string_view> ids;
  for (const Explanation& each : explanations()) {
    EXPECT_TRUE(ids.insert(each.id).second) << each.id;
    for (std::string_view text : {each.does, each.matters, each.fix}) {
      EXPECT_GT(text.size(), 40u) << each.id;
      EXPECT_EQ(text.back(), '.') << each.id;
    }
  }
}

TEST(Explain, CoversEveryWitness) {
  for (const char* id : {"return", "done", "written", "guards", "inputs", "classes", "error", "relation", "residue",
                         "manners", "time", "load", "attempt", "accuracy", "reference"}) {
    EXPECT_NE(explain(id, {}).find(std::string(id) + " (witness)"), std::string::npos);
  }
}

TEST(Explain, AnUnknownIdNamesTheNearestAndAll) {
  try {
    explain("gaurds", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::kUsage);
    EXPECT_NE(std::string(error.what()).find("did you mean 'guards'?"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("poison-pair"), std::string::npos);
  }
}

}  // namespace
}  // namespace assay::reports
