#include "timing/environment.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

#include "timing/numbers.h"
#include "timing/text.h"

namespace assay::timing {
namespace {

constexpr double kStealLimit = 0.01;
constexpr double kStrangerLimit = 0.05;     // of one processor
constexpr double kStrangerPeakLimit = 0.5;  ///< processors, for as long as one pair of processes takes
constexpr double kFrequencyLimit = 0.05;    // spread over the readings
constexpr std::string_view kSteady = "performance";

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::set<std::int64_t> with_descendants(std::span<const std::int64_t> ours, const std::vector<ProcessUse>& processes) {
  std::set<std::int64_t> family(ours.begin(), ours.end());
  std::size_t known = 0;
  while (known != family.size()) {
    known = family.size();
    for (const ProcessUse& p : processes) {
      if (family.contains(p.parent)) family.insert(p.pid);
    }
  }
  return family;
}

/// Ticks used since `before`; all of them where the process is new.
std::int64_t ticks_since(const std::vector<ProcessUse>& before, const ProcessUse& now) {
  const auto same = [&](const ProcessUse& p) { return p.pid == now.pid && p.started == now.started; };
  const auto old = std::find_if(before.begin(), before.end(), same);
  return old == before.end() ? now.ticks : now.ticks - old->ticks;
}

std::vector<Stranger> strangers_between(const EnvironmentReading& before, const EnvironmentReading& after,
                                        std::span<const std::int64_t> ours, double ticks) {
  const std::set<std::int64_t> family = with_descendants(ours, after.processes);
  std::vector<Stranger> strangers;
  for (const ProcessUse& p : after.processes) {
    const std::int64_t used = ticks_since(before.processes, p);
    if (used > 0 && !family.contains(p.pid)) strangers.push_back({p.pid, p.name, static_cast<double>(used) / ticks});
  }
  std::sort(strangers.begin(), strangers.end(), [](const Stranger& a, const Stranger& b) {
    return a.processors != b.processors ? a.processors > b.processors : a.pid < b.pid;
  });
  return strangers;
}

void add_frequencies(EnvironmentChange& change, const std::vector<double>& frequencies_hz) {
  for (const double hz : frequencies_hz) {
    change.lowest_hz = change.lowest_hz > 0.0 ? std::min(change.lowest_hz, hz) : hz;
    change.highest_hz = std::max(change.highest_hz, hz);
  }
}

void add_ticks(EnvironmentChange& change, const ProcessorTicks& before, const ProcessorTicks& after) {
  const auto total = static_cast<double>(after.total() - before.total());
  if (total <= 0.0) return;
  change.steal_share = static_cast<double>(after.steal - before.steal) / total;
  change.busy_share = static_cast<double>(after.busy() - before.busy()) / total;
}

}  // namespace

std::optional<ProcessorTicks> parse_processor_ticks(std::string_view proc_stat) {
  const std::vector<std::string_view> words = words_of(proc_stat.substr(0, proc_stat.find('\n')));
  if (words.size() < 5 || words[0] != "cpu") return std::nullopt;
  ProcessorTicks t;
  const std::array<std::int64_t*, 8> fields{&t.user,   &t.nice, &t.system,  &t.idle,
                                            &t.iowait, &t.irq,  &t.softirq, &t.steal};
  for (std::size_t i = 0; i < fields.size() && i + 1 < words.size(); ++i) {
    if (!read_number(words[i + 1], *fields[i])) return std::nullopt;
  }
  return t;
}

std::optional<Load> parse_load(std::string_view proc_loadavg) {
  const std::vector<std::string_view> words = words_of(proc_loadavg);
  Load load;
  if (words.size() < 5 || !read_number(words[0], load.one_minute)) return std::nullopt;
  if (!read_number(words[3], load.runnable) || !read_number(words[4], load.tasks)) return std::nullopt;
  return load;
}

std::optional<ProcessUse> parse_process(std::string_view text) {
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || open == 0 || close < open)
    return std::nullopt;
  ProcessUse use;
  use.name = std::string(text.substr(open + 1, close - open - 1));
  const std::vector<std::string_view> rest = words_of(text.substr(close + 1));  // rest[0] is field 3, the state
  std::int64_t user = 0, system = 0;
  if (rest.size() < 20 || !read_number(text.substr(0, open - 1), use.pid) || !read_number(rest[1], use.parent))
    return std::nullopt;
  if (!read_number(rest[11], user) || !read_number(rest[12], system) || !read_number(rest[19], use.started))
    return std::nullopt;
  use.ticks = user + system;
  return use;
}

