#include <time.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "timing/environment.h"

namespace assay::timing {
namespace {

namespace fs = std::filesystem;

std::string contents(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> numbered(const std::string& folder, const std::string& prefix) {
  std::vector<std::string> paths;
  std::error_code none;
  for (fs::directory_iterator it(folder, none), end; !none && it != end; it.increment(none)) {
    const std::string name = it->path().filename().string();
    const bool matches = name.size() > prefix.size() && name.starts_with(prefix) &&
                         name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
    if (matches) paths.push_back(it->path().string());
  }
  return paths;
}

void read_scaling(const std::string& root, EnvironmentReading& reading) {
  for (const std::string& cpu : numbered(root + "/sys/devices/system/cpu", "cpu")) {
    std::string governor = contents(cpu + "/cpufreq/scaling_governor");
    governor.erase(governor.find_last_not_of(" \n") + 1);
    if (!governor.empty()) reading.governors.push_back(governor);
    const auto hz = parse_kilohertz(contents(cpu + "/cpufreq/scaling_cur_freq"));
    if (hz) reading.frequencies_hz.push_back(*hz);
  }
  if (reading.frequencies_hz.empty()) reading.frequencies_hz = parse_frequencies(contents(root + "/proc/cpuinfo"));
}

double now_s() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

EnvironmentReading read_environment(const std::string& root) {
  EnvironmentReading reading;
  reading.at_s = now_s();
  reading.ticks = parse_processor_ticks(contents(root + "/proc/stat"));
  reading.load = parse_load(contents(root + "/proc/loadavg"));
  read_scaling(root, reading);
  for (const std::string& process : numbered(root + "/proc", "")) {
    // A process may end between listing and reading: then there is nothing to parse.
    if (auto use = parse_process(contents(process + "/stat"))) reading.processes.push_back(std::move(*use));
  }
  return reading;
}

}  // namespace assay::timing
