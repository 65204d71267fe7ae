#include "reports/text.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

namespace assay::reports {
namespace {

TEST(Text, KeepsValidUtf8AndReplacesEveryBadByte) {
  EXPECT_EQ(valid_utf8("a µ € 😀"), "a µ € 😀");
  EXPECT_EQ(valid_utf8("\xff"), "\xEF\xBF\xBD");
  EXPECT_EQ(valid_utf8("\xc3\x28"), "\xEF\xBF\xBD(");                             // cut short
  EXPECT_EQ(valid_utf8("\xc0\xaf"), "\xEF\xBF\xBD\xEF\xBF\xBD");                  // overlong '/'
  EXPECT_EQ(valid_utf8("\xed\xa0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // surrogate
  EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80").size(), 12u);                          // beyond U+10FFFF
  EXPECT_EQ(valid_utf8("\xe2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD");                  // ends too early
}

TEST(Text, PrintableLetsNoCommandThrough) {
  EXPECT_EQ(printable("a\x1b[2Jb\n\t\r"), "a\\x1b[2Jb\\n\\t\\r");
  EXPECT_EQ(printable("\xc2\x9b"), "\\x9b");
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\u202e");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    const std::string safe = printable(bytes);
    for (char32_t point : decode(safe)) RC_ASSERT(!is_command(point));
    RC_ASSERT(printable(safe) == safe);
    RC_ASSERT(valid_utf8(safe) == safe);
  }));
}

TEST(Text, WrapsAtSpacesAndCutsLongWords) {
  EXPECT_EQ(wrapped("one two three", 8), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrapped("abcdef", 4), (std::vector<std::string>{"abcd", "ef"}));
  EXPECT_EQ(wrapped("", 4), std::vector<std::string>{""});
  EXPECT_EQ(wrapped("µµµµ µ", 4), (std::vector<std::string>{"µµµµ", "µ"}));
  EXPECT_TRUE(rc::check([](const std::string& text) {
    const auto width = *rc::gen::inRange<std::size_t>(1, 20);
    for (const std::string& line : wrapped(text, width)) RC_ASSERT(shown_width(line) <= width);
  }));
}

TEST(Text, XmlHoldsNoMarkup) {
  EXPECT_EQ(xml_text("<a b='c'>&\""), "&lt;a b=&apos;c&apos;&gt;&amp;&quot;");
  EXPECT_EQ(xml_text("\xEF\xBF\xBF"), "\xEF\xBF\xBD");  // U+FFFF is no XML character
}

TEST(Text, ShortestReadsBackTheSame) {
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(5e-324), "5e-324");
  EXPECT_EQ(shortest(-0.0), "-0");
  EXPECT_EQ(shortest(std::nan("")), "NaN");
  EXPECT_EQ(shortest(-std::numeric_limits<double>::infinity()), "-Infinity");
  EXPECT_TRUE(rc::check([](double value) { RC_ASSERT(std::stod(shortest(value)) == value); }));
}

TEST(Text, DurationsHaveAUnitThatFits) {
  EXPECT_EQ(duration(12.5e-6), "12.5 µs");
  EXPECT_EQ(duration(1.25), "1.25 s");
  EXPECT_EQ(duration(0.0), "0 s");
}

}  // namespace
}  // namespace assay::reports
