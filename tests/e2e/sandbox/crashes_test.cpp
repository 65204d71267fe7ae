// Runs every fixture of fixtures/crashes through a worker and compares what happened with the fixture's first comment:
//   expected: load|call exited N | signalled N [or N] | deadline | protocol, load missing NAME, load unloadable,
//   returns N;
//             then, after semicolons: twice · attempts NAME, … · residue KEY, … · own KEY, …
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <chrono>
#include <filesystem>

#include "rig.h"

namespace assay {
namespace {

using namespace rig;

/// Listeners that a confined worker must not reach (abstract_socket.c, tcp_connect.c).
class Listeners {
 public:
  Listeners() {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::memcpy(name.sun_path + 1, "outside-listener", 16);
    open(AF_UNIX, reinterpret_cast<const sockaddr*>(&name), sizeof(sa_family_t) + 17);
    sockaddr_in port{};
    port.sin_family = AF_INET;
    port.sin_port = htons(47811);
    port.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    open(AF_INET, reinterpret_cast<const sockaddr*>(&port), sizeof port);
  }

 private:
  void open(int family, const sockaddr* name, socklen_t size) {
    sockets_.emplace_back(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int yes = 1;
    ::setsockopt(sockets_.back().get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (::bind(sockets_.back().get(), name, size) == 0) ::listen(sockets_.back().get(), 4);
  }
  std::vector<sandbox::UniqueFd> sockets_;
};

struct Seen {
  std::string outcome;
  Attempts attempts;
  Residue before, after;
  std::set<pid_t> family;
};

void keep_calling(Subject& subject, Buffers& buffers, bool twice, double deadline_s, Seen& seen) {
  seen.before = subject.worker->residue(true);
  for (std::uint64_t number = 1; number <= (twice ? 3 : 1); ++number) {
    const CallOutcome outcome = subject.worker->call(buffers.invocation(number), deadline_s);
    if (const auto* end = std::get_if<Ended>(&outcome)) {
      seen.outcome = "call " + text_of(*end);
      return;
    }
    seen.outcome = "returns " + std::to_string(static_cast<int>(std::get<Returned>(outcome).value));
    if (number == 1 && twice) seen.before.own_word = subject.worker->residue(true).own_word;
    if (twice) ::usleep(20000);
  }
  seen.after = subject.worker->residue(true);
}

Seen run(const std::string& name, bool twice, double deadline_s) {
  Seen seen;
  Subject subject(fixture(name), rmsnorm_entry(), [&](WorkerSpec& spec) {
    spec.load_deadline_s = deadline_s;
    spec.memory_bytes = std::int64_t{256} << 20;
  });
  auto loaded = subject.worker->load();
  if (const auto* failure = std::get_if<LoadFailure>(&loaded)) {
    EXPECT_NE(failure->what, "");
    if (failure->kind == LoadFailureKind::not_loadable) seen.outcome = "load unloadable";
    if (failure->kind == LoadFailureKind::missing_symbol)
      seen.outcome = "load missing " + (failure->near.empty() ? "" : failure->near[0]);
    if (failure->kind == LoadFailureKind::died) seen.outcome = "load " + text_of(*failure->end);
    return seen;
  }
  seen.family = family_of(subject.worker->launcher());
  EXPECT_EQ(seen.family.size(), 3U) << "launcher, init and worker";
  Buffers buffers;
  EXPECT_FALSE(buffers.lend(*subject.worker, std::get<Loaded>(loaded).arena));
  keep_calling(subject, buffers, twice, deadline_s, seen);
  seen.attempts = subject.worker->attempts();
  subject.worker->end();
  return seen;
}

bool allowed(const std::string& outcome, const std::string& wanted) {
  const std::size_t either = wanted.find(" or ");
  if (either == std::string::npos) return outcome == wanted;
  const std::string first = wanted.substr(0, either);
  return outcome == first || outcome == first.substr(0, first.rfind(' ') + 1) + wanted.substr(either + 4);
}

template <class Map>
std::string value_of(const Map& map, const std::string& key) {
  const auto it = map.find(key);
  return it == map.end() ? "absent" : it->second;
}

std::string residue_value(const Residue& residue, const std::string& key) {
  if (key == "threads") return std::to_string(residue.threads);
  if (key == "descriptors") return std::to_string(residue.descriptors.size());
  return value_of(residue.state, key);
}

void check_extra(const Seen& seen, const std::string& clause) {
  const std::size_t space = clause.find(' ');
  const std::string kind = clause.substr(0, space);
  if (kind == "twice") return;
  for (const std::string& key : words(clause.substr(space), ',')) {
    if (kind == "attempts") {
      EXPECT_GT(seen.attempts.count(key), 0U) << "no attempt of " << key;
    } else if (kind == "residue") {
      EXPECT_NE(residue_value(seen.before, key), residue_value(seen.after, key)) << key;
    } else if (kind == "own") {
      EXPECT_NE(value_of(seen.after.own_word, key), "absent");
    } else {
      ADD_FAILURE() << "unknown clause: " << clause;
    }
  }
}

/// State that nobody touched must read the same, or an honest subject would be accused.
void check_quiet(const Seen& seen, const std::string& expected) {
  if (expected.find("attempts") == std::string::npos) {
    EXPECT_TRUE(seen.attempts.empty()) << seen.attempts.begin()->first;
  }
  if (seen.outcome != "returns 0" || expected.find("residue") != std::string::npos) return;
  EXPECT_EQ(seen.before.threads, seen.after.threads);
  EXPECT_EQ(seen.before.descriptors, seen.after.descriptors);
  for (const auto& [key, value] : seen.before.state) {
    if (key == "timers") continue;
    EXPECT_EQ(value, value_of(seen.after.state, key)) << key;
  }
}

std::string expected_of(const std::filesystem::path& source) {
  std::ifstream file(source);
  const std::string start = "// expected: ";
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, start.size(), start) == 0) return line.substr(start.size());
  }
  return {};
}

std::vector<std::filesystem::path> sources() {
  std::vector<std::filesystem::path> all;
  for (const auto& entry : std::filesystem::directory_iterator(ASSAY_SOURCE_DIR "/fixtures/crashes")) {
    if (entry.path().extension() == ".c") all.push_back(entry.path());
  }
  std::sort(all.begin(), all.end());
  return all;
}

class Crash : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Crash, DoesWhatItsCommentSays) {
  const Listeners listeners;
  const std::string expected = expected_of(GetParam());
  ASSERT_NE(expected, "") << "no '// expected:' line";
  const std::vector<std::string> clauses = words(expected, ';');
  const bool twice = expected.find("twice") != std::string::npos;
  const auto start = std::chrono::steady_clock::now();
  // Only where the deadline is what is tested may it be short: machines that run tests are busy.
  const double deadline_s = expected.find("deadline") == std::string::npos ? 20.0 : 1.0;
  const Seen seen = run(GetParam().stem(), twice, deadline_s);
  EXPECT_TRUE(allowed(seen.outcome, clauses[0])) << "wanted '" << clauses[0] << "', saw '" << seen.outcome << "'";
  for (std::size_t i = 1; i < clauses.size(); ++i) check_extra(seen, clauses[i]);
  check_quiet(seen, expected);
  EXPECT_TRUE(left_after(seen.family, 0.0).empty()) << "processes are left";
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::duration<double>(deadline_s + 10));
}

INSTANTIATE_TEST_SUITE_P(Each, Crash, testing::ValuesIn(sources()),
                         [](const auto& about) { return about.param.stem().string(); });

}  // namespace
}  // namespace assay
