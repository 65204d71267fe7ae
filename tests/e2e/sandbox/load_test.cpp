// How a subject can fail to load, each with its own words; and honest ones at every level.
#include <filesystem>

#include "core/error.h"
#include "rig.h"

namespace assay {
namespace {

using namespace rig;

LoadFailure failure_of(const std::string& path, const std::string& symbol = "rmsnorm") {
  Entry entry = rmsnorm_entry();
  entry.symbol = symbol;
  Subject subject(path, entry);
  auto loaded = subject.worker->load();
  EXPECT_TRUE(std::holds_alternative<LoadFailure>(loaded));
  return std::holds_alternative<LoadFailure>(loaded) ? std::get<LoadFailure>(loaded) : LoadFailure{};
}

bool says(const LoadFailure& failure, const std::string& text) {
  return failure.what.find(text) != std::string::npos;
}

TEST(Load, NotAnElf) {
  const LoadFailure failure = failure_of(ASSAY_SOURCE_DIR "/LICENSE");
  EXPECT_EQ(failure.kind, LoadFailureKind::not_loadable);
  EXPECT_EQ(failure.what, "LICENSE: not an ELF file: a subject is a shared object (cc -shared -fPIC)");
}

TEST(Load, WrongArchitecture) {
  std::ifstream in(probe(), std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  bytes[18] = static_cast<char>(183);
  const std::string path = testing::TempDir() + "foreign.so";
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_TRUE(says(failure_of(path), "built for AArch64; this machine is x86-64"));
  std::filesystem::remove(path);
}

TEST(Load, UnresolvedSymbol) {
  const LoadFailure failure = failure_of(fixture("unresolved_symbol"));
  EXPECT_EQ(failure.kind, LoadFailureKind::not_loadable);
  EXPECT_TRUE(says(failure, "undefined symbol: function_of_nobody")) << failure.what;
  EXPECT_FALSE(says(failure, "/opt/lib/")) << "the sandbox's own folder is no news";
}

TEST(Load, MissingSymbolSuggests) {
  const LoadFailure failure = failure_of(fixture("no_entry"));
  EXPECT_EQ(failure.kind, LoadFailureKind::missing_symbol);
  EXPECT_EQ(failure.near, std::vector<std::string>{"rmsnorm_"});
  EXPECT_TRUE(failure_of(fixture("no_entry"), "zzzzzz").near.empty());
}

TEST(Load, ConstructorsAreToldApart) {
  EXPECT_TRUE(says(failure_of(fixture("exit0_in_constructor")), "exit status 0"));
  EXPECT_TRUE(says(failure_of(fixture("crash_in_constructor")), "SIGSEGV"));
}

/// A library, and one that needs it without saying where it is.
TEST(Load, FilesBesideTheSubjectAreFound) {
  const std::string needs = ASSAY_BINARY_DIR "/tests/e2e/sandbox/needs_helper.so";
  const std::string helper = ASSAY_BINARY_DIR "/tests/e2e/sandbox/libsandbox_helper.so";
  {
    Subject alone(needs, entry_of("answer", {}));
    auto loaded = alone.worker->load();
    ASSERT_TRUE(std::holds_alternative<LoadFailure>(loaded));
    EXPECT_TRUE(says(std::get<LoadFailure>(loaded), "libsandbox_helper.so")) << std::get<LoadFailure>(loaded).what;
    EXPECT_TRUE(says(std::get<LoadFailure>(loaded), "name the library with --with"));
  }
  Subject together(needs, entry_of("answer", {}), {}, {helper});
  auto loaded = together.worker->load();
  ASSERT_TRUE(std::holds_alternative<Loaded>(loaded)) << std::get<LoadFailure>(loaded).what;
  Invocation call;
  EXPECT_EQ(std::get<Returned>(together.worker->call(call, 1.0)).value, 42U);
}

TEST(Load, OurOwnMistakesThrow) {
  EXPECT_THROW(Subject(probe(), entry_of(std::string(600, 'x'), {})), Error);
  EXPECT_THROW(Subject(probe(), entry_of("nothing", std::vector<CType>(65, CType::i64))), Error);
  Subject subject(probe(), entry_of("nothing", {}));
  ASSERT_TRUE(std::holds_alternative<Loaded>(subject.worker->load()));
  EXPECT_THROW(subject.worker->load(), Error);
  Invocation call;
  call.count = 1;
  EXPECT_THROW(subject.worker->call(call, 1.0), Error);
}

TEST(Load, ASandboxThatCantBeBuiltIsOurFault) {
  Subject subject(probe(), entry_of("nothing", {}), [](WorkerSpec& spec) { spec.files[0].name = "../escape.so"; });
  EXPECT_THROW(subject.worker->load(), Error);
}

class Levels : public testing::TestWithParam<sandbox::Level> {};

TEST_P(Levels, AnHonestCallIsRight) {
  const sandbox::Layers layers = sandbox::limited_to(GetParam(), machine().layers);
  if (sandbox::level_of(layers) != GetParam()) GTEST_SKIP() << machine().why;
  Subject subject(fixture("segv"), rmsnorm_entry(), [&](WorkerSpec& spec) { spec.layers = layers; });
  auto loaded = subject.worker->load();
  ASSERT_TRUE(std::holds_alternative<Loaded>(loaded)) << std::get<LoadFailure>(loaded).what;
  const std::set<pid_t> family = family_of(subject.worker->launcher());
  Buffers buffers;
  ASSERT_FALSE(buffers.lend(*subject.worker, std::get<Loaded>(loaded).arena));
  EXPECT_EQ(text_of(std::get<Ended>(subject.worker->call(buffers.invocation(1), 2.0))), "signalled 11");
  EXPECT_TRUE(left_after(family, 0.0).empty());
}

TEST_P(Levels, ThirtyCallsAreRight) {
  const sandbox::Layers layers = sandbox::limited_to(GetParam(), machine().layers);
  if (sandbox::level_of(layers) != GetParam()) GTEST_SKIP() << machine().why;
  Subject subject(fixture("sigcont_handler"), rmsnorm_entry(), [&](WorkerSpec& spec) { spec.layers = layers; });
  auto loaded = subject.worker->load();
  ASSERT_TRUE(std::holds_alternative<Loaded>(loaded)) << std::get<LoadFailure>(loaded).what;
  Buffers buffers;
  ASSERT_FALSE(buffers.lend(*subject.worker, std::get<Loaded>(loaded).arena));
  for (std::uint64_t number = 1; number <= 30; ++number) {
    std::memset(buffers.y.data(), 0xff, 4096);
    const CallOutcome outcome = subject.worker->call(buffers.invocation(number * 1000), 2.0);
    ASSERT_TRUE(std::holds_alternative<Returned>(outcome)) << std::get<Ended>(outcome).what;
    EXPECT_LT(buffers.error(), 1e-6);
    EXPECT_GT(std::get<Returned>(outcome).wall_ns, 0);
  }
  EXPECT_TRUE(subject.worker->attempts().empty());
}

TEST_P(Levels, FilesOfTheUserStayShut) {
  const sandbox::Layers layers = sandbox::limited_to(GetParam(), machine().layers);
  if (sandbox::level_of(layers) != GetParam() || GetParam() == sandbox::Level::weak) GTEST_SKIP() << "no promise";
  Subject subject(fixture("opens_files"), rmsnorm_entry(), [&](WorkerSpec& spec) { spec.layers = layers; });
  auto loaded = subject.worker->load();
  ASSERT_TRUE(std::holds_alternative<Loaded>(loaded));
  Buffers buffers;
  ASSERT_FALSE(buffers.lend(*subject.worker, std::get<Loaded>(loaded).arena));
  EXPECT_EQ(std::get<Returned>(subject.worker->call(buffers.invocation(1), 2.0)).value, 0U);
}

TEST(Stopping, ThroughInitIsTheSame) {
  for (const bool through_init : {false, true}) {
    Subject subject(fixture("wakes_itself"), rmsnorm_entry(),
                    [&](WorkerSpec& spec) { spec.stop_through_init = through_init; });
    auto loaded = subject.worker->load();
    ASSERT_TRUE(std::holds_alternative<Loaded>(loaded));
    Buffers buffers;
    ASSERT_FALSE(buffers.lend(*subject.worker, std::get<Loaded>(loaded).arena));
    for (std::uint64_t number = 1; number <= 8; ++number) {
      EXPECT_TRUE(std::holds_alternative<Returned>(subject.worker->call(buffers.invocation(number), 2.0)));
      ::usleep(20000);
      const Residue residue = subject.worker->residue(false);
      EXPECT_EQ(residue.threads, 1);
      EXPECT_GT(residue.resident_bytes, 0);
      EXPECT_GT(residue.cpu_ns, 0);
    }
    EXPECT_GT(subject.worker->attempts()["woke while stopped"], 0) << through_init;
  }
}

/// Whether it is one or many threads that would go on: after a call nothing moves.
TEST(Stopping, EveryThreadStandsStill) {
  for (const bool through_init : {false, true}) {
    Subject subject(fixture("leaves_thread"), rmsnorm_entry(),
                    [&](WorkerSpec& spec) { spec.stop_through_init = through_init; });
    auto loaded = subject.worker->load();
    ASSERT_TRUE(std::holds_alternative<Loaded>(loaded));
    Buffers buffers;
    ASSERT_FALSE(buffers.lend(*subject.worker, std::get<Loaded>(loaded).arena));
    for (std::uint64_t number = 1; number <= 7; ++number) {
      ASSERT_TRUE(std::holds_alternative<Returned>(subject.worker->call(buffers.invocation(number), 2.0)));
      ::usleep(1000);
      const std::int64_t before = subject.worker->residue(false).cpu_ns;
      ::usleep(10000);
      EXPECT_EQ(subject.worker->residue(false).cpu_ns, before) << number << " spinning threads";
      EXPECT_EQ(subject.worker->residue(false).threads, static_cast<std::int64_t>(number) + 1);
    }
    EXPECT_TRUE(subject.worker->attempts().empty());
    subject.worker->linger(0.02);
    const std::int64_t after = subject.worker->residue(false).cpu_ns;
    ::usleep(10000);
    EXPECT_EQ(subject.worker->residue(false).cpu_ns, after);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, Levels,
                         testing::Values(sandbox::Level::full, sandbox::Level::confined, sandbox::Level::weak),
                         [](const auto& about) { return std::string(sandbox::name_of(about.param)); });

}  // namespace
}  // namespace assay
