#include "sandbox/root.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>

#include "core/error.h"
#include "sandbox/system.h"

namespace assay::sandbox {
namespace {

/// Where the new root is assembled: any folder that exists everywhere. Sources never lie below it.
constexpr const char kStage[] = "/tmp";

struct Source {
  const char* path;
  bool device;
};

/// What a worker sees of the machine. Missing ones are skipped, links are copied as links. Of /etc only what the loader
/// and the C library read: neither users nor hosts.
constexpr Source kSources[] = {
    {"/usr", false},
    {"/bin", false},
    {"/sbin", false},
    {"/lib", false},
    {"/lib32", false},
    {"/lib64", false},
    {"/libx32", false},
    {"/etc/ld.so.cache", false},
    {"/etc/ld.so.conf", false},
    {"/etc/ld.so.conf.d", false},
    {"/etc/alternatives", false},
    {"/etc/localtime", false},
    {"/sys/devices/system/cpu", false},
    {"/sys/devices/system/node", false},
    {"/dev/null", true},
    {"/dev/zero", true},
    {"/dev/full", true},
    {"/dev/random", true},
    {"/dev/urandom", true},
};

struct Link {
  const char* path;
  const char* target;
};

constexpr Link kLinks[] = {
    {"/dev/fd", "/proc/self/fd"},
    {"/dev/stdin", "/proc/self/fd/0"},
    {"/dev/stdout", "/proc/self/fd/1"},
    {"/dev/stderr", "/proc/self/fd/2"},
    {"/dev/shm", "/tmp"},
};

/// struct mount_attr of the kernel; glibc before 2.36 has neither it nor the call.
struct MountAttributes {
  std::uint64_t set = 0;
  std::uint64_t clear = 0;
  std::uint64_t propagation = 0;
  std::uint64_t user_namespace = 0;
};
constexpr std::uint64_t kReadOnly = 1;
constexpr std::uint64_t kNoSuid = 2;
constexpr std::uint64_t kNoDevices = 4;
constexpr unsigned kRecursive = 0x8000;  // AT_RECURSIVE
#ifndef SYS_mount_setattr
constexpr long SYS_mount_setattr = 442;
#endif

void make_parents(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string folder = path.substr(0, slash);
    if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) fail("can't make " + folder);
  }
}

void make_folder(const std::string& path) {
  make_parents(path + "/");
}

void make_file(const std::string& path, mode_t mode) {
  make_parents(path);
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, mode));
  checked(file.get(), "can't make " + path);
}

void copy_link(const std::string& source, const std::string& target) {
  std::array<char, PATH_MAX> text{};
  checked(::readlink(source.c_str(), text.data(), text.size() - 1), source);
  make_parents(target);
  checked(::symlink(text.data(), target.c_str()), "can't link " + target);
}

void protect(const std::string& path, std::uint64_t attributes) {
  const MountAttributes wanted{attributes, 0, 0, 0};
  checked(::syscall(SYS_mount_setattr, -1, path.c_str(), kRecursive, &wanted, sizeof wanted),
          "can't make " + path + " read-only");
}

void bind(const Source& source) {
  struct stat about {};
  if (::lstat(source.path, &about) != 0) return;
  const std::string target = std::string(kStage) + source.path;
  if (S_ISLNK(about.st_mode)) return copy_link(source.path, target);
  if (S_ISDIR(about.st_mode)) {
    make_folder(target);
  } else {
    make_file(target, 0444);
  }
  checked(::mount(source.path, target.c_str(), nullptr, MS_BIND | MS_REC, nullptr), "can't bind " + target);
  protect(target, kReadOnly | kNoSuid | (source.device ? 0 : kNoDevices));
}

void mount_proc() {
  const std::string target = std::string(kStage) + "/proc";
  make_folder(target);
  const unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  // hidepid: a worker doesn't see the init that keeps it.
  if (::mount("proc", target.c_str(), "proc", flags, "hidepid=2") == 0) return;
  checked(::mount("proc", target.c_str(), "proc", flags, nullptr), "can't mount a fresh /proc");
}

