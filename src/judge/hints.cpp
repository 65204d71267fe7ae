#include "judge/hints.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include "judge/elf_image.h"
#include "judge/mapped_file.h"
#include "protocol/decode.h"

namespace assay {
namespace {

struct Word {
  std::string_view word;  ///< ending in '*': any name that starts so
  std::string_view means;
};

constexpr std::string_view kProcesses = "can start other processes";
constexpr std::string_view kClock = "reads a clock";
constexpr std::string_view kLoads = "can load other code at run time";
constexpr std::string_view kSurroundings = "can tell where it runs";
constexpr std::string_view kNetwork = "can use the network";
constexpr std::string_view kProfiler = "can reach the profiler's counters and clocks";
constexpr std::string_view kTraces = "can look into processes";
constexpr std::string_view kSettings = "can change settings of the whole process";

constexpr std::array<Word, 60> kImports{{
    {"ptrace", kTraces},
    {"process_vm_*", kTraces},
    {"cupti*", kProfiler},
    {"nvtx*", kProfiler},
    {"roctracer*", kProfiler},
    {"rocprofiler*", kProfiler},
    {"cudaEvent*", kClock},
    {"hipEvent*", kClock},
    {"clock", kClock},
    {"clock_*", kClock},
    {"gettimeofday", kClock},
    {"getrusage", kClock},
    {"time", kClock},
    {"times", kClock},
    {"omp_get_wtime", kClock},
    {"dlopen", kLoads},
    {"dlmopen", kLoads},
    {"dlsym", kLoads},
    {"dlvsym", kLoads},
    {"memfd_create", kLoads},
    {"fork", kProcesses},
    {"vfork", kProcesses},
    {"clone", kProcesses},
    {"exec*", kProcesses},
    {"posix_spawn*", kProcesses},
    {"system", kProcesses},
    {"popen", kProcesses},
    {"syscall", "can make system calls that no import names"},
    {"mprotect", "can make memory executable"},
    {"pkey_mprotect", "can make memory executable"},
    {"shm_open", "can share memory with other processes"},
    {"shmget", "can share memory with other processes"},
    {"socket", kNetwork},
    {"connect", kNetwork},
    {"getaddrinfo", kNetwork},
    {"getenv", kSurroundings},
    {"secure_getenv", kSurroundings},
    {"environ", kSurroundings},
    {"getuid", kSurroundings},
    {"geteuid", kSurroundings},
    {"getpwuid*", kSurroundings},
    {"getppid", kSurroundings},
    {"gethostname", kSurroundings},
    {"uname", kSurroundings},
    {"getcwd", kSurroundings},
    {"dladdr*", kSurroundings},
    {"dl_iterate_phdr", kSurroundings},
    {"program_invocation_*", kSurroundings},
    {"setenv", kSettings},
    {"putenv", kSettings},
    {"signal", kSettings},
    {"sigaction", kSettings},
    {"fesetround", kSettings},
    {"fesetenv", kSettings},
    {"sched_setaffinity", kSettings},
    {"setrlimit*", kSettings},
    {"atexit", "runs code when the process ends"},
    {"_exit", "can end its caller's process"},
    {"exit", "can end its caller's process"},
    {"pthread_create", "starts threads"},
}};

constexpr std::string_view kVendor = "work may be a library's, not the candidate's own";

constexpr std::array<Word, 26> kLibraries{{
    {"libcublas*", kVendor},   {"libcudnn*", kVendor},    {"libcufft*", kVendor},   {"libcusolver*", kVendor},
    {"libcusparse*", kVendor}, {"libcutensor*", kVendor}, {"libnvrtc*", kLoads},    {"libnccl*", kVendor},
    {"libcupti*", kProfiler},  {"libhipblas*", kVendor},  {"librocblas*", kVendor}, {"librocsolver*", kVendor},
    {"libMIOpen*", kVendor},   {"libhiprtc*", kLoads},    {"libmkl*", kVendor},     {"libopenblas*", kVendor},
    {"libblas*", kVendor},     {"liblapack*", kVendor},   {"libcblas*", kVendor},   {"libblis*", kVendor},
    {"libdnnl*", kVendor},     {"libtorch*", kVendor},    {"libc10*", kVendor},     {"libtvm*", kVendor},
    {"libpython*", kLoads},    {"libcurl*", kNetwork},
}};

/// Names of test harnesses and benchmarks that a kernel has no reason to know, in lower case.
constexpr std::array<std::string_view, 26> kHarnesses{
    "kernelbench",   "flashinfer-bench", "flashinfer_bench", "gpumode",       "gpu-mode",      "popcorn",
    "kernelbot",     "leetgpu",          "tensara",          "sol-execbench", "sol_execbench", "robust-kbench",
    "robust_kbench", "compute-eval",     "autokernel",       "kernelagent",   "ako4all",       "ako4x",
    "cuda-agent",    "cuda_agent",       "do_bench",         "nvbench",       "pytest",        "googletest",
    "assay-worker",  "reward_hack"};

bool matches(std::string_view name, std::string_view word) {
  return word.ends_with('*') ? name.starts_with(word.substr(0, word.size() - 1)) : name == word;
}

template <class Words>
void add_names(const std::vector<std::string>& names, const Words& words, const char* kind, std::vector<Hint>& hints) {
  for (const std::string& name : names) {
    const auto it =
        std::find_if(words.begin(), words.end(), [&](const Word& each) { return matches(name, each.word); });
    if (it != words.end()) hints.push_back({kind, protocol::printable(name), std::string(it->means)});
  }
}

void add_segments(const ElfImage& image, std::vector<Hint>& hints) {
  if (image.writable_code) hints.push_back({"section", "writable and executable", "its code can change while it runs"});
  if (image.executable_stack) hints.push_back({"section", "executable stack", "data can become code"});
  if (image.patches_code) hints.push_back({"section", "text relocations", "its code is changed by the loader"});
}

/// Every compiler adds one constructor of its own.
void add_constructors(const ElfImage& image, std::vector<Hint>& hints) {
  if (image.constructors < 2) return;
  hints.push_back({"constructor", std::to_string(image.constructors - 1) + " besides the compiler's",
                   "code of it runs when it is loaded, before any call"});
}

bool contains(std::span<const std::byte> bytes, std::string_view word) {
  const auto same = [](std::byte a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  return std::search(bytes.begin(), bytes.end(), word.begin(), word.end(), same) != bytes.end();
}

/// What is loaded as data, not the whole file: paths in debug information name folders of whoever compiled it.
void add_harnesses(const ElfImage& image, std::vector<Hint>& hints) {
  for (const std::string_view word : kHarnesses) {
    const bool found = std::any_of(image.data.begin(), image.data.end(),
                                   [&](std::span<const std::byte> part) { return contains(part, word); });
    if (found) hints.push_back({"name", std::string(word), "it knows the name of a benchmark or test harness"});
  }
}

}  // namespace

std::vector<Hint> hints_of(std::span<const std::byte> file) {
  const ElfImage image = read_elf_image(file);
  std::vector<Hint> hints;
  add_names(image.imports, kImports, "import", hints);
  add_names(image.libraries, kLibraries, "library", hints);
  add_segments(image, hints);
  add_constructors(image, hints);
  add_harnesses(image, hints);
  return hints;
}

std::vector<Hint> hints_of_file(int file) {
  const MappedFile mapped(file);
  return mapped.bytes().empty() ? std::vector<Hint>() : hints_of(mapped.bytes());
}

}  // namespace assay
