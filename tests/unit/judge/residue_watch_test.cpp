#include "judge/residue_watch.h"

#include <gtest/gtest.h>

#include "fake_worker.h"

namespace assay {
namespace {

using Residues = std::vector<std::int64_t>;

/// Readings at equal distances with the memory given.
std::vector<Reading> memory(const Residues& bytes, std::int64_t calls_between) {
  std::vector<Reading> readings;
  for (const std::int64_t value : bytes) {
    Reading reading;
    reading.calls = static_cast<std::int64_t>(readings.size()) * calls_between;
    reading.residue.resident_bytes = value;
    readings.push_back(reading);
  }
  return readings;
}

std::vector<Reading> descriptors(const Residues& counts, std::int64_t calls_between) {
  std::vector<Reading> readings = memory(Residues(counts.size(), 0), calls_between);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    for (int fd = 0; fd < counts[i]; ++fd) readings[i].residue.descriptors[fd] = "pipe";
  }
  return readings;
}

bool leak(const std::vector<Reading>& readings) {
  const Contract contract = testing::doubling_contract();
  return !ResidueWatch(contract, {}).growth(readings).empty();
}

constexpr std::int64_t kKiB = 1 << 10;

TEST(ResidueWatch, MemoryThatGrowsWithEachCallIsALeak) {
  EXPECT_TRUE(leak(memory({0, 768 * kKiB, 1536 * kKiB, 2304 * kKiB, 3072 * kKiB}, 3)));
  EXPECT_TRUE(leak(memory({900 * kKiB, 930 * kKiB, 960 * kKiB, 990 * kKiB, 1020 * kKiB}, 1000))) << "slowly";
}

/// Readings at equal distances with the device memory given; -1: it couldn't be told.
bool device_leak(const Residues& bytes, bool told_at_start) {
  std::vector<Reading> readings = memory(Residues(bytes.size(), 0), 11);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] >= 0) readings[i].residue.device_bytes = bytes[i];
  }
  Residue start;
  if (told_at_start) start.device_bytes = 0;
  const Contract contract = testing::doubling_contract();
  return !ResidueWatch(contract, start, true).growth(readings).empty();
}

TEST(ResidueWatch, DeviceMemoryThatGrowsIsALeakWhereItCanBeTold) {
  constexpr std::int64_t kMiB = 1 << 20;
  const Residues growing{500 * kMiB, 522 * kMiB, 544 * kMiB, 566 * kMiB, 588 * kMiB};
  EXPECT_TRUE(device_leak(growing, true));
  EXPECT_FALSE(device_leak(growing, false)) << "nobody knows what it was before";
  EXPECT_FALSE(device_leak({500 * kMiB, 522 * kMiB, -1, 566 * kMiB, 588 * kMiB}, true)) << "a gap in what is known";
  EXPECT_TRUE(device_leak({500 * kMiB, 502 * kMiB, 504 * kMiB, 504 * kMiB, 506 * kMiB}, true)) << "streams";
  EXPECT_FALSE(device_leak({500 * kMiB, 520 * kMiB, 500 * kMiB, 520 * kMiB, 540 * kMiB}, true))
      << "a pool that breathes";
  EXPECT_FALSE(device_leak({500 * kMiB, 514 * kMiB, 514 * kMiB, 514 * kMiB, 514 * kMiB}, true)) << "comes to rest";
}

TEST(ResidueWatch, PinnedMemoryCountsBesideADriverAlone) {
  std::vector<Reading> readings = memory(Residues(5, 0), 3);
  for (std::size_t i = 0; i < readings.size(); ++i)
    readings[i].residue.shared_bytes = static_cast<std::int64_t>(i) << 20;
  const Contract contract = testing::doubling_contract();
  EXPECT_FALSE(ResidueWatch(contract, {}, true).growth(readings).empty());
  EXPECT_TRUE(ResidueWatch(contract, {}, false).growth(readings).empty()) << "on the CPU it may be lent memory";
}

