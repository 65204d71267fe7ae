#include "numerics/philox.h"

#include <gtest/gtest.h>

#include <vector>

namespace assay {
namespace {

// Known answers published with the generator (Random123, kat_vectors, philox4x32-10).
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t f = 0xffffffff;
  EXPECT_EQ(philox({f, f, f, f}, {f, f}), (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, LanesGiveTheSameWordsAsOneByOne) {
  const StreamKey key{{0x12345678, 0x9abcdef0}, {7, 9}};
  for (const std::uint64_t group : {0ull, 5ull, (1ull << 28) - 1, 1ull << 28, 1ull << 40}) {
    std::vector<std::uint32_t> words(3 * kGroupWords);
    stream_words(key, group, words);
    for (std::size_t i = 0; i < words.size(); ++i) {
      ASSERT_EQ(words[i], stream_word(key, group * kGroupWords + i)) << group << " " << i;
    }
  }
}

TEST(Philox, KeysDifferInEveryPart) {
  Seed a, b;
  b.bytes[31] = 1;
  const StreamKey key = derive_key(a, 1, "x");
  EXPECT_EQ(key, derive_key(a, 1, "x"));
  EXPECT_NE(key, derive_key(b, 1, "x"));
  EXPECT_NE(key, derive_key(a, 2, "x"));
  EXPECT_NE(key, derive_key(a, 1, "y"));
  EXPECT_NE(derive_key(key, 1, "x"), key);
}

// Replays depend on how keys are derived, so it is pinned.
TEST(Philox, KeyIsTheStartOfTheDigest) {
  const StreamKey key = derive_key(Seed{}, 0, "");
  // SHA-256 of 40 zero bytes starts with this (computed with coreutils: head -c40 /dev/zero | sha256sum).
  EXPECT_EQ(key.key[0], 0x1dce342cu);
  EXPECT_EQ(key.key[1], 0x8c833bf2u);
}

TEST(Philox, ReaderIsUniformBelowABound) {
  StreamReader reader(derive_key(Seed{}, 3, "reader"));
  std::vector<int> counts(10, 0);
  for (int i = 0; i < 100000; ++i) ++counts[reader.below(10)];
  for (const int c : counts) EXPECT_NEAR(c, 10000, 500);
}

}  // namespace
}  // namespace assay
