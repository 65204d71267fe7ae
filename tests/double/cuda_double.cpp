// A stand-in for libcuda.so.1 over host memory, for tests alone.
//
// Theory of operation. Device memory is a memfd, device addresses are host addresses, and the only work that a stream
// takes are copies and host functions (cuLaunchHostFunc), which one thread carries out in the order of their arrival,
// so that work outlives the call that started it as on a device. There is no device code: cuModuleLoadData refuses
// every image. A file `plan` beside the library says what goes wrong, one line each:
//   judge|worker FUNCTION N CODE   the N-th call of the function and all later ones give CODE
//   version N · devices N · mps 1 · capability 90  what the driver says about itself
// The judge is the process with ASSAY_DOUBLE=judge in its environment: a worker's environment is the sandbox's.
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>

namespace {

constexpr int kInvalid = 1, kNoMemory = 2, kNoDevice = 100, kNoBinary = 209, kInvalidContext = 201;
constexpr std::size_t kGranule = 64 << 10;
constexpr std::size_t kTotal = std::size_t{8} << 30;

struct Plan {
  std::map<std::string, std::pair<long, int>> failures;
  int version = 13000, devices = 1, mps = 0, capability = 90;

  Plan() {
    Dl_info about{};
    dladdr(reinterpret_cast<void*>(&kernel_free_marker), &about);
    const std::string path = about.dli_fname ? about.dli_fname : "";
    const char* role = std::getenv("ASSAY_DOUBLE");
    std::ifstream file(path.substr(0, path.rfind('/') + 1) + "plan");
    for (std::string line; std::getline(file, line);)
      read(line, role && std::string(role) == "judge" ? "judge" : "worker");
  }
  void read(const std::string& line, const std::string& role) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (first == "version") words >> version;
    if (first == "devices") words >> devices;
    if (first == "mps") words >> mps;
    if (first == "capability") words >> capability;
    std::string name;
    long nth = 0;
    int code = 0;
    if (first == role && words >> name >> nth >> code) failures[name] = {nth, code};
  }
  static void kernel_free_marker() {}
};

const Plan& plan() {
  static const Plan plan;
  return plan;
}

std::mutex lock;

/// What the plan has for this call of the function; 0: nothing.
int planned(const char* name) {
  static std::map<std::string, long> calls;
  const std::lock_guard guard(lock);
  const long nth = ++calls[name];
  const auto it = plan().failures.find(name);
  return it != plan().failures.end() && nth >= it->second.first ? it->second.second : 0;
}

int broken = 0;  ///< the error that the context stays in
bool retained = false;
thread_local bool current = false;

/// Work in the order of its arrival; `pending` by stream.
class Executor {
 public:
  void add(void* stream, std::function<void()> work) {
    const std::lock_guard guard(lock_);
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    thread_started_ = true;
    ++pending_[stream];
    queue_.emplace_back(stream, std::move(work));
    changed_.notify_all();
  }
  void wait(void* stream) {
    std::unique_lock guard(lock_);
    changed_.wait(guard, [&] { return pending_[stream] == 0; });
  }
  void wait_all() {
    std::unique_lock guard(lock_);
    changed_.wait(guard, [&] {
      for (const auto& [stream, count] : pending_) {
        if (count != 0) return false;
      }
      return true;
    });
  }
  ~Executor() {
    if (thread_.joinable()) thread_.detach();
  }

 private:
  void run() {
    std::unique_lock guard(lock_);
    while (true) {
      changed_.wait(guard, [&] { return !queue_.empty(); });
      auto [stream, work] = std::move(queue_.front());
      queue_.pop_front();
      guard.unlock();
      work();
      guard.lock();
      --pending_[stream];
      changed_.notify_all();
    }
  }
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::pair<void*, std::function<void()>>> queue_;
  std::map<void*, int> pending_;
  std::thread thread_;
  bool thread_started_ = false;
};

Executor& executor() {
  static auto* executor = new Executor;  // outlives everything: its thread may still run
  return *executor;
}

std::size_t created = 0;

