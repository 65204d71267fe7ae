#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::timing {

/// The first line of /proc/stat: clock ticks of all processors together since boot.
struct ProcessorTicks {
  std::int64_t user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
  std::int64_t total() const { return user + nice + system + idle + iowait + irq + softirq + steal; }
  std::int64_t busy() const { return total() - idle - iowait - steal; }
};
/// Nothing where the text has no "cpu" line with at least four counts; kernels without later counts leave them 0.
std::optional<ProcessorTicks> parse_processor_ticks(std::string_view proc_stat);

/// /proc/loadavg.
struct Load {
  double one_minute = 0.0;
  std::int64_t runnable = 0, tasks = 0;
};
std::optional<Load> parse_load(std::string_view proc_loadavg);

/// One line of /proc/PID/stat; the name may hold spaces and brackets.
struct ProcessUse {
  std::int64_t pid = 0, parent = 0;
  std::string name;
  std::int64_t ticks = 0;    ///< user and system, its own
  std::int64_t started = 0;  ///< ticks since boot: a pid that is used again is another process
};
std::optional<ProcessUse> parse_process(std::string_view proc_pid_stat);

/// "cpu MHz" of each processor of /proc/cpuinfo, in hertz; empty where the machine does not say (many virtual ones).
std::vector<double> parse_frequencies(std::string_view proc_cpuinfo);

/// scaling_cur_freq and its like: a number of kilohertz, in hertz.
std::optional<double> parse_kilohertz(std::string_view text);

/// What the machine says of itself at one moment. What it does not say stays empty.
struct EnvironmentReading {
  double at_s = 0.0;  ///< CLOCK_MONOTONIC_RAW
  std::optional<ProcessorTicks> ticks;
  std::optional<Load> load;
  std::vector<std::string> governors;  ///< of each processor; empty: no frequency scaling to be seen
  std::vector<double> frequencies_hz;
  std::vector<ProcessUse> processes;
};

/// Reads /proc and /sys under `root` ("" in earnest, a folder in tests). Missing files are empty fields, never errors.
EnvironmentReading read_environment(const std::string& root = "");

/// A process that is none of ours and used processor time between two readings.
struct Stranger {
  std::int64_t pid = 0;
  std::string name;
  double processors = 0.0;  ///< of processor time per second
};

/// What happened between two readings.
struct EnvironmentChange {
  double seconds = 0.0;
  double steal_share = 0.0;         ///< of all processor time, taken by the host
  double busy_share = 0.0;          ///< of all processor time
  std::vector<Stranger> strangers;  ///< busiest first
  double strangers_processors = 0.0;
  double lowest_hz = 0.0, highest_hz = 0.0;  ///< over both readings; 0: not known
  std::vector<std::string> governors;        ///< unique, sorted
  double steal_peak = 0.0;                   ///< share, between two neighbouring readings
  double strangers_peak = 0.0;               ///< processors, likewise
  std::string busiest_stranger;              ///< its name, at that time
};

/// `ours`: pids of the judge; their descendants (by parent) in `after` count as ours too. `ticks_per_s`:
/// sysconf(_SC_CLK_TCK).
EnvironmentChange change_between(const EnvironmentReading& before, const EnvironmentReading& after,
                                 std::span<const std::int64_t> ours, std::int64_t ticks_per_s);

/// The same over readings before, while and after something ran, at least two, with the worst of what lies between any
/// two neighbours: a disturbance that came and went in between shows there alone.
EnvironmentChange change_over(std::span<const EnvironmentReading> readings, std::span<const std::int64_t> ours,
                              std::int64_t ticks_per_s);

/// What in it may disturb times, one sentence each with the number and what to do; empty where nothing does.
std::vector<std::string> complaints(const EnvironmentChange& change);

/// The same as keys for `run.environment` of a report, units in the keys.
std::map<std::string, std::string> described(const EnvironmentChange& change);

}  // namespace assay::timing
