#include "device/cuda/tenants.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>

namespace assay::cuda {
namespace {

using NvmlDevice = struct NvmlDeviceTag*;

/// nvmlProcessInfo_t of version 3 of the call (NVML API reference).
struct NvmlProcess {
  unsigned pid = 0;
  unsigned long long used_bytes = 0;
  unsigned gpu_instance = 0;
  unsigned compute_instance = 0;
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

struct Nvml {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*by_uuid)(const char*, NvmlDevice*) = nullptr;
  int (*processes)(NvmlDevice, unsigned*, NvmlProcess*) = nullptr;

  bool open() {
    void* library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    return library && find(library, "nvmlInit_v2", init) && find(library, "nvmlShutdown", shutdown) &&
           find(library, "nvmlDeviceGetHandleByUUID", by_uuid) &&
           find(library, "nvmlDeviceGetComputeRunningProcesses_v3", processes);
  }
};

/// "GPU-8 hex-4-4-4-12", as NVML names devices.
std::string uuid_text(const Uuid& uuid) {
  std::string text = "GPU";
  for (int i = 0; i < 16; ++i) {
    const bool dash = i == 0 || i == 4 || i == 6 || i == 8 || i == 10;
    std::array<char, 4> hex{};
    std::snprintf(hex.data(), hex.size(), "%02x", uuid.bytes[i]);
    text += (dash ? "-" : "") + std::string(hex.data());
  }
  return text;
}

std::string program_of(unsigned pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

std::string line_of(const NvmlProcess& process) {
  const std::string program = program_of(process.pid);
  return "another process computes on the device: pid " + std::to_string(process.pid) +
         (program.empty() ? "" : " (" + program + ")") + ", " + std::to_string(process.used_bytes >> 20) + " MiB";
}

}  // namespace

std::vector<std::string> tenants_of(const Driver& driver, Ordinal device) {
  Nvml nvml;
  Uuid uuid;
  NvmlDevice handle = nullptr;
  if (!nvml.open() || driver.device_uuid(&uuid, device) != 0 || nvml.init() != 0) return {};
  std::array<NvmlProcess, 64> all{};
  auto count = static_cast<unsigned>(all.size());
  std::vector<std::string> lines;
  if (nvml.by_uuid(uuid_text(uuid).c_str(), &handle) == 0 && nvml.processes(handle, &count, all.data()) == 0) {
    for (unsigned i = 0; i < count && i < all.size(); ++i) {
      if (all[i].pid != static_cast<unsigned>(::getpid())) lines.push_back(line_of(all[i]));
    }
  }
  nvml.shutdown();
  return lines;
}

}  // namespace assay::cuda
