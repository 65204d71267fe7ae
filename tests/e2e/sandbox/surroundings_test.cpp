// What a subject can see of its surroundings, at each level.
#include <sys/stat.h>

#include "rig.h"

namespace assay {
namespace {

using namespace rig;

/// A loaded probe with one function, a lent page of text and a lent output.
class Probe {
 public:
  Probe(const std::string& symbol, std::vector<CType> types, const std::function<void(WorkerSpec&)>& change = {})
      : subject_(probe(), entry_of(symbol, std::move(types)), change) {
    auto loaded = subject_.worker->load();
    if (const auto* failure = std::get_if<LoadFailure>(&loaded)) throw std::runtime_error(failure->what);
    base_ = std::get<Loaded>(loaded).arena;
    const Mapping mappings[] = {{base_, 4096, in_.fd(), false}, {base_ + (1 << 20), 1 << 17, out_.fd(), true}};
    if (subject_.worker->map(mappings)) throw std::runtime_error("no memory lent");
  }

  WorkerProcess& worker() { return *subject_.worker; }
  std::uintptr_t in_address() const { return base_; }
  std::uintptr_t out_address() const { return base_ + (1 << 20); }

  CallOutcome raw(std::vector<std::uint64_t> args) {
    Invocation call;
    call.sequence = ++sequence_;
    call.count = args.size();
    std::copy(args.begin(), args.end(), call.args.begin());
    return subject_.worker->call(call, 5.0);
  }

  std::int64_t on(const std::string& path) {
    std::strcpy(reinterpret_cast<char*>(in_.data()), path.c_str());
    const CallOutcome outcome = raw(std::vector<std::uint64_t>{in_address()});
    return static_cast<std::int64_t>(std::get<Returned>(outcome).value);
  }

  std::string text(const std::string& path) {
    std::strcpy(reinterpret_cast<char*>(in_.data()), path.c_str());
    const CallOutcome outcome = raw({in_address(), out_address()});
    const auto size = static_cast<std::int64_t>(std::get<Returned>(outcome).value);
    return size < 0 ? "" : std::string(reinterpret_cast<const char*>(out_.data()), static_cast<std::size_t>(size));
  }