void mount_scratch(const std::string& target, const char* options, unsigned long more = 0) {
  make_folder(target);
  checked(::mount("tmpfs", target.c_str(), "tmpfs", MS_NOSUID | MS_NODEV | more, options), "can't mount " + target);
}

void leave_old_root() {
  checked(::chdir(kStage), kStage);
  checked(::syscall(SYS_pivot_root, ".", "."), "can't change the root");
  checked(::umount2(".", MNT_DETACH), "can't leave the old root");
  checked(::chdir("/"), "/");
}

void copy_into(const std::string& folder, const NamedFile& file) {
  if (file.name.empty() || file.name.find('/') != std::string::npos || file.name == "." || file.name == "..") {
    throw Error("'" + file.name + "' is no name for a file beside the subject");
  }
  const std::string path = folder + "/" + file.name;
  const UniqueFd copy(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444));
  checked(copy.get(), "can't make " + path);
  struct stat about {};
  checked(::fstat(file.contents.get(), &about), path);
  off_t offset = 0;
  while (offset < about.st_size) {
    const auto left = static_cast<std::size_t>(about.st_size - offset);
    const long sent = checked(::sendfile(copy.get(), file.contents.get(), &offset, left), "can't copy " + path);
    if (sent == 0) throw Error("can't copy " + path + ": it ended early");
  }
}

/// Lies in a folder that every worker sees.
bool shown(const std::string& path) {
  const auto holds = [&](const Source& source) {
    return !source.device && path.starts_with(source.path + std::string("/"));
  };
  return std::any_of(std::begin(kSources), std::end(kSources), holds);
}

/// Overmounts with something that nobody may open.
void hide(const std::string& path) {
  struct stat about {};
  if (::lstat(path.c_str(), &about) != 0) return;
  if (S_ISDIR(about.st_mode)) return mount_scratch(path, "size=4k,mode=0", MS_RDONLY);
  checked(::mount("/opt/none", path.c_str(), nullptr, MS_BIND, nullptr), "can't hide " + path);
}

}  // namespace

void build_root(const std::vector<NamedFile>& files, const std::vector<std::string>& hidden,
                const std::string& subject_folder, const std::vector<Opening>& openings) {
  checked(::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr), "can't make mounts private");
  mount_scratch(kStage, "mode=755");
  for (const Source& source : kSources) bind(source);
  for (const Opening& opening : openings) {
    if (!shown(opening.path)) bind({opening.path.c_str(), opening.node});
  }
  mount_proc();
  mount_scratch(std::string(kStage) + "/tmp", "size=64m,nr_inodes=4k,mode=1777");
  for (const Link& link : kLinks) {
    const std::string path = std::string(kStage) + link.path;
    make_parents(path);
    checked(::symlink(link.target, path.c_str()), "can't link " + path);
  }
  leave_old_root();
  make_folder(subject_folder);
  make_file("/opt/none", 0);
  for (const std::string& path : hidden) hide(path);
  for (const NamedFile& file : files) copy_into(subject_folder, file);
  const unsigned long flags = MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV;
  checked(::mount(nullptr, "/", nullptr, flags, nullptr), "can't make the root read-only");
}

std::string make_library_folder(const std::vector<NamedFile>& files) {
  std::string folder = "/tmp/XXXXXX";
  if (!::mkdtemp(folder.data())) fail("can't make a folder for the subject below /tmp");
  for (const NamedFile& file : files) copy_into(folder, file);
  checked(::chmod(folder.c_str(), 0555), folder);
  return folder;
}

void remove_library_folder(const std::string& folder, const std::vector<std::string>& names) {
  ::chmod(folder.c_str(), 0755);
  for (const std::string& name : names) ::unlink((folder + "/" + name).c_str());
  ::rmdir(folder.c_str());
}

}  // namespace assay::sandbox
