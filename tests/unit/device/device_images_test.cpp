#include "device/cuda/device_images.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

namespace assay::cuda {
namespace {

constexpr std::uint32_t kSpecific = 0x100011, kFamily = 0x200011, kPlain = 0x11;

struct Image {
  std::uint16_t kind;
  std::uint32_t architecture, flags;
};

std::vector<std::byte> bytes_of(const std::vector<std::uint32_t>& words) {
  std::vector<std::byte> bytes(words.size() * 4);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

/// One container; every image has 8 bytes of code.
std::vector<std::byte> fat_binary(const std::vector<Image>& images) {
  std::vector<std::uint32_t> words{0xBA55ED50, 0x00100001, static_cast<std::uint32_t>(images.size() * 72), 0};
  for (const Image& image : images) {
    const std::vector<std::uint32_t> entry{0x01010000u | image.kind,
                                           64,
                                           8,
                                           0,
                                           0,
                                           0,
                                           0,
                                           image.architecture,
                                           0,
                                           0,
                                           image.flags,
                                           0,
                                           0,
                                           0,
                                           0,
                                           0,
                                           0xBA55ED50,  // code that looks like a container without room for one
                                           0};
    words.insert(words.end(), entry.begin(), entry.end());
  }
  return bytes_of(words);
}

bool any_runs(const std::vector<Image>& images, int capability) {
  for (const DeviceImage& image : device_images(fat_binary(images))) {
    if (runs_on(image, capability)) return true;
  }
  return false;
}

TEST(DeviceImages, ImagesOfAFatBinaryAreFoundByKindAndArchitecture) {
  const auto images = device_images(fat_binary({{2, 75, kPlain}, {1, 90, kPlain}, {2, 90, kSpecific}}));
  ASSERT_EQ(images.size(), 3);
  EXPECT_EQ(names_of(images), "compute_90, sm_75, sm_90a");
  EXPECT_TRUE(device_images(fat_binary({})).empty());
}

TEST(DeviceImages, MachineCodeRunsOnItsOwnAndLaterMinorVersionsPTXOnAllLaterOnes) {
  EXPECT_TRUE(any_runs({{2, 80, kPlain}}, 80));
  EXPECT_TRUE(any_runs({{2, 80, kPlain}}, 86));
  EXPECT_FALSE(any_runs({{2, 86, kPlain}}, 80));
  EXPECT_FALSE(any_runs({{2, 80, kPlain}}, 90));
  EXPECT_TRUE(any_runs({{1, 80, kPlain}}, 90));
  EXPECT_TRUE(any_runs({{1, 80, kPlain}}, 120));
  EXPECT_FALSE(any_runs({{1, 100, kPlain}}, 90));
}

TEST(DeviceImages, CodeOfOneArchitectureOrFamilyRunsThereAlone) {
  EXPECT_TRUE(any_runs({{2, 90, kSpecific}}, 90));
  EXPECT_FALSE(any_runs({{1, 90, kSpecific}}, 100));
  EXPECT_TRUE(any_runs({{2, 100, kFamily}}, 103));
  EXPECT_FALSE(any_runs({{2, 100, kFamily}}, 110));
  EXPECT_FALSE(any_runs({{1, 100, kFamily}}, 120));
}

TEST(DeviceImages, AFatBinaryThatIsCutOrLiesAboutItsSizesYieldsWhatIsWhole) {
  const std::vector<std::byte> whole = fat_binary({{2, 75, kPlain}, {2, 90, kPlain}});
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    EXPECT_TRUE(device_images(std::span(whole).first(bytes)).empty());  // the container's size reaches past the end
  }
  std::vector<std::byte> liar = whole;
  const std::uint64_t huge = ~std::uint64_t{0} - 8;
  std::memcpy(liar.data() + 16 + 8, &huge, sizeof huge);
  EXPECT_TRUE(device_images(liar).empty());
  liar = whole;
  const std::uint32_t none = 0;
  std::memcpy(liar.data() + 16 + 72 + 4, &none, sizeof none);
  EXPECT_EQ(device_images(liar).size(), 1);
}

}  // namespace
}  // namespace assay::cuda
