#include "reports/write.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "core/error.h"

namespace assay::reports {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, std::string_view what, int error) {
  throw Error(fmt::format("cannot {} {}: {}; choose another --out or free the path", what, path.string(),
                          std::generic_category().message(error)));
}

/// A file that is removed again unless it was moved to its place.
class Draft {
 public:
  explicit Draft(std::filesystem::path place) : place_(std::move(place)) {
    draft_ = (place_.parent_path() / ("." + place_.filename().string() + ".XXXXXX")).string();
    fd_ = mkostemp(draft_.data(), O_CLOEXEC);
    if (fd_ < 0) refuse(place_, "write", errno);
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    if (fd_ >= 0) close(fd_);
    if (!kept_) unlink(draft_.c_str());
  }

  void append(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) refuse(place_, "write", written < 0 ? errno : ENOSPC);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void keep() {
    const mode_t mask = umask(0);
    umask(mask);
    if (fchmod(fd_, 0666 & ~mask) != 0 || fsync(fd_) != 0) refuse(place_, "write", errno);
    if (close(std::exchange(fd_, -1)) != 0) refuse(place_, "write", errno);
    if (rename(draft_.c_str(), place_.c_str()) != 0) refuse(place_, "replace", errno);
    kept_ = true;
  }

 private:
  std::filesystem::path place_;
  std::string draft_;
  int fd_ = -1;
  bool kept_ = false;
};

/// The rename itself survives a power cut only if the folder is on the disk too. Some file systems can't: no harm done.
void sync_folder(const std::filesystem::path& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

}  // namespace

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) refuse(folder, "make folder", error.value());
  if (!std::filesystem::is_directory(folder, error)) refuse(folder, "use as a folder", ENOTDIR);
}

void require_writable(const std::filesystem::path& folder) {
  if (access(folder.c_str(), W_OK | X_OK) != 0) refuse(folder, "write into", errno);
}

void write_whole(const std::filesystem::path& file, std::string_view bytes) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  Draft draft(folder / file.filename());
  draft.append(bytes);
  draft.keep();
  sync_folder(folder);
}

}  // namespace assay::reports
