#include "sandbox/residue.h"

#include <dirent.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <sstream>

#include "sandbox/proc_stat.h"
#include "sandbox/system.h"

namespace assay::sandbox {
namespace {

/// Lines of /proc/PID/status that an honest call leaves as they were.
struct StatusLine {
  const char* key;
  const char* state;
};
constexpr StatusLine kStatusLines[] = {
    {"SigCgt", "signal handlers"},          {"SigIgn", "ignored signals"},         {"SigBlk", "blocked signals"},
    {"Cpus_allowed_list", "affinity"},      {"Mems_allowed_list", "memory nodes"}, {"Umask", "umask"},
    {"Seccomp_filters", "seccomp filters"},
};

/// Signals 32 and 33 belong to the C library, which takes them over when the first thread starts: no kernel's doing.
constexpr std::uint64_t kLibrarySignals = std::uint64_t{3} << 31;

/// A signal mask of /proc/PID/status without those.
std::string without_library_signals(const std::string& mask) {
  std::array<char, 24> text{};
  const std::uint64_t bits = std::strtoull(mask.c_str(), nullptr, 16) & ~kLibrarySignals;
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(bits));
  return text.data();
}

std::string squeezed(const std::string& text) {
  std::istringstream words(text);
  std::string all;
  for (std::string word; words >> word;) all += (all.empty() ? "" : " ") + word;
  return all;
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;
Folder open_folder(const std::string& path) {
  return Folder(::opendir(path.c_str()));
}

}  // namespace

ProcessReader::ProcessReader(pid_t process)
    : folder_("/proc/" + std::to_string(process)), stat_(::open((folder_ + "/stat").c_str(), O_RDONLY | O_CLOEXEC)) {
  ::clock_getcpuclockid(process, &clock_);
}

ProcessFacts ProcessReader::read(bool full) const {
  ProcessFacts facts;
  facts.full = full;
  read_cheap(facts);
  if (!full) return facts;
  read_status(facts);
  read_maps(facts);
  read_descriptors(facts);
  read_children(facts);
  facts.state["working directory"] = link("cwd");
  facts.state["root"] = link("root");
  facts.state["limits"] = squeezed(read_text(folder_ + "/limits"));
  facts.state["timers"] = squeezed(read_text(folder_ + "/timers"));
  facts.state["personality"] = squeezed(read_text(folder_ + "/personality"));
  return facts;
}

void ProcessReader::read_cheap(ProcessFacts& facts) const {
  const std::optional<ProcStat> stat = read_stat(stat_.get());
  if (!stat) return;
  const auto& fields = stat->fields;
  facts.threads = fields[20];
  facts.resident_bytes = fields[24] * ::sysconf(_SC_PAGESIZE);
  timespec spent{};
  if (::clock_gettime(clock_, &spent) == 0) facts.cpu_ns = spent.tv_sec * 1'000'000'000LL + spent.tv_nsec;
  if (facts.full) facts.state["priority"] = std::to_string(fields[19]) + " policy " + std::to_string(fields[41]);
}

void ProcessReader::read_status(ProcessFacts& facts) const {
  std::istringstream lines(read_text(folder_ + "/status"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const auto row = std::find_if(std::begin(kStatusLines), std::end(kStatusLines),
                                  [&](const StatusLine& each) { return line.compare(0, colon, each.key) == 0; });
    const std::string value = squeezed(line.substr(colon + 1));
    if (row != std::end(kStatusLines)) {
      facts.state[row->state] = line.starts_with("Sig") ? without_library_signals(value) : value;
    }
    const std::int64_t bytes = std::strtoll(value.c_str(), nullptr, 10) * 1024;
    // Lent memory of the host is shared: what the subject itself holds is anonymous.
    if (line.starts_with("RssAnon")) facts.resident_bytes = bytes;
    if (line.starts_with("RssFile") || line.starts_with("RssShmem")) facts.shared_bytes += bytes;
  }
}

void ProcessReader::read_maps(ProcessFacts& facts) const {
  std::istringstream lines(read_text(folder_ + "/maps"));
  for (std::string line; std::getline(lines, line);) {
    // "low-high rwxp …", addresses in hexadecimal
    char* at = nullptr;
    const unsigned long long low = std::strtoull(line.c_str(), &at, 16);
    if (*at != '-') continue;
    const unsigned long long high = std::strtoull(at + 1, &at, 16);
    if (*at != ' ') continue;
    ++facts.mappings;
    if (std::strncmp(at + 1, "---", 3) != 0) facts.mapped_bytes += static_cast<std::int64_t>(high - low);
  }
}

void ProcessReader::read_descriptors(ProcessFacts& facts) const {
  const Folder folder = open_folder(folder_ + "/fd");
  if (!folder) return;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (entry->d_name[0] == '.') continue;
    facts.descriptors[static_cast<int>(std::strtol(entry->d_name, nullptr, 10))] =
        link(std::string("fd/") + entry->d_name);
  }
}

void ProcessReader::read_children(ProcessFacts& facts) const {
  const Folder folder = open_folder(folder_ + "/task");
  if (!folder) return;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (entry->d_name[0] == '.') continue;
    std::istringstream pids(read_text(folder_ + "/task/" + entry->d_name + "/children"));
    for (std::string pid; pids >> pid;) ++facts.children;
  }
}

std::string ProcessReader::link(const std::string& name) const {
  std::array<char, PATH_MAX> text{};
  const ssize_t got = ::readlink((folder_ + "/" + name).c_str(), text.data(), text.size());
  return got < 0 ? "?" : std::string(text.data(), static_cast<std::size_t>(got));
}

}  // namespace assay::sandbox
