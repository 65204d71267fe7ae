#include "device/cuda/tenants.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
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

constexpr unsigned long long kNotTold = ~0ULL;  ///< NVML_VALUE_NOT_AVAILABLE

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

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

struct Nvml {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*by_uuid)(const char*, NvmlDevice*) = nullptr;
  int (*processes)(NvmlDevice, unsigned*, NvmlProcess*) = nullptr;
  NvmlDevice device = nullptr;

  bool open(const Driver& driver, Ordinal ordinal) {
    void* library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    const bool found = library && find(library, "nvmlInit_v2", init) && find(library, "nvmlShutdown", shutdown) &&
                       find(library, "nvmlDeviceGetHandleByUUID", by_uuid) &&
                       find(library, "nvmlDeviceGetComputeRunningProcesses_v3", processes);
    Uuid uuid;
    if (!found || driver.device_uuid(&uuid, ordinal) != 0 || init() != 0) return false;
    if (by_uuid(uuid_text(uuid).c_str(), &device) == 0) return true;
    shutdown();
    return false;
  }

  std::vector<NvmlProcess> list() const {
    std::vector<NvmlProcess> all(256);
    auto count = static_cast<unsigned>(all.size());
    if (processes(device, &count, all.data()) != 0) count = 0;
    all.resize(std::min<std::size_t>(count, all.size()));
    return all;
  }
};

Census::Census(const Driver& driver, Ordinal device) : nvml_(std::make_unique<Nvml>()) {
  if (!nvml_->open(driver, device)) nvml_.reset();
}

Census::~Census() {
  if (nvml_) nvml_->shutdown();
}

std::vector<std::string> Census::others() const {
  std::vector<std::string> lines;
  if (!nvml_) return lines;
  for (const NvmlProcess& process : nvml_->list()) {
    if (process.pid != static_cast<unsigned>(::getpid())) lines.push_back(line_of(process));
  }
  return lines;
}

std::optional<std::int64_t> Census::bytes_of(int process) const {
  if (!nvml_ || process <= 0) return std::nullopt;
  for (const NvmlProcess& each : nvml_->list()) {
    const bool told = each.used_bytes != kNotTold;
    if (each.pid == static_cast<unsigned>(process) && told) return static_cast<std::int64_t>(each.used_bytes);
  }
  return std::nullopt;
}

}  // namespace assay::cuda