TEST(ResidueWatch, MemoryThatComesToRestIsNone) {
  EXPECT_FALSE(leak(memory({0, 900 * kKiB, 900 * kKiB, 900 * kKiB, 900 * kKiB}, 1000)));
  EXPECT_FALSE(leak(memory({0, 600 * kKiB, 800 * kKiB, 900 * kKiB, 900 * kKiB}, 1000)));
  EXPECT_FALSE(leak(memory({0, 200 * kKiB, 100 * kKiB, 300 * kKiB, 400 * kKiB}, 1000)));
  EXPECT_FALSE(leak(memory({0, 4 * kKiB, 8 * kKiB, 12 * kKiB, 16 * kKiB}, 1000))) << "pages of a heap";
  EXPECT_FALSE(leak(memory({0, 60 * kKiB, 120 * kKiB, 180 * kKiB, 240 * kKiB}, 3))) << "a ring that fills up";
}

TEST(ResidueWatch, DescriptorsAreCountedFewOrMany) {
  EXPECT_TRUE(leak(descriptors({4, 5, 6, 7, 8}, 100)));
  EXPECT_TRUE(leak(descriptors({4, 7, 10, 13, 16}, 3)));
  EXPECT_TRUE(leak(descriptors({60, 60, 60, 60, 60}, 100))) << "all that there are";
  EXPECT_FALSE(leak(descriptors({4, 5, 5, 5, 6}, 100)));
  EXPECT_FALSE(leak(descriptors({4, 8, 8, 8, 8}, 100)));
}

int greedy(std::int64_t cpu_ns, std::int64_t wall_ns, int calls) {
  const Contract contract = testing::doubling_contract();
  ResidueWatch watch(contract, {});
  int seen = 0;
  Returned returned;
  returned.wall_ns = wall_ns;
  returned.wanted_ns = cpu_ns;
  for (int i = 0; i < calls; ++i) seen += watch.processor_time(returned).empty() ? 0 : 1;
  return seen;
}

TEST(ResidueWatch, MoreProcessorTimeThanThreadsCanSpendIsGreed) {
  EXPECT_GT(greedy(21'000'000, 20'000'000, 10), 0) << "on a busy machine";
  EXPECT_GT(greedy(3'800'000, 2'000'000, 10), 0);
  EXPECT_EQ(greedy(2'000'000, 2'000'000, 100), 0) << "one thread, all the time";
  EXPECT_EQ(greedy(2'100'000, 2'000'000, 100), 0) << "within what accounting adds";
  EXPECT_EQ(greedy(3'800'000, 2'000'000, 2), 0) << "too few";
  EXPECT_EQ(greedy(120'000, 10'000, 100), 0) << "starting and stopping";
}

TEST(ResidueWatch, MemoryBeyondTheGrantIsAFinding) {
  Contract contract = testing::doubling_contract();
  Residue now;
  now.resident_bytes = 16 << 20;
  EXPECT_TRUE(ResidueWatch(contract, {}).whole(now).empty()) << "no grant, no limit";
  contract.memory.extra = std::get<Expression>(Expression::parse("N * 1048576"));
  ResidueWatch watch(contract, {});
  watch.called({{"N", 4}});
  ASSERT_EQ(watch.whole(now).size(), 1U);
  EXPECT_EQ(watch.whole(now)[0].threat, "F8");
  watch.called({{"N", 16}});
  EXPECT_TRUE(watch.whole(now).empty());
}

TEST(Attempts, ProcessesAreFaultsFilesAndNetworkAreNotes) {
  const auto seen = attempts_seen({{"fork", 1}, {"open /etc/passwd", 2}, {"socket", 3}, {"flock", 9}}, "at load");
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen[0].severity, Severity::error);
  EXPECT_EQ(seen[0].threat, "E3");
  EXPECT_NE(seen[0].message.find("(fork, once) at load"), std::string::npos) << seen[0].message;
  EXPECT_EQ(seen[1].severity, Severity::note);
  EXPECT_EQ(seen[2].severity, Severity::note);
  EXPECT_NE(seen[2].message.find("open /etc/passwd, 2 times"), std::string::npos) << seen[2].message;
}

}  // namespace
}  // namespace assay
