#include "protocol/decode.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace assay::protocol {
namespace {

template <class Record>
std::vector<std::byte> bytes_of(const Record& record) {
  const auto bytes = std::as_bytes(std::span(&record, 1));
  return {bytes.begin(), bytes.end()};
}

std::string refusal(std::vector<std::byte> bytes, std::uint64_t sequence = 7) {
  const auto decoded = decode<Returned>(bytes, sequence);
  const auto* violation = std::get_if<Violation>(&decoded);
  return violation ? violation->what : "";
}

TEST(Decode, TakesWhatWasMade) {
  auto record = make<Returned>(7);
  record.values[0] = 42;
  const auto decoded = decode<Returned>(bytes_of(record), 7);
  ASSERT_TRUE(std::holds_alternative<Returned>(decoded));
  EXPECT_EQ(std::get<Returned>(decoded).values[0], 42U);
}

TEST(Decode, SaysWhatIsWrong) {
  const auto good = make<Returned>(7);
  auto magic = good;
  magic.header.magic ^= 1;
  EXPECT_EQ(refusal(bytes_of(magic)), "awaited a record 'returned', got bytes that are no record");
  auto version = good;
  version.header.version = 9;
  EXPECT_EQ(refusal(bytes_of(version)), "awaited a record 'returned', got version 9");
  auto length = good;
  length.header.length -= 1;
  EXPECT_NE(refusal(bytes_of(length)), "");
  EXPECT_EQ(refusal(bytes_of(good), 8), "awaited a record 'returned', got number 7 instead of 8");
  EXPECT_EQ(refusal(bytes_of(make<Ready>(7))), "awaited a record 'returned', got 'ready'");
  EXPECT_EQ(refusal({}), "awaited a record 'returned', got 0 bytes");
}

TEST(Decode, RefusesOtherSizes) {
  const auto good = bytes_of(make<Returned>(7));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_NE(refusal({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)}), "") << size;
  }
  auto longer = good;
  longer.push_back(std::byte{0});
  EXPECT_NE(refusal(longer), "");
}

TEST(Decode, CountsStayInsideTheirArrays) {
  auto refused = make<Refused>();
  refused.near_count = 5;
  EXPECT_TRUE(std::holds_alternative<Violation>(decode<Refused>(bytes_of(refused), 0)));
  refused.near_count = 4;
  EXPECT_TRUE(std::holds_alternative<Refused>(decode<Refused>(bytes_of(refused), 0)));
  auto facts = make<Facts>();
  facts.row_count = 17;
  EXPECT_TRUE(std::holds_alternative<Violation>(decode<Facts>(bytes_of(facts), 0)));
  auto call = make<Call>();
  call.count = ~std::uint32_t{0};
  EXPECT_TRUE(std::holds_alternative<Violation>(decode<Call>(bytes_of(call), 0)));
  auto map = make<Map>();
  map.count = 33;
  EXPECT_TRUE(std::holds_alternative<Violation>(decode<Map>(bytes_of(map), 0)));
  auto attempts = make<AttemptCounts>();
  attempts.count = 65;
  EXPECT_TRUE(std::holds_alternative<Violation>(decode<AttemptCounts>(bytes_of(attempts), 0)));
}

TEST(Text, EndsAtZeroOrAtItsEnd) {
  std::array<char, 4> text{'a', 'b', 'c', 'd'};
  EXPECT_EQ(text_of(text), "abcd");
  put_text(text, "toolong");
  EXPECT_EQ(text_of(text), "too");
  EXPECT_EQ(printable("a\x1b[31m\xff"), "a?[31m?");
}

RC_GTEST_PROP(Decode, AnyBytesAreRefusedOrWhole, (std::vector<std::uint8_t> junk, std::uint64_t sequence)) {
  const auto bytes = std::as_bytes(std::span(junk));
  const auto decoded = decode<Refused>(bytes, sequence);
  RC_ASSERT(std::holds_alternative<Violation>(decoded));
}

RC_GTEST_PROP(Decode, OneFlippedHeaderBitIsSeen, (std::uint64_t sequence)) {
  auto bytes = bytes_of(make<Returned>(sequence));
  const auto bit = *rc::gen::inRange<std::size_t>(0, 8 * sizeof(Header));
  const std::size_t byte = bit / 8;
  RC_PRE(byte < 12 || byte >= 16);  // `reserved` carries nothing
  bytes[byte] ^= static_cast<std::byte>(1U << (bit % 8));
  RC_ASSERT(std::holds_alternative<Violation>(decode<Returned>(bytes, sequence)));
}

}  // namespace
}  // namespace assay::protocol
