#include "sandbox/layers.h"

#include <gtest/gtest.h>

#include "sandbox/doctor.h"
#include "sandbox/landlock.h"
#include "sandbox/landlock_abi.h"

namespace assay::sandbox {
namespace {

constexpr Layers kAll{true, true, true, true};

TEST(Layers, MakeLevels) {
  EXPECT_EQ(level_of(kAll), Level::full);
  EXPECT_EQ(level_of({true, true, true, false}), Level::full);
  EXPECT_EQ(level_of({false, true, true, true}), Level::confined);
  EXPECT_EQ(level_of({true, false, true, true}), Level::weak);
  EXPECT_EQ(level_of({true, true, false, false}), Level::weak);
  EXPECT_EQ(level_of({}), Level::weak);
}

TEST(Layers, CanBeLimited) {
  for (const Level level : {Level::full, Level::confined, Level::weak})
    EXPECT_EQ(level_of(limited_to(level, kAll)), level);
  EXPECT_EQ(level_of(limited_to(Level::full, {})), Level::weak) << "what is missing can't be asked for";
}

TEST(Layers, SurviveTheirBits) {
  for (std::uint32_t bits = 0; bits < 16; ++bits) EXPECT_EQ(to_bits(layers_from_bits(bits)), bits);
}

TEST(Landlock, VersionsOnlyAdd) {
  const landlock_abi::Version* before = nullptr;
  for (const landlock_abi::Version& version : landlock_abi::kVersions) {
    if (before) {
      EXPECT_EQ(before->fs & ~version.fs, 0U);
      EXPECT_EQ(before->net & ~version.net, 0U);
      EXPECT_EQ(before->scoped & ~version.scoped, 0U);
    }
    before = &version;
  }
  EXPECT_EQ(landlock_abi::kVersions[0].fs, 0x1fffU);
  EXPECT_EQ(landlock_abi::kVersions[6].fs, 0xffffU);
}

TEST(Landlock, SaysWhatIsMissing) {
  EXPECT_EQ(landlock_lacks(7), "");
  EXPECT_EQ(landlock_lacks(2), "truncation, TCP, ioctl, abstract sockets and signals");
  EXPECT_EQ(landlock_lacks(0), "everything");
}

TEST(Doctor, ExplainsItself) {
  const Diagnosis found = examine_machine();
  EXPECT_GE(found.rows.size(), 8U);
  for (const DoctorRow& row : found.rows) {
    EXPECT_NE(row.detail, "") << row.name;
    EXPECT_EQ(row.ok, row.lowers.empty()) << row.name;
    if (!row.ok) {
      EXPECT_NE(found.why.find(row.name), std::string::npos) << row.name;
    }
    EXPECT_EQ(found.level, level_of(found.layers));
  }
  EXPECT_EQ(found.why.rfind(std::string(name_of(found.level)), 0), 0U);
}

}  // namespace
}  // namespace assay::sandbox
