#include "device/cuda/workshop.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "device/cuda/device_code.h"
#include "numerics/poison.h"

namespace assay::cuda {
namespace {

constexpr std::size_t kStagingBytes = std::size_t{8} << 20;
constexpr unsigned kThreads = 256;
constexpr std::uint64_t kMostBlocks = 2048;
/// In the last bytes of the staging memory: what a kernel tells.
constexpr std::size_t kAnswerBytes = 64;
constexpr std::uint64_t kNoDifference = ~std::uint64_t{0};

}  // namespace

Workshop::Workshop(const Driver& driver, int ordinal) : driver_(driver) {
  driver_.must(driver_.device(&device_, ordinal), "no CUDA device " + std::to_string(ordinal));
  driver_.must(driver_.retain(&context_, device_), "no context on the CUDA device");
  driver_.must(driver_.set_current(context_), "the CUDA context can't be used");
  granule_ = driver_.granule(device_);
  driver_.must(driver_.stream_create(&stream_, kNonBlocking), "no stream on the CUDA device");
  void* staging = nullptr;
  driver_.must(driver_.host_alloc(&staging, kStagingBytes + kAnswerBytes, 0), "no memory for copies to the device");
  staging_ = static_cast<std::byte*>(staging);
  load_kernels();
}

Workshop::~Workshop() {
  driver_.host_free(staging_);
  driver_.stream_destroy(stream_);
  driver_.release_context(device_);
}

void Workshop::load_kernels() {
  const std::span<const unsigned char> image = device_code();
  if (image.empty()) {
    no_kernels_ = "this build has no device code (it was built without nvcc)";
    return;
  }
  Result result = driver_.module_load(&module_, image.data());
  if (result == 0) result = driver_.module_function(&fill_, module_, "assay_fill");
  if (result == 0) result = driver_.module_function(&compare_, module_, "assay_compare");
  if (result == 0) return;
  no_kernels_ = "the device doesn't take the judge's own code: " + driver_.text(result);
  fill_ = compare_ = nullptr;
}

void Workshop::write(DevicePointer to, std::span<const std::byte> from) {
  for (std::size_t at = 0; at < from.size(); at += kStagingBytes) {
    const std::size_t bytes = std::min(kStagingBytes, from.size() - at);
    std::memcpy(staging_, from.data() + at, bytes);
    driver_.must(driver_.copy_in(to + at, staging_, bytes, stream_), "can't write to the device");
    driver_.must(driver_.stream_synchronize(stream_), "can't write to the device");
  }
}

void Workshop::inspect(DevicePointer from, std::uint64_t bytes, const Look& look) {
  for (std::uint64_t at = 0; at < bytes; at += kStagingBytes) {
    const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(kStagingBytes, bytes - at));
    driver_.must(driver_.copy_out(staging_, from + at, piece, stream_), "can't read from the device");
    driver_.must(driver_.stream_synchronize(stream_), "can't read from the device");
    if (look(static_cast<std::size_t>(at), {staging_, piece})) return;
  }
}

void Workshop::read(DevicePointer from, std::span<std::byte> to) {
  inspect(from, to.size(), [&](std::size_t at, std::span<const std::byte> piece) {
    std::memcpy(to.data() + at, piece.data(), piece.size());
    return false;
  });
}

void Workshop::run(Function function, std::uint64_t items, void** arguments) {
  const auto blocks =
      static_cast<unsigned>(std::clamp<std::uint64_t>((items + kThreads - 1) / kThreads, 1, kMostBlocks));
  driver_.must(driver_.launch(function, blocks, 1, 1, kThreads, 1, 1, 0, stream_, arguments, nullptr),
               "the judge's own kernel doesn't start");
  driver_.must(driver_.stream_synchronize(stream_), "the judge's own kernel failed");
}

void Workshop::fill(DevicePointer at, std::uint64_t bytes, const StreamKey& key) {
  if (bytes == 0) return;
  if (!fill_) {
    std::vector<std::byte> stream(static_cast<std::size_t>(bytes));
    fill_random_bytes(stream, key);
    return write(at, stream);
  }
  StreamKey copy = key;
  void* arguments[] = {&at, &bytes, &copy};
  run(fill_, bytes / sizeof(std::uint32_t) / 4 + 1, arguments);
}

std::optional<std::size_t> Workshop::first_difference(DevicePointer at, std::uint64_t bytes, const StreamKey& key) {
  if (bytes == 0) return std::nullopt;
  if (!compare_) {
    std::vector<std::byte> held(static_cast<std::size_t>(bytes));
    read(at, held);
    return assay::first_difference(held, key);
  }
  // Staging memory is the host's own, which the device reaches at the same address (unified addressing).
  auto* answer = reinterpret_cast<std::uint64_t*>(staging_ + kStagingBytes);
  *answer = kNoDifference;
  StreamKey copy = key;
  void* arguments[] = {&at, &bytes, &copy, &answer};
  run(compare_, bytes / sizeof(std::uint32_t) / 4 + 1, arguments);
  if (*answer == kNoDifference) return std::nullopt;
  return static_cast<std::size_t>(*answer);
}

}  // namespace assay::cuda
