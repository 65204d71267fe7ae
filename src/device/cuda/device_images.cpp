#include "device/cuda/device_images.h"

#include <cstdint>
#include <cstring>
#include <set>

namespace assay::cuda {
namespace {

constexpr std::uint32_t kMagic = 0xBA55ED50;
constexpr std::uint32_t kSpecific = 1u << 20, kFamily = 1u << 21;

struct Container {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;  ///< behind the header
};

struct Entry {
  std::uint16_t kind;  ///< 1: PTX, 2: ELF
  std::uint16_t version;
  std::uint32_t header_bytes;
  std::uint64_t bytes;  ///< behind the header
  std::uint32_t unused[3];
  std::uint32_t architecture;
  std::uint32_t more[2];
  std::uint32_t flags;
};

template <class T>
bool read(std::span<const std::byte> from, T& value) {
  if (from.size() < sizeof value) return false;
  std::memcpy(&value, from.data(), sizeof value);
  return true;
}

void add_images(std::span<const std::byte> body, std::vector<DeviceImage>& images) {
  Entry entry{};
  while (read(body, entry)) {
    if (entry.header_bytes < sizeof entry || entry.header_bytes > body.size()) return;
    if (entry.bytes > body.size() - entry.header_bytes) return;
    if (entry.kind == 1 || entry.kind == 2) {
      images.push_back({entry.kind == 1, static_cast<int>(entry.architecture), (entry.flags & kSpecific) != 0,
                        (entry.flags & kFamily) != 0});
    }
    body = body.subspan(entry.header_bytes + entry.bytes);
  }
}

}  // namespace

std::vector<DeviceImage> device_images(std::span<const std::byte> data) {
  std::vector<DeviceImage> images;
  Container container{};
  for (std::size_t at = 0; at + sizeof container <= data.size(); at += 4) {
    const std::span<const std::byte> rest = data.subspan(at);
    std::uint32_t magic = 0;
    if (!read(rest, magic) || magic != kMagic || !read(rest, container)) continue;
    if (container.header_bytes < sizeof container || container.header_bytes > rest.size()) continue;
    const std::span<const std::byte> body = rest.subspan(container.header_bytes);
    if (container.bytes <= body.size()) add_images(body.first(container.bytes), images);
  }
  return images;
}

bool runs_on(const DeviceImage& image, int capability) {
  if (image.specific) return image.architecture == capability;
  const bool earlier = image.architecture <= capability;
  return earlier && ((image.ptx && !image.family) || image.architecture / 10 == capability / 10);
}

std::string names_of(const std::vector<DeviceImage>& images) {
  std::set<std::string> names;
  for (const DeviceImage& image : images) {
    const char* suffix = image.specific ? "a" : image.family ? "f" : "";
    names.insert((image.ptx ? "compute_" : "sm_") + std::to_string(image.architecture) + suffix);
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace assay::cuda
