#include "device/cpu/cpu_device.h"

#include <unistd.h>

#include <cstring>

#include "device/lent_memory.h"

namespace assay {
namespace {

class CpuDevice : public Device {
 public:
  CpuDevice() {
    info_.name = "cpu";
    info_.granule = static_cast<std::uint64_t>(page_bytes());
  }
  const DeviceInfo& info() const override { return info_; }
  WorkerNeeds needs() const override { return {}; }
  std::shared_ptr<DeviceMemory> lend(std::uint64_t bytes, Lending lending) const override {
    return std::make_shared<LentMemory>(static_cast<std::int64_t>(bytes), lending);
  }
  std::int64_t lendable_bytes() const override { return half_of_free(); }
  std::optional<std::int64_t> held_by(int) const override { return std::nullopt; }
  std::string unfit_code(const std::vector<std::span<const std::byte>>&) const override { return {}; }
  std::string error_text(int error) const override { return std::strerror(error); }

 private:
  DeviceInfo info_;
};

}  // namespace

std::unique_ptr<Device> open_cpu() {
  return std::make_unique<CpuDevice>();
}

DeviceRow cpu_row() {
  return {"cpu", true,
          std::to_string(::sysconf(_SC_NPROCESSORS_ONLN)) + " processors, " + std::to_string(2 * half_of_free() >> 20) +
              " MiB free"};
}

}  // namespace assay