 private:
  LentMemory in_{4096, Lending::read_only}, out_{1 << 17, Lending::writable};
  Subject subject_;
  std::uintptr_t base_ = 0;
  std::uint64_t sequence_ = 0;
};

const std::vector<CType> kOne{CType::pointer};
const std::vector<CType> kTwo{CType::pointer, CType::pointer};

bool tells_of_an_audit(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(c));
  for (const char* word : {"assay", "audit", "judge", "sandbox", "worker", "candidate", "contract"}) {
    if (text.find(word) != std::string::npos) return true;
  }
  return false;
}

TEST(Surroundings, NothingNamesAnAudit) {
  Probe reads("reads", kTwo);
  for (const char* file : {"cmdline", "comm", "environ", "maps", "cgroup"}) {
    const std::string text = reads.text(std::string("/proc/self/") + file);
    EXPECT_NE(text, "") << file;
    EXPECT_FALSE(tells_of_an_audit(text)) << file << ": " << text;
  }
  Probe links("links", kTwo);
  for (const char* link : {"exe", "cwd", "root", "fd/0", "fd/3"}) {
    EXPECT_FALSE(tells_of_an_audit(links.text(std::string("/proc/self/") + link))) << link;
  }
}

TEST(Surroundings, OnlyTheSocketIsInherited) {
  Probe lists("lists", kTwo);
  std::vector<std::string> names = words(lists.text("/proc/self/fd"), '\n');
  std::sort(names.begin(), names.end());
  // 4 is the folder being read.
  EXPECT_EQ(names, (std::vector<std::string>{".", "..", "0", "1", "2", "3", "4"}));
  const Residue residue = lists.worker().residue(true);
  EXPECT_EQ(residue.descriptors.size(), 4U);
  EXPECT_EQ(residue.descriptors.at(0), "/dev/null");
  EXPECT_EQ(residue.descriptors.at(3).substr(0, 8), "socket:[");
}

TEST(Surroundings, NoOtherProcessIsVisible) {
  if (!machine().layers.namespaces) GTEST_SKIP() << machine().why;
  Probe lists("lists", kTwo);
  int processes = 0;
  for (const std::string& name : words(lists.text("/proc"), '\n')) processes += std::isdigit(name[0]) ? 1 : 0;
  EXPECT_LE(processes, 1) << "init is hidden, and nothing else is there";
}

TEST(Surroundings, IsNobodyAndNotTheFirstProcess) {
  Probe ids("ids", {});
  const auto value = std::get<Returned>(ids.raw({})).value;
  EXPECT_EQ(value >> 32, machine().layers.namespaces || ::geteuid() == 0 ? 65534U : ::geteuid());
  EXPECT_NE(value & 0xffffffffU, 1U);
  struct stat about {};
  for (const pid_t pid : family_of(ids.worker().launcher())) {
    ASSERT_EQ(::stat(("/proc/" + std::to_string(pid) + "/status").c_str(), &about), 0);
    const std::string status = sandbox::read_text("/proc/" + std::to_string(pid) + "/status");
    const std::string uid = status.substr(status.find("Uid:"), 40);
    if (::geteuid() != 0) continue;
    EXPECT_EQ(uid.find("Uid:\t65534\t65534\t65534\t65534"), 0U) << uid;
  }
}

TEST(Surroundings, EnvironmentIsFixed) {
  ::setenv("ASSAY_SECRET", "1", 1);
  Probe variable("variable", kTwo, [](WorkerSpec& spec) { spec.threads = 3; });
  EXPECT_EQ(variable.text("OMP_NUM_THREADS"), "3");
  EXPECT_EQ(variable.text("OPENBLAS_NUM_THREADS"), "3");
  EXPECT_EQ(variable.text("MKL_NUM_THREADS"), "3");
  EXPECT_EQ(variable.text("LC_ALL"), "C");
  EXPECT_EQ(variable.text("ASSAY_SECRET"), "unset");
}

TEST(Surroundings, ScratchIsEmptyAndItsOwn) {
  if (!machine().layers.namespaces) GTEST_SKIP() << machine().why;
  Probe lists("lists", kTwo);
  EXPECT_EQ(words(lists.text("/tmp"), '\n').size(), 2U) << ". and .. only";
  Probe writes("writes", kOne);
  EXPECT_EQ(writes.on("/tmp/mine"), 0);
  EXPECT_NE(writes.on("/opt/lib/mine"), 0);
  struct stat about {};
  EXPECT_NE(::stat("/tmp/mine", &about), 0);
}

TEST(Surroundings, HiddenPathsCantBeOpened) {
  if (!machine().layers.namespaces) GTEST_SKIP() << machine().why;
  const std::string file = "/usr/lib/os-release";
  const std::string folder = "/usr/share/common-licenses";
  Probe open_world("opens", kOne);
  ASSERT_EQ(open_world.on(file), 0);
  Probe opens("opens", kOne, [&](WorkerSpec& spec) { spec.hidden = {file, folder, "/no/such/path"}; });
  EXPECT_EQ(opens.on(file), EACCES);
  EXPECT_NE(opens.on(folder + "/GPL-3"), 0);
  EXPECT_NE(opens.on(folder), 0);
}

TEST(Surroundings, UsersFilesAreOutOfSight) {
  Probe opens("opens", kOne);
  for (const char* path :
       {ASSAY_SOURCE_DIR "/CMakeLists.txt", ASSAY_BINARY_DIR "/assay-worker", "/etc/passwd", "/etc/shadow", "/root"}) {
    EXPECT_NE(opens.on(path), 0) << path;
  }
}

TEST(Memory, EdgesAndInputsAreHard) {
  {
    Probe touch("touch", kOne);
    const CallOutcome outcome = touch.raw(std::vector<std::uint64_t>{touch.in_address()});
    EXPECT_EQ(text_of(std::get<Ended>(outcome)), "signalled 11") << "an input was written";
  }
  for (const std::int64_t edge : {-1, 1 << 17}) {
    Probe peek("peek", kOne);
    const auto address = peek.out_address() + static_cast<std::uintptr_t>(edge);
    EXPECT_EQ(text_of(std::get<Ended>(peek.raw(std::vector<std::uint64_t>{address}))), "signalled 11") << edge;
  }
}

TEST(Memory, IsTakenBack) {
  Probe peek("peek", kOne);
  const auto address = peek.out_address();
  ASSERT_TRUE(std::holds_alternative<Returned>(peek.raw(std::vector<std::uint64_t>{address})));
  const Mapping back[] = {{address, 1 << 17, -1, false}};
  ASSERT_FALSE(peek.worker().map(back));
  EXPECT_EQ(text_of(std::get<Ended>(peek.raw(std::vector<std::uint64_t>{address}))), "signalled 11");
}

TEST(Memory, ManyMappingsAtOnce) {
  Probe peek("peek", kOne);
  std::vector<LentMemory> lent;
  std::vector<Mapping> mappings;
  for (std::uintptr_t i = 0; i < 100; ++i) {
    lent.emplace_back(4096, Lending::read_only);
    *lent.back().data() = static_cast<std::byte>(i);
    mappings.push_back({peek.in_address() + (1ULL << 32) + i * 8192, 4096, lent.back().fd(), false});
  }
  ASSERT_FALSE(peek.worker().map(mappings));
  for (std::uintptr_t i = 0; i < 100; ++i) {
    EXPECT_EQ(std::get<Returned>(peek.raw(std::vector<std::uint64_t>{mappings[i].address})).value, i);
  }
}

}  // namespace
}  // namespace assay
