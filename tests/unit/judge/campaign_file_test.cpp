#include "judge/speed/campaign_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/error.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

const std::string kContract(64, 'a'), kOther(64, 'b'), kCandidate(64, 'c');

struct Folder {
  fs::path path = fs::temp_directory_path() / ("assay-campaign-" + std::to_string(getpid()));
  Folder() { fs::create_directory(path); }
  ~Folder() { fs::remove_all(path); }
  std::string file() const { return (path / "campaign").string(); }
};

TEST(CampaignFile, EachSubmissionCountsAndSpendsLess) {
  const Folder folder;
  const CampaignTerms first = enter_campaign(folder.file(), kContract, kCandidate);
  EXPECT_EQ(first.text, "submission 1");
  EXPECT_GE(first.processes, 6);
  CampaignTerms last = first;
  for (int i = 2; i <= 40; ++i) last = enter_campaign(folder.file(), kContract, kCandidate);
  EXPECT_EQ(last.text, "submission 40");
  EXPECT_LT(last.alpha, first.alpha);
}

TEST(CampaignFile, BelongsToOneContract) {
  const Folder folder;
  enter_campaign(folder.file(), kContract, kCandidate);
  EXPECT_THROW(enter_campaign(folder.file(), kOther, kCandidate), Error);
}

TEST(CampaignFile, ATornFileGivesNothingBack) {
  const Folder folder;
  enter_campaign(folder.file(), kContract, kCandidate);
  std::ofstream(folder.file(), std::ios::app) << "submission 2 ";
  EXPECT_THROW(enter_campaign(folder.file(), kContract, kCandidate), Error);
}

TEST(CampaignFile, SaysWhereItCannotBeWritten) {
  const Folder folder;
  try {
    enter_campaign((folder.path / "missing" / "campaign").string(), kContract, kCandidate);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::kUsage);
    EXPECT_NE(std::string(error.what()).find("missing/campaign"), std::string::npos);
  }
}

}  // namespace
}  // namespace assay
