#include "cli/options.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace assay::cli {
namespace {

TEST(SplitSubject, TakesAnIdentifierAfterTheLastColonAsSymbol) {
  EXPECT_EQ(split_subject("lib.so"), (SubjectArg{"lib.so", ""}));
  EXPECT_EQ(split_subject("lib.so:f"), (SubjectArg{"lib.so", "f"}));
  EXPECT_EQ(split_subject("a:b/lib.so:_Z1fv"), (SubjectArg{"a:b/lib.so", "_Z1fv"}));
}

TEST(SplitSubject, LeavesOtherColonsToThePath) {
  EXPECT_EQ(split_subject("a:b/lib.so"), (SubjectArg{"a:b/lib.so", ""}));
  EXPECT_EQ(split_subject("lib.so:"), (SubjectArg{"lib.so:", ""}));
  EXPECT_EQ(split_subject("lib.so:1"), (SubjectArg{"lib.so:1", ""}));
  EXPECT_EQ(split_subject("lib.so:a.b"), (SubjectArg{"lib.so:a.b", ""}));
  EXPECT_EQ(split_subject(""), (SubjectArg{"", ""}));
}

TEST(SplitSubject, LosesNothing) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    const SubjectArg arg = split_subject(text);
    RC_ASSERT((arg.symbol.empty() ? arg.path : arg.path + ":" + arg.symbol) == text);
  }));
}

}  // namespace
}  // namespace assay::cli
