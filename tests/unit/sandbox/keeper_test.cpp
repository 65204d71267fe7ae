#include "sandbox/keeper.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>

#include <atomic>
#include <new>
#include <thread>

#include "child.h"
#include "core/error.h"
#include "sandbox/image.h"
#include "sandbox/limits.h"
#include "sandbox/residue.h"
#include "sandbox/root.h"

namespace assay::sandbox {
namespace {

/// A child that counts as fast as it can in shared memory.
class Counter {
 public:
  Counter() {
    void* page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    count_ = new (page) std::atomic<long>(0);
    pid_ = ::fork();
    if (pid_ == 0) {
      while (true) count_->fetch_add(1);
    }
  }
  ~Counter() { ::munmap(static_cast<void*>(count_), 4096); }
  pid_t pid() const { return pid_; }
  bool counts() const {
    const long before = *count_;
    for (int i = 0; i < 200 && *count_ == before; ++i) ::usleep(1000);
    return *count_ != before;
  }
  bool stands() const {
    const long before = *count_;
    ::usleep(20000);
    return *count_ == before;
  }

 private:
  std::atomic<long>* count_ = nullptr;
  pid_t pid_ = -1;
};

TEST(Keeper, StopsContinuesAndBuries) {
  Counter counter;
  Keeper keeper(counter.pid());
  EXPECT_TRUE(counter.counts());
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(std::holds_alternative<Stopped>(keeper.stop()));
    EXPECT_TRUE(std::holds_alternative<Stopped>(keeper.stop())) << "stopping twice must not hang";
    EXPECT_TRUE(counter.stands());
    EXPECT_FALSE(keeper.resume());
    EXPECT_TRUE(counter.counts());
  }
  EXPECT_TRUE(std::holds_alternative<Running>(keeper.state(0)));
  const ProcessState end = keeper.kill();
  ASSERT_TRUE(std::holds_alternative<Killed>(end));
  EXPECT_EQ(std::get<Killed>(end).signal, SIGKILL);
  EXPECT_TRUE(std::holds_alternative<Killed>(keeper.stop())) << "an end stays an end";
}

TEST(Keeper, SeesThatSomebodyElseWokeIt) {
  Counter counter;
  Keeper keeper(counter.pid());
  keeper.stop();
  ::kill(counter.pid(), SIGCONT);
  EXPECT_TRUE(counter.counts());
  EXPECT_TRUE(keeper.resume());
  keeper.stop();
  EXPECT_FALSE(keeper.resume());
  keeper.kill();
}

/// A SIGCONT that comes before the child acted on a SIGSTOP removes it: stop() must neither hang nor believe it.
TEST(Keeper, StopsAChildThatWakesItselfAllTheTime) {
  const pid_t child = ::fork();
  if (child == 0) {
    while (true) ::kill(::getpid(), SIGCONT);
  }
  Keeper keeper(child);
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(std::holds_alternative<Stopped>(keeper.stop())) << i;
    keeper.resume();
  }
  keeper.kill();
}

TEST(Keeper, TellsASelfWakeAlsoWhenStoppedAgainMeanwhile) {
  Counter counter;
  Keeper keeper(counter.pid());
  keeper.stop();
  ::kill(counter.pid(), SIGCONT);
  EXPECT_TRUE(counter.counts());
  keeper.stop();
  EXPECT_TRUE(keeper.resume());
  EXPECT_FALSE(keeper.resume());
  keeper.kill();
}

TEST(Keeper, TellsExitFromSignal) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(7);
  Keeper keeper(child);
  const ProcessState end = keeper.state(2000);
  ASSERT_TRUE(std::holds_alternative<Exited>(end));
  EXPECT_EQ(std::get<Exited>(end).status, 7);
}

TEST(Residue, ReadsAnotherProcess) {
  Counter counter;
  const ProcessReader reader(counter.pid());
  const ProcessFacts cheap = reader.read(false);
  EXPECT_EQ(cheap.threads, 1);
  EXPECT_GT(cheap.resident_bytes, 0);
  EXPECT_FALSE(cheap.full);
  EXPECT_TRUE(counter.counts());
  ProcessFacts full = reader.read(true);
  // The kernel books processor time at its ticks, and a busy machine may not let the child run for some.
  for (int i = 0; i < 200 && full.cpu_ns <= cheap.cpu_ns; ++i) {
    ::usleep(10000);
    full = reader.read(true);
  }
  EXPECT_GT(full.cpu_ns, cheap.cpu_ns);
  EXPECT_GT(full.mappings, 5);
  EXPECT_EQ(full.children, 0);
  EXPECT_NE(full.descriptors.count(0), 0U);
  for (const char* key : {"working directory", "affinity", "signal handlers", "limits", "priority", "umask"}) {
    EXPECT_NE(full.state.count(key), 0U) << key;
  }
  Keeper(counter.pid()).kill();
  EXPECT_EQ(reader.read(true).threads, 0) << "a process that is gone";
}

TEST(Limits, BindTheProcess) {
  EXPECT_EQ(in_child([] {
              apply_limits({1, std::int64_t{256} << 20}, false);
              void* small = ::mmap(nullptr, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              void* large =
                  ::mmap(nullptr, std::size_t{1} << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              if (small == MAP_FAILED) return 1;
              return large == MAP_FAILED ? 0 : 2;
            }),
            0);
}

TEST(Image, IsSealed) {
  const UniqueFd copy = sealed_copy("/bin/true", true);
  EXPECT_EQ(::pwrite(copy.get(), "x", 1, 0), -1);
  EXPECT_EQ(::ftruncate(copy.get(), 0), -1);
  EXPECT_THROW(sealed_copy("/no/such/file", false), Error);
  EXPECT_THROW(sealed_copy("/usr", false), Error);
}

TEST(Root, RefusesNamesThatArePaths) {
  std::vector<NamedFile> files;
  files.push_back({"../escape", sealed_copy("/bin/true", false)});
  EXPECT_THROW(make_library_folder(files), Error);
}

TEST(Root, LibraryFolderComesAndGoes) {
  std::vector<NamedFile> files;
  files.push_back({"one.so", sealed_copy("/bin/true", false)});
  const std::string folder = make_library_folder(files);
  EXPECT_EQ(::access((folder + "/one.so").c_str(), R_OK), 0);
  remove_library_folder(folder, {files[0].name});
  EXPECT_NE(::access(folder.c_str(), F_OK), 0);
}

}  // namespace
}  // namespace assay::sandbox
