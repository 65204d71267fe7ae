#include "device/station.h"

#include "core/error.h"
#include "device/cpu/arena.h"
#include "device/cuda/station.h"

namespace assay {
namespace {

constexpr std::uint64_t kArenaBytes = std::uint64_t{1} << 42;

}  // namespace

std::unique_ptr<Station> open_station(DeviceKind kind, int ordinal, const std::string& path) {
  if (kind == DeviceKind::cpu) return std::make_unique<Arena>(kArenaBytes);
  const auto driver = cuda::open_driver(path);
  if (const auto* why = std::get_if<std::string>(&driver)) throw Error(*why);
  return std::make_unique<cuda::CudaStation>(*std::get<const cuda::Driver*>(driver), ordinal);
}

}  // namespace assay