std::vector<double> parse_frequencies(std::string_view proc_cpuinfo) {
  std::vector<double> frequencies;
  std::size_t at = 0;
  while ((at = proc_cpuinfo.find("cpu MHz", at)) != std::string_view::npos) {
    const std::size_t end = std::min(proc_cpuinfo.find('\n', at), proc_cpuinfo.size());
    const std::vector<std::string_view> words = words_of(proc_cpuinfo.substr(at, end - at));
    double megahertz = 0.0;
    if (!words.empty() && read_number(words.back(), megahertz) && megahertz > 0.0)
      frequencies.push_back(1e6 * megahertz);
    at = end;
  }
  return frequencies;
}

std::optional<double> parse_kilohertz(std::string_view text) {
  const std::vector<std::string_view> words = words_of(text);
  double kilohertz = 0.0;
  if (words.size() != 1 || !read_number(words[0], kilohertz) || kilohertz <= 0.0) return std::nullopt;
  return 1e3 * kilohertz;
}

EnvironmentChange change_between(const EnvironmentReading& before, const EnvironmentReading& after,
                                 std::span<const std::int64_t> ours, std::int64_t ticks_per_s) {
  EnvironmentChange change;
  change.seconds = after.at_s - before.at_s;
  if (before.ticks && after.ticks) add_ticks(change, *before.ticks, *after.ticks);
  const double ticks = change.seconds * static_cast<double>(ticks_per_s);
  if (ticks > 0.0) change.strangers = strangers_between(before, after, ours, ticks);
  for (const Stranger& s : change.strangers) change.strangers_processors += s.processors;
  add_frequencies(change, before.frequencies_hz);
  add_frequencies(change, after.frequencies_hz);
  std::set<std::string> governors(before.governors.begin(), before.governors.end());
  governors.insert(after.governors.begin(), after.governors.end());
  change.governors.assign(governors.begin(), governors.end());
  return change;
}

EnvironmentChange change_over(std::span<const EnvironmentReading> readings, std::span<const std::int64_t> ours,
                              std::int64_t ticks_per_s) {
  EnvironmentChange change = change_between(readings.front(), readings.back(), ours, ticks_per_s);
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const EnvironmentChange step = change_between(readings[i - 1], readings[i], ours, ticks_per_s);
    change.steal_peak = std::max(change.steal_peak, step.steal_share);
    add_frequencies(change, readings[i].frequencies_hz);
    if (step.strangers_processors <= change.strangers_peak) continue;
    change.strangers_peak = step.strangers_processors;
    change.busiest_stranger = step.strangers.front().name;
  }
  return change;
}

std::vector<std::string> complaints(const EnvironmentChange& change) {
  std::vector<std::string> found;
  if (change.steal_share > kStealLimit) {
    found.push_back("the host took " + percent_text(change.steal_share) +
                    " of the processor time; use a machine of its own");
  }
  if (change.strangers_processors > kStrangerLimit) {
    const Stranger& busiest = change.strangers.front();
    found.push_back("other processes used " + number_text(change.strangers_processors) + " processors, most of it '" +
                    busiest.name + "' (pid " + std::to_string(busiest.pid) + "); stop them");
  }
  if (change.strangers_processors <= kStrangerLimit && change.strangers_peak > kStrangerPeakLimit) {
    found.push_back("for a while other processes used " + number_text(change.strangers_peak) +
                    " processors, most of it '" + change.busiest_stranger + "'; stop them");
  }
  if (change.highest_hz > (1.0 + kFrequencyLimit) * change.lowest_hz && change.lowest_hz > 0.0) {
    found.push_back("the clock rate moved between " + number_text(1e-9 * change.lowest_hz) + " and " +
                    number_text(1e-9 * change.highest_hz) + " GHz; fix it if you may");
  }
  for (const std::string& governor : change.governors) {
    if (governor != kSteady) found.push_back("the frequency governor is '" + governor + "'; 'performance' is steadier");
  }
  return found;
}

std::map<std::string, std::string> described(const EnvironmentChange& change) {
  std::map<std::string, std::string> keys{{"steal_share", number_text(change.steal_share)},
                                          {"busy_share", number_text(change.busy_share)},
                                          {"steal_share_peak", number_text(change.steal_peak)},
                                          {"other_processors", number_text(change.strangers_processors)},
                                          {"other_processors_peak", number_text(change.strangers_peak)},
                                          {"observed_s", number_text(change.seconds)}};
  if (change.lowest_hz > 0.0) {
    keys["frequency_low_hz"] = number_text(change.lowest_hz);
    keys["frequency_high_hz"] = number_text(change.highest_hz);
  }
  std::string governors;
  for (const std::string& governor : change.governors) governors += (governors.empty() ? "" : " ") + governor;
  keys["governor"] = governors.empty() ? "unknown" : governors;
  return keys;
}

}  // namespace assay::timing
