#include "timing/environment.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "timing/arithmetic.h"
#include "timing/caches.h"
#include "timing/peaks.h"

namespace assay::timing {
namespace {

constexpr std::string_view kStat =
    "cpu  42168 61065 13654 260919 2337 5 128 793 0 0\ncpu0 19631 27034 6123 137061 204 0 40 394 0 0\nintr 515961 0\n";

TEST(Parsers, ProcessorTicks) {
  const auto ticks = parse_processor_ticks(kStat);
  ASSERT_TRUE(ticks);
  EXPECT_EQ(ticks->user, 42168);
  EXPECT_EQ(ticks->irq, 5);
  EXPECT_EQ(ticks->steal, 793);
  EXPECT_EQ(ticks->total(), 42168 + 61065 + 13654 + 260919 + 2337 + 5 + 128 + 793);
  EXPECT_EQ(ticks->busy(), 42168 + 61065 + 13654 + 5 + 128);
  EXPECT_EQ(parse_processor_ticks("cpu 1 2 3 4\n")->idle, 4);  // kernels before 2.6 say no more
  EXPECT_FALSE(parse_processor_ticks("cpu 1 2 3\n"));
  EXPECT_FALSE(parse_processor_ticks("cpu 1 2 x 4\n"));
  EXPECT_FALSE(parse_processor_ticks("intr 1 2 3 4\n"));
  EXPECT_FALSE(parse_processor_ticks(""));
}

TEST(Parsers, Load) {
  const auto load = parse_load("12.47 5.83 2.56 17/183 25034\n");
  ASSERT_TRUE(load);
  EXPECT_EQ(load->one_minute, 12.47);
  EXPECT_EQ(load->runnable, 17);
  EXPECT_EQ(load->tasks, 183);
  EXPECT_FALSE(parse_load("12.47 5.83"));
  EXPECT_FALSE(parse_load("a b c d/e f"));
}

TEST(Parsers, ProcessesWithAwkwardNames) {
  const auto use =
      parse_process("2041 (a) b (c d)) R 7 1 1 0 -1 4194304 99 0 0 0 30 12 0 0 20 0 1 0 190841 3133440 390\n");
  ASSERT_TRUE(use);
  EXPECT_EQ(use->pid, 2041);
  EXPECT_EQ(use->parent, 7);
  EXPECT_EQ(use->name, "a) b (c d)");
  EXPECT_EQ(use->ticks, 42);
  EXPECT_EQ(use->started, 190841);
  EXPECT_FALSE(parse_process("2041 (x) R 7 1"));
  EXPECT_FALSE(parse_process("2041 x R 7 1"));
  EXPECT_FALSE(parse_process("(x) R 7 1"));
  EXPECT_FALSE(parse_process(")("));
  EXPECT_FALSE(parse_process(""));
}

TEST(Parsers, Frequencies) {
  EXPECT_EQ(parse_frequencies("processor\t: 0\ncpu MHz\t\t: 2000.186\n\nprocessor\t: 1\ncpu MHz\t\t: 1999.5\n"),
            (std::vector<double>{2000.186e6, 1999.5e6}));
  EXPECT_TRUE(parse_frequencies("processor : 0\n").empty());
  EXPECT_EQ(parse_frequencies("cpu MHz : 100").size(), 1u);
  EXPECT_EQ(parse_kilohertz("3600000\n"), 3.6e9);
  EXPECT_FALSE(parse_kilohertz("<unknown>\n"));
  EXPECT_FALSE(parse_kilohertz(""));
}

ProcessUse process(std::int64_t pid, std::int64_t parent, const std::string& name, std::int64_t ticks,
                   std::int64_t started = 1) {
  return {pid, parent, name, ticks, started};
}

EnvironmentReading reading(double at_s, std::int64_t busy, std::int64_t idle, std::int64_t steal) {
  EnvironmentReading r;
  r.at_s = at_s;
  r.ticks = ProcessorTicks{busy, 0, 0, idle, 0, 0, 0, steal};
  return r;
}

TEST(Change, TellsStrangersFromOurs) {
  EnvironmentReading before = reading(0.0, 0, 0, 0), after = reading(10.0, 900, 1000, 100);
  before.processes = {process(1, 0, "judge", 50), process(3, 0, "miner", 1000), process(4, 0, "old", 500, 1)};
  after.processes = {process(1, 0, "judge", 550),  process(2, 1, "worker", 300),  process(9, 2, "helper", 10),
                     process(3, 0, "miner", 1500), process(4, 0, "new", 100, 77), process(5, 0, "idle", 0)};
  const std::vector<std::int64_t> ours{1};
  const EnvironmentChange change = change_between(before, after, ours, 100);
  ASSERT_EQ(change.strangers.size(), 2u);
  EXPECT_EQ(change.strangers[0].name, "miner");
  EXPECT_NEAR(change.strangers[0].processors, 0.5, 1e-12);
  EXPECT_EQ(change.strangers[1].name, "new");  // the pid was used again: all its ticks are new
  EXPECT_NEAR(change.strangers_processors, 0.6, 1e-12);
  EXPECT_NEAR(change.steal_share, 0.05, 1e-12);
  EXPECT_NEAR(change.busy_share, 0.45, 1e-12);
  EXPECT_EQ(complaints(change).size(), 2u);
}

TEST(Change, WhatCameAndWentInBetweenIsSeenByTheReadingsInBetween) {
  std::vector<EnvironmentReading> readings{reading(0.0, 0, 0, 0), reading(1.0, 100, 100, 0), reading(2.0, 140, 100, 60),
                                           reading(10.0, 900, 1100, 60)};
  readings[1].processes = {process(7, 0, "build", 0)};
  readings[2].processes = {process(7, 0, "build", 80)};
  readings[2].frequencies_hz = {1.1e9};
  const EnvironmentChange ends = change_between(readings.front(), readings.back(), {}, 100);
  EXPECT_EQ(ends.strangers_processors, 0.0) << "it had ended before the last reading";
  const EnvironmentChange change = change_over(readings, {}, 100);
  EXPECT_NEAR(change.strangers_peak, 0.8, 1e-12);
  EXPECT_EQ(change.busiest_stranger, "build");
  EXPECT_NEAR(change.steal_peak, 0.6, 1e-12);
  EXPECT_EQ(change.lowest_hz, 1.1e9);
  EXPECT_EQ(complaints(change).size(), complaints(ends).size() + 1);
  EXPECT_EQ(described(change).at("other_processors_peak"), "0.8");
}

TEST(Change, QuietMachinesDrawNoComplaint) {
  EnvironmentReading before = reading(0.0, 0, 0, 0), after = reading(10.0, 900, 1100, 1);
  before.governors = after.governors = {"performance", "performance"};
  before.frequencies_hz = {2.0e9};
  after.frequencies_hz = {2.05e9};
  const EnvironmentChange change = change_between(before, after, {}, 100);
  EXPECT_TRUE(complaints(change).empty());
  EXPECT_EQ(described(change).at("governor"), "performance");
  EXPECT_EQ(described(change).at("frequency_low_hz"), "2e+09");
}

TEST(Change, MovingClocksAreSaid) {
  EnvironmentReading before = reading(0.0, 0, 0, 0), after = reading(10.0, 900, 1100, 1);
  before.governors = {"powersave"};
  before.frequencies_hz = {1.2e9};
  after.frequencies_hz = {3.4e9};
  const EnvironmentChange change = change_between(before, after, {}, 100);
  EXPECT_EQ(change.lowest_hz, 1.2e9);
  EXPECT_EQ(change.highest_hz, 3.4e9);
  EXPECT_EQ(complaints(change).size(), 2u);
  EXPECT_EQ(described(change_between(reading(0, 0, 0, 0), reading(1, 0, 0, 0), {}, 100)).at("governor"), "unknown");
}

/// A folder that looks like /, gone at the end.
class Root {
 public:
  Root() {
    char name[] = "/tmp/assay-timing-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Root() { std::filesystem::remove_all(path_); }
  void write(const std::string& file, std::string_view text) const {
    const std::filesystem::path path = path_ + "/" + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(Reader, ReadsAFolderThatLooksLikeTheRoot) {
  const Root root;
  root.write("proc/stat", kStat);
  root.write("proc/loadavg", "0.5 0.4 0.3 1/2 3\n");
  root.write("proc/77/stat", "77 (x) R 7 1 1 0 -1 4194304 99 0 0 0 30 12 0 0 20 0 1 0 190841 3133440 390\n");
  root.write("proc/78/other", "");
  root.write("proc/self/stat", "1 (self) R 7 1 1 0 -1 4194304 99 0 0 0 30 12 0 0 20 0 1 0 190841 3133440 390\n");
  root.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  root.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1800000\n");
  root.write("sys/devices/system/cpu/cpufreq/other", "");
  const EnvironmentReading reading = read_environment(root.path());
  ASSERT_TRUE(reading.ticks && reading.load);
  EXPECT_EQ(reading.load->one_minute, 0.5);
  ASSERT_EQ(reading.processes.size(), 1u);
  EXPECT_EQ(reading.processes[0].pid, 77);
  EXPECT_EQ(reading.governors, std::vector<std::string>{"powersave"});
  EXPECT_EQ(reading.frequencies_hz, std::vector<double>{1.8e9});
}

TEST(Reader, AnEmptyRootIsNoError) {
  const Root root;
  const EnvironmentReading reading = read_environment(root.path());
  EXPECT_FALSE(reading.ticks || reading.load);
  EXPECT_TRUE(reading.processes.empty() && reading.governors.empty());
  EXPECT_FALSE(read_last_level_cache(root.path()));
}

TEST(Reader, ThisMachineHasThisProcess) {
  const EnvironmentReading reading = read_environment();
  EXPECT_TRUE(reading.ticks && reading.load);
  const bool found = std::any_of(reading.processes.begin(), reading.processes.end(),
                                 [](const ProcessUse& p) { return p.pid == getpid(); });
  EXPECT_TRUE(found);
}

TEST(Caches, LastLevelByTheHighestThatHoldsData) {
  const std::vector<CacheText> texts{{"1", "Data", "32K", "0"},         {"1", "Instruction", "32K", "0"},
                                     {"2", "Unified", "1024K", "0"},    {"3", "Unified", "36608K", "0-1"},
                                     {"3", "Unified", "36608K", "0-1"}, {"3", "Unified", "36608K", "2-3"},
                                     {"4", "Instruction", "1G", "0"},   {"9", "Unified", "", "0"}};
  const auto last = last_level_of(texts);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->bytes, 36608 * 1024);
  EXPECT_EQ(last->instances, 2);
  EXPECT_FALSE(last_level_of({}));
}

TEST(Caches, SizesAsTheKernelSpellsThem) {
  EXPECT_EQ(parse_cache_size("36608K\n"), 36608 * 1024);
  EXPECT_EQ(parse_cache_size("32M"), 32 << 20);
  EXPECT_EQ(parse_cache_size("512"), 512);
  for (const char* bad : {"", "K", "-1K", "0K", "32T", "9223372036854775807G", "32KB"})
    EXPECT_FALSE(parse_cache_size(bad)) << bad;
}

TEST(Caches, ReadsAFolder) {
  const Root root;
  const std::string index = "sys/devices/system/cpu/cpu0/cache/index3/";
  root.write(index + "level", "3\n");
  root.write(index + "type", "Unified\n");
  root.write(index + "size", "8192K\n");
  root.write(index + "shared_cpu_list", "0-3\n");
  EXPECT_EQ(read_last_level_cache(root.path())->bytes, 8192 * 1024);
}

TEST(Arithmetic, KernelsReallyMultiplyAndAdd) {
  for (const ArithmeticKernel& kernel : arithmetic_kernels()) {
    if (!kernel.supported()) continue;
    // x -> 0.999999 x + 1e-6 from 0: 1 - 0.999999^n, in each of 12 chains and added up.
    EXPECT_NEAR(kernel.f64(1000000), 12 * (1.0 - std::exp(-1.0)), 1e-4) << kernel.instructions;
    EXPECT_NEAR(kernel.f32(1000000), 12 * (1.0 - std::exp(-1.0)), 0.5) << kernel.instructions;
  }
  EXPECT_TRUE(arithmetic_kernels().back().supported());
}

TEST(Peaks, AreMeasuredAndPlausible) {
  const Peaks peaks = measure_peaks({1, 1 << 20, 1LL << 30, 0.05});
  EXPECT_GT(peaks.copy_bytes_per_s, 0.1e9);
  EXPECT_GT(peaks.read_bytes_per_s, 0.1e9);
  EXPECT_GT(peaks.fill_bytes_per_s, 0.1e9);
  EXPECT_LT(peaks.bytes_per_s(), 10e12);
  EXPECT_GE(peaks.bytes_per_s(), peaks.read_bytes_per_s);
  EXPECT_GT(peaks.f64_flops_per_s, 0.1e9);
  EXPECT_LT(peaks.f32_flops_per_s, 10e12);
  EXPECT_FALSE(peaks.instructions.empty());
  EXPECT_THROW(measure_peaks({0, 1 << 20, 1LL << 30, 0.05}), Error);
  EXPECT_THROW(measure_peaks({1, 1 << 30, 1LL << 30, 0.05}), Error);
}

}  // namespace
}  // namespace assay::timing
