#include "device/cuda/cuda_device.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/error.h"
#include "device/cpu/page.h"
#include "device/cuda/device_images.h"
#include "device/cuda/memory.h"
#include "device/cuda/tenants.h"
#include "device/cuda/workshop.h"

namespace assay::cuda {
namespace {

namespace fs = std::filesystem;

/// A CUDA context takes a quarter to half a second to come up, and a device in use as long to let go of one.
constexpr double kStartSeconds = 30.0;
/// Left to the contexts of judge and workers, and to what a kernel allocates itself.
constexpr std::int64_t kReserve = std::int64_t{4} << 30;

/// "CUDA 13.0"; `version` as the driver counts it, 13000.
std::string version_text(int version) {
  return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

const Driver& driver_or_refuse() {
  const auto driver = open_driver();
  if (const auto* why = std::get_if<std::string>(&driver)) throw Error(*why);
  const Driver& found = *std::get<const Driver*>(driver);
  found.must(found.init(0), "CUDA doesn't start (cuInit)");
  int version = 0;
  found.must(found.driver_version(&version), "the driver has no version");
  if (version < kOldestDriver) {
    throw Error("the driver is for " + version_text(version) + "; CUDA 12.0 or later is needed");
  }
  return found;
}

int attribute(const Driver& driver, Ordinal device, Attribute which) {
  int value = 0;
  return driver.device_attribute(&value, static_cast<int>(which), device) == 0 ? value : 0;
}

void require_device(const Driver& driver, int ordinal) {
  int count = 0;
  driver.must(driver.device_count(&count), "devices can't be counted");
  if (ordinal >= count) {
    throw Error("there " + (count == 1 ? "is 1 CUDA device" : "are " + std::to_string(count) + " CUDA devices") +
                " here, numbered from 0");
  }
  Ordinal device = 0;
  driver.must(driver.device(&device, ordinal), "no such device");
  if (attribute(driver, device, Attribute::mps) != 0) {
    throw Error(
        "the device is shared through MPS, where a fault of one process reaches all and names no "
        "culprit: stop the MPS daemon, or choose another device");
  }
  const bool lends = attribute(driver, device, Attribute::virtual_memory) != 0 &&
                     attribute(driver, device, Attribute::descriptors) != 0;
  if (!lends) throw Error("the device can't share memory by descriptors, on which the sandbox relies");
}

std::string name_of(const Driver& driver, Ordinal device) {
  std::array<char, 128> name{};
  return driver.device_name(name.data(), static_cast<int>(name.size()) - 1, device) == 0 ? name.data() : "?";
}

/// Nodes and folders that the driver opens (SANDBOX.md, "What CUDA needs").
std::vector<Opening> openings_for(const Driver& driver) {
  std::vector<Opening> openings;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/dev", ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("nvidia")) openings.push_back({entry.path().string(), true});
  }
  openings.push_back({"/sys", false});
  // Where the driver lies in a folder of its own, what it loads later lies there too.
  if (!driver.path.empty()) openings.push_back({fs::path(driver.path).parent_path().string(), false});
  return openings;
}

class CudaDevice : public Device {
 public:
  CudaDevice(const Driver& driver, int ordinal)
      : driver_(driver),
        ordinal_(ordinal),
        workshop_(std::make_shared<Workshop>(driver, ordinal)),
        census_(driver, workshop_->device()) {
    info_.name = "cuda:" + std::to_string(ordinal);
    info_.granule = workshop_->granule();
    info_.align = 256;
    info_.start_s = kStartSeconds;
    info_.asynchronous = true;
    if (!workshop_->no_kernels().empty()) {
      info_.notes.push_back("fills and compares go through the host, which is slower: " + workshop_->no_kernels());
    }
    for (const std::string& tenant : census_.others()) info_.notes.push_back(tenant);
    if (!census_.bytes_of(::getpid())) {
      info_.notes.push_back("leaks of device memory aren't seen: NVML doesn't tell here how much a process holds");
    }
  }

  const DeviceInfo& info() const override { return info_; }

  WorkerNeeds needs() const override { return {DeviceKind::cuda, ordinal_, driver_.path, openings_for(driver_)}; }

  std::shared_ptr<DeviceMemory> lend(std::uint64_t bytes, Lending lending) const override {
    return std::make_shared<CudaMemory>(workshop_, bytes, lending);
  }

  std::int64_t lendable_bytes() const override {
    std::size_t free = 0;
    std::size_t total = 0;
    driver_.must(driver_.memory_info(&free, &total), "the device's memory can't be asked for");
    return std::min((static_cast<std::int64_t>(free) - kReserve) / 2, half_of_free());
  }

  std::optional<std::int64_t> held_by(int process) const override { return census_.bytes_of(process); }

  std::string unfit_code(const std::vector<std::span<const std::byte>>& data) const override {
    std::vector<DeviceImage> images;
    for (const std::span<const std::byte> part : data) {
      const std::vector<DeviceImage> found = device_images(part);
      images.insert(images.end(), found.begin(), found.end());
    }
    const int own = capability();
    const auto fits = [own](const DeviceImage& image) { return runs_on(image, own); };
    if (images.empty() || std::any_of(images.begin(), images.end(), fits)) return {};
    const std::string number = std::to_string(own);
    return "its device code is for " + names_of(images) + ", and " + info_.name + " is sm_" + number +
           ": build it with -gencode arch=compute_" + number + ",code=sm_" + number;
  }

  std::string error_text(int error) const override { return driver_.text(error); }

 private:
  int capability() const {
    return 10 * attribute(driver_, workshop_->device(), Attribute::capability_major) +
           attribute(driver_, workshop_->device(), Attribute::capability_minor);
  }
  const Driver& driver_;
  int ordinal_;
  std::shared_ptr<Workshop> workshop_;
  Census census_;
  DeviceInfo info_;
};

}  // namespace

std::unique_ptr<Device> open_cuda(int ordinal) {
  const Driver& driver = driver_or_refuse();
  require_device(driver, ordinal);
  return std::make_unique<CudaDevice>(driver, ordinal);
}

DeviceRow cuda_row() {
  try {
    const Driver& driver = driver_or_refuse();
    int count = 0;
    driver.must(driver.device_count(&count), "devices can't be counted");
    int version = 0;
    driver.must(driver.driver_version(&version), "the driver has no version");
    std::string found = version_text(version);
    for (int i = 0; i < count; ++i) found += (i == 0 ? ": " : ", ") + std::to_string(i) + " " + name_of(driver, i);
    return {"cuda", count > 0, count > 0 ? found : found + ", no device"};
  } catch (const Error& error) {
    return {"cuda", false, error.what()};
  }
}

}  // namespace assay::cuda
