#include <charconv>

#include "core/error.h"
#include "device/cpu/cpu_device.h"
#include "device/cuda/cuda_device.h"
#include "device/device.h"

namespace assay {
namespace {

/// N of "cuda:N"; nothing else: -1.
int ordinal_of(std::string_view text) {
  int ordinal = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ordinal);
  return error == std::errc() && end == text.data() + text.size() ? ordinal : -1;
}

/// Says which option brought the refusal.
std::unique_ptr<Device> open_asked_cuda(const std::string& name, int ordinal) {
  try {
    return cuda::open_cuda(ordinal);
  } catch (const Error& error) {
    throw Error("--device " + name + ": " + error.what(), error.code(), error.where());
  }
}

DeviceRow hip_row() {
  return {"hip", false, "not in this version"};
}

}  // namespace

std::unique_ptr<Device> open_device(const std::string& name) {
  if (name == "cpu") return open_cpu();
  if (name == "cuda") return open_asked_cuda(name, 0);
  if (name.starts_with("cuda:")) {
    const int ordinal = ordinal_of(std::string_view(name).substr(5));
    if (ordinal >= 0) return open_asked_cuda(name, ordinal);
  }
  throw Error("--device " + name + ": known are cpu, cuda and cuda:N; 'assay devices' lists what is here",
              Exit::kUsage);
}

std::vector<DeviceRow> list_devices() {
  return {cpu_row(), cuda::cuda_row(), hip_row()};
}

}  // namespace assay
