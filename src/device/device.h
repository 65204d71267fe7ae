#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/opening.h"
#include "device/memory.h"

/// Theory of operation. The judge knows a device by three things: memory that it can lend to a worker (memory.h), what
/// a worker's sandbox must leave open for the device to work, and how the device is called. Everything that depends on
/// a vendor lies in the folder of that name; drivers are opened at run time, so that one program runs with and without
/// them. The worker's side of a device is device/station.h.
namespace assay {

enum class DeviceKind : std::uint8_t { cpu, cuda };

/// What a worker needs to bring the device up.
struct WorkerNeeds {
  DeviceKind kind = DeviceKind::cpu;
  int ordinal = 0;
  std::string driver;             ///< path of the driver's library; empty: none
  std::vector<Opening> openings;  ///< beyond what every worker sees
};

struct DeviceInfo {
  std::string name;                ///< "cpu", "cuda:0"
  std::uint64_t granule = 4096;    ///< bytes; mappings are whole multiples, at addresses that are too
  std::int64_t align = 16;         ///< bytes that a caller promises where a contract doesn't say
  double start_s = 0.0;            ///< that bringing it up in a worker and taking it down may take
  bool asynchronous = false;       ///< work may go on when a call has returned
  std::vector<std::string> notes;  ///< for the report: what is slower or weaker here, who else uses the device
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  virtual WorkerNeeds needs() const = 0;
  /// `bytes` is a multiple of the granule. Throws Error where the device has no such memory left.
  virtual std::shared_ptr<DeviceMemory> lend(std::uint64_t bytes, Lending lending) const = 0;
  /// Bytes of tensors that may be lent at a time.
  virtual std::int64_t lendable_bytes() const = 0;
  /// Device memory of one process, whatever else the device does; nothing where nobody can tell.
  virtual std::optional<std::int64_t> held_by(int process) const = 0;
  /// Why the device can't run the code for devices in `data`, a shared object's; empty where it can or there is none.
  virtual std::string unfit_code(const std::vector<std::span<const std::byte>>& data) const = 0;
  /// "CUDA error 700 (an illegal memory access was encountered)".
  virtual std::string error_text(int error) const = 0;
};

/// "cpu", "cuda" or "cuda:N". Throws Error (environment) that says why such a device is not to be had, (usage) where
/// `name` is none of these.
std::unique_ptr<Device> open_device(const std::string& name);

/// One row for each kind of device: its name, and what is there or why nothing is.
struct DeviceRow {
  std::string kind;
  bool available = false;
  std::string found;
};
std::vector<DeviceRow> list_devices();

}  // namespace assay