int context_problem() {
  if (broken != 0) return broken;
  return retained && current ? 0 : kInvalidContext;
}

}  // namespace

#define CALL(name) \
  if (const int error = planned(#name); error != 0) return error
#define CONTEXT(name) \
  CALL(name);         \
  if (const int error = context_problem(); error != 0) return error

extern "C" {

int cuInit(unsigned) {
  CALL(cuInit);
  return plan().devices > 0 ? 0 : kNoDevice;
}
int cuDriverGetVersion(int* version) {
  CALL(cuDriverGetVersion);
  *version = plan().version;
  return 0;
}
int cuDeviceGetCount(int* count) {
  CALL(cuDeviceGetCount);
  *count = plan().devices;
  return 0;
}
int cuDeviceGet(int* device, int ordinal) {
  CALL(cuDeviceGet);
  if (ordinal >= plan().devices) return kInvalid;
  *device = ordinal;
  return 0;
}
int cuDeviceGetName(char* name, int length, int) {
  CALL(cuDeviceGetName);
  std::strncpy(name, "a double of a device", static_cast<std::size_t>(length));
  return 0;
}
int cuDeviceGetUuid_v2(void* uuid, int) {
  CALL(cuDeviceGetUuid_v2);
  std::memset(uuid, 0, 16);
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  CALL(cuDeviceGetAttribute);
  const std::map<int, int> answers{{75, plan().capability / 10}, {76, plan().capability % 10}, {133, plan().mps}};
  const auto answer = answers.find(attribute);
  *value = answer == answers.end() ? 1 : answer->second;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  CALL(cuDevicePrimaryCtxRetain);
  static int there;
  retained = true;
  *context = &there;
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int) {
  CALL(cuDevicePrimaryCtxRelease_v2);
  return 0;
}
int cuCtxSetCurrent(void* context) {
  CALL(cuCtxSetCurrent);
  current = context != nullptr;
  return 0;
}
int cuCtxSynchronize() {
  CONTEXT(cuCtxSynchronize);
  executor().wait_all();
  return broken;
}
int cuCtxGetLimit(std::size_t* value, int limit) {
  CONTEXT(cuCtxGetLimit);
  *value = static_cast<std::size_t>(1000 + limit);
  return 0;
}
int cuStreamGetAttribute(void*, int, void* value) {
  CONTEXT(cuStreamGetAttribute);
  std::memset(value, 0, 64);
  return 0;
}
int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  CONTEXT(cuMemGetInfo_v2);
  *total = kTotal;
  *free = kTotal - created;
  return 0;
}
int cuMemGetAllocationGranularity(std::size_t* granule, const void*, int) {
  CALL(cuMemGetAllocationGranularity);
  *granule = kGranule;
  return 0;
}
int cuMemCreate(std::uint64_t* allocation, std::size_t bytes, const void*, unsigned long long) {
  CONTEXT(cuMemCreate);
  if (bytes % kGranule != 0 || created + bytes > kTotal) return bytes % kGranule != 0 ? kInvalid : kNoMemory;
  const int fd = memfd_create("device", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, static_cast<off_t>(bytes)) != 0) return kNoMemory;
  *allocation = static_cast<std::uint64_t>(fd) + 1;
  return 0;
}
int cuMemRelease(std::uint64_t allocation) {
  CALL(cuMemRelease);
  return close(static_cast<int>(allocation - 1)) == 0 ? 0 : kInvalid;
}
int cuMemExportToShareableHandle(void* handle, std::uint64_t allocation, int, unsigned long long) {
  CONTEXT(cuMemExportToShareableHandle);
  *static_cast<int*>(handle) = dup(static_cast<int>(allocation - 1));
  return 0;
}
int cuMemImportFromShareableHandle(std::uint64_t* allocation, void* handle, int) {
  CONTEXT(cuMemImportFromShareableHandle);
  const int fd = dup(static_cast<int>(reinterpret_cast<std::intptr_t>(handle)));
  if (fd < 0) return kInvalid;
  *allocation = static_cast<std::uint64_t>(fd) + 1;
  return 0;
}
int cuMemAddressReserve(std::uint64_t* address, std::size_t bytes, std::size_t, std::uint64_t hint,
                        unsigned long long) {
  CONTEXT(cuMemAddressReserve);
  void* at = mmap(reinterpret_cast<void*>(hint), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return kNoMemory;
  *address = reinterpret_cast<std::uint64_t>(at);
  return 0;
}
int cuMemAddressFree(std::uint64_t address, std::size_t bytes) {
  CALL(cuMemAddressFree);
  return munmap(reinterpret_cast<void*>(address), bytes) == 0 ? 0 : kInvalid;
}
int cuMemMap(std::uint64_t address, std::size_t bytes, std::size_t, std::uint64_t allocation, unsigned long long) {
  CONTEXT(cuMemMap);
  void* at = mmap(reinterpret_cast<void*>(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED,
                  static_cast<int>(allocation - 1), 0);
  return at == MAP_FAILED ? kInvalid : 0;
}
int cuMemUnmap(std::uint64_t address, std::size_t bytes) {
  CONTEXT(cuMemUnmap);
  void* at = mmap(reinterpret_cast<void*>(address), bytes, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  return at == MAP_FAILED ? kInvalid : 0;
}
int cuMemSetAccess(std::uint64_t address, std::size_t bytes, const void*, std::size_t) {
  CONTEXT(cuMemSetAccess);
  return mprotect(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE) == 0 ? 0 : kInvalid;
}
int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  CONTEXT(cuMemHostAlloc);
  *memory = std::calloc(1, bytes);
  return *memory ? 0 : kNoMemory;
}
int cuMemFreeHost(void* memory) {
  CALL(cuMemFreeHost);
  std::free(memory);
  return 0;
}
int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  CONTEXT(cuMemAlloc_v2);
  *address = reinterpret_cast<std::uint64_t>(std::calloc(1, bytes));
  return *address ? 0 : kNoMemory;
}
int cuMemFree_v2(std::uint64_t address) {
  CONTEXT(cuMemFree_v2);
  std::free(reinterpret_cast<void*>(address));
  return 0;
}
int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, void* stream) {
  CONTEXT(cuMemcpyHtoDAsync_v2);
  executor().wait(stream);
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return 0;
}
int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, void* stream) {
  CONTEXT(cuMemcpyDtoHAsync_v2);
  executor().wait(stream);
  std::memcpy(to, reinterpret_cast<void*>(from), bytes);
  return 0;
}
int cuMemsetD8Async(std::uint64_t to, unsigned char value, std::size_t bytes, void* stream) {
  CONTEXT(cuMemsetD8Async);
  executor().wait(stream);
  std::memset(reinterpret_cast<void*>(to), value, bytes);
  return 0;
}
int cuStreamCreate(void** stream, unsigned) {
  CONTEXT(cuStreamCreate);
  *stream = std::malloc(1);
  return 0;
}
int cuStreamDestroy_v2(void* stream) {
  CONTEXT(cuStreamDestroy_v2);
  executor().wait(stream);
  std::free(stream);
  return 0;
}
int cuStreamSynchronize(void* stream) {
  CONTEXT(cuStreamSynchronize);
  executor().wait(stream);
  return broken;
}
int cuLaunchHostFunc(void* stream, void (*function)(void*), void* data) {
  CONTEXT(cuLaunchHostFunc);
  executor().add(stream, [=] { function(data); });
  return 0;
}
int cuModuleLoadData(void**, const void*) {
  CONTEXT(cuModuleLoadData);
  return kNoBinary;
}
int cuModuleGetFunction(void**, void*, const char*) {
  CONTEXT(cuModuleGetFunction);
  return kInvalid;
}
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**) {
  CONTEXT(cuLaunchKernel);
  return kInvalid;
}
int cuGetErrorName(int code, const char** name) {
  *name = code == kNoMemory ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_OF_THE_DOUBLE";
  return 0;
}
int cuGetErrorString(int, const char** text) {
  *text = "as it was told";
  return 0;
}

/// What a fault on the device does: the context is of no more use.
void double_break(int code) {
  broken = code;
}

}  // extern "C"
