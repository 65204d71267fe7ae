#include "reports/write.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <iterator>

#include "core/error.h"
#include "reports/render.h"

namespace assay::reports {
namespace {

namespace fs = std::filesystem;

class Write : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "assay-write-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string read(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::ptrdiff_t entries() const { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator()); }

  fs::path folder_;
};

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::kEnvironment);
    return error.what();
  }
  return "";
}

TEST_F(Write, ReplacesTheWholeFile) {
  write_whole(folder_ / "r.json", std::string(100000, 'a'));
  write_whole(folder_ / "r.json", "b");
  EXPECT_EQ(read(folder_ / "r.json"), "b");
  EXPECT_EQ(entries(), 1);
}

TEST_F(Write, GivesTheFileOrdinaryRights) {
  const mode_t mask = umask(022);
  write_whole(folder_ / "r.json", "b");
  umask(mask);
  struct stat status {};
  ASSERT_EQ(stat((folder_ / "r.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644u);
}

/// A limit on file size fails a write in the middle, as a full disk does.
TEST_F(Write, LeavesTheOldFileAndNothingElseWhenTheDiskIsFull) {
  write_whole(folder_ / "r.json", "old");
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{4096, before.rlim_max};
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message = refusal([&] { write_whole(folder_ / "r.json", std::string(100000, 'x')); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(message.find((folder_ / "r.json").string()), std::string::npos) << message;
  EXPECT_EQ(read(folder_ / "r.json"), "old");
  EXPECT_EQ(entries(), 1);
}

TEST_F(Write, NamesTheFolderThatCannotBeUsed) {
  write_whole(folder_ / "file", "");
  const std::string message = refusal([&] { make_folder(folder_ / "file"); });
  EXPECT_NE(message.find((folder_ / "file").string()), std::string::npos) << message;
  EXPECT_NE(refusal([&] { make_folder(folder_ / "file" / "below"); }), "");
  EXPECT_NE(refusal([&] { write_whole(folder_ / "none" / "r.json", "x"); }).find("No such file"), std::string::npos);
}

TEST_F(Write, AFolderInThePlaceOfTheReportIsLeftAlone) {
  make_folder(folder_ / "r.json" / "below");
  EXPECT_NE(refusal([&] { write_whole(folder_ / "r.json", "x"); }).find("replace"), std::string::npos);
  EXPECT_EQ(entries(), 1);
}

TEST_F(Write, WritesTheFormatsThatAreAskedForAndHaveAFile) {
  const std::vector<Format> formats{Format::console, Format::json};
  write_all((folder_ / "a" / "b").string(), formats, AuditReport{});
  EXPECT_TRUE(fs::exists(folder_ / "a" / "b" / "report.json"));
  EXPECT_FALSE(fs::exists(folder_ / "a" / "b" / "report.xml"));
}

}  // namespace
}  // namespace assay::reports
