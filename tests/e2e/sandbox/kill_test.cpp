// Whoever dies, nothing stays: launcher, init or worker killed from outside, at rest and in a call; and the judge
// itself.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <random>
#include <thread>

#include "core/error.h"
#include "rig.h"

namespace assay {
namespace {

using namespace rig;

pid_t only_child(pid_t parent) {
  const std::string id = std::to_string(parent);
  const std::string text = sandbox::read_text("/proc/" + id + "/task/" + id + "/children");
  return text.empty() ? -1 : static_cast<pid_t>(std::stol(text));
}

struct Victim {
  const char* name;
  int steps;  ///< generations below the launcher
  bool ours;  ///< its death is an auditor's error, not a fact about the subject
};

class Kill : public testing::TestWithParam<std::tuple<Victim, sandbox::Level>> {
 protected:
  void SetUp() override {
    const sandbox::Level level = std::get<1>(GetParam());
    layers_ = sandbox::limited_to(level, machine().layers);
    if (sandbox::level_of(layers_) != level) GTEST_SKIP() << machine().why;
  }

  pid_t victim_of(const WorkerProcess& worker) const {
    pid_t pid = worker.launcher();
    for (int i = 0; i < std::get<0>(GetParam()).steps; ++i) pid = only_child(pid);
    return pid;
  }

  /// Loads `name`, kills the victim after `delay_us` in a call or at rest, and asks for a call.
  void run(const std::string& name, int delay_us, bool at_rest) {
    Subject subject(fixture(name), rmsnorm_entry(), [&](WorkerSpec& spec) { spec.layers = layers_; });
    auto loaded = subject.worker->load();
    ASSERT_TRUE(std::holds_alternative<Loaded>(loaded));
    Buffers buffers;
    ASSERT_FALSE(buffers.lend(*subject.worker, std::get<Loaded>(loaded).arena));
    const std::set<pid_t> family = family_of(subject.worker->launcher());
    ASSERT_EQ(family.size(), 3U);
    const pid_t victim = victim_of(*subject.worker);
    std::thread killer([=] {
      ::usleep(static_cast<useconds_t>(delay_us));
      ::kill(victim, SIGKILL);
    });
    if (at_rest) killer.join();
    call(subject, buffers);
    if (!at_rest) killer.join();
    EXPECT_TRUE(left_after(family, 3.0).empty());
  }

  void call(Subject& subject, Buffers& buffers) const {
    const bool ours = std::get<0>(GetParam()).ours;
    try {
      const CallOutcome outcome = subject.worker->call(buffers.invocation(1), 5.0);
      ASSERT_TRUE(std::holds_alternative<Ended>(outcome));
      EXPECT_FALSE(ours) << "a dead keeper was blamed on the subject: " << std::get<Ended>(outcome).what;
      EXPECT_EQ(text_of(std::get<Ended>(outcome)), "signalled 9");
    } catch (const Error& error) {
      EXPECT_TRUE(ours) << error.what();
    }
  }

  sandbox::Layers layers_;
};

TEST_P(Kill, AtRest) {
  run("infinite_loop", 0, true);
}
TEST_P(Kill, InACall) {
  run("infinite_loop", 20000, false);
}

INSTANTIATE_TEST_SUITE_P(Each, Kill,
                         testing::Combine(testing::Values(Victim{"launcher", 0, true}, Victim{"init", 1, true},
                                                          Victim{"worker", 2, false}),
                                          testing::Values(sandbox::Level::full, sandbox::Level::confined)),
                         [](const auto& about) {
                           return std::string(std::get<0>(about.param).name) + "_" +
                                  std::string(sandbox::name_of(std::get<1>(about.param)));
                         });

/// What a judge tells the test through shared memory before it is killed.
struct Shared {
  std::atomic<int> count;
  std::array<std::atomic<pid_t>, 8> pids;
};

[[noreturn]] void be_a_judge(Shared& shared, const sandbox::Layers& layers) {
  while (true) {
    Subject subject(fixture("infinite_loop"), rmsnorm_entry(), [&](WorkerSpec& spec) { spec.layers = layers; });
    auto loaded = subject.worker->load();
    int index = 0;
    for (const pid_t pid : family_of(subject.worker->launcher())) shared.pids[static_cast<std::size_t>(index++)] = pid;
    shared.count = index;
    Buffers buffers;
    buffers.lend(*subject.worker, std::get<Loaded>(loaded).arena);
    subject.worker->call(buffers.invocation(1), 0.005);
  }
}

/// Descendants of `ancestor` now, without itself; looked up by scanning, because they may just be starting.
void kill_at_random(const sandbox::Layers& layers, unsigned seed) {
  void* page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* shared = new (page) Shared{};
  image();
  const pid_t judge = ::fork();
  if (judge == 0) be_a_judge(*shared, layers);
  std::mt19937 random(seed);
  ::usleep(std::uniform_int_distribution<useconds_t>(1000, 80000)(random));
  ::kill(judge, SIGSTOP);
  std::set<pid_t> family = family_of(judge);
  ::kill(judge, SIGKILL);
  ::waitpid(judge, nullptr, 0);
  family.erase(judge);
  for (int i = 0; i < shared->count; ++i) family.insert(shared->pids[static_cast<std::size_t>(i)]);
  EXPECT_TRUE(left_after(family, 3.0).empty()) << "seed " << seed;
  ::munmap(page, 4096);
}

TEST(KillJudge, AtRandomMoments) {
  for (unsigned seed = 0; seed < 25; ++seed) kill_at_random(machine().layers, seed);
}

/// Library folders of sandboxes without a private root: names of six letters with shared objects in them.
int library_folders() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/tmp")) {
    std::error_code none;
    count += entry.path().filename().string().size() == 6 &&
             std::filesystem::exists(entry.path() / "infinite_loop.so", none);
  }
  return count;
}

TEST(KillJudge, AtRandomMomentsWithoutNamespaces) {
  const int before = library_folders();
  for (unsigned seed = 0; seed < 25; ++seed) {
    kill_at_random(sandbox::limited_to(sandbox::Level::confined, machine().layers), seed);
  }
  EXPECT_LE(library_folders(), before) << "folders are left";
}

TEST(End, LeavesNothingAndIsFinal) {
  Subject subject(probe(), entry_of("nothing", {}));
  ASSERT_TRUE(std::holds_alternative<Loaded>(subject.worker->load()));
  const std::set<pid_t> family = family_of(subject.worker->launcher());
  Invocation call;
  EXPECT_TRUE(std::holds_alternative<Returned>(subject.worker->call(call, 1.0)));
  subject.worker->end();
  EXPECT_TRUE(alive(family).empty());
  EXPECT_EQ(text_of(std::get<Ended>(subject.worker->call(call, 1.0))), "ended");
  EXPECT_TRUE(subject.worker->attempts().empty());
  EXPECT_EQ(subject.worker->residue(true).threads, 0);
}

}  // namespace
}  // namespace assay
