#include "judge/audit.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <vector>

#include "fake_worker.h"
#include "judge/replay.h"

namespace assay {
namespace {

using testing::doubling_contract;
using testing::FakeWorker;
using testing::pointer;
using testing::subject_of;
using testing::twice;

AuditRequest request_for(const Contract& contract, AuditSubject candidate, FakeWorker::Kernel reference = twice) {
  AuditSubject truth = subject_of(std::move(reference), contract);
  return {.contract = contract,
          .candidate = std::move(candidate),
          .reference = std::move(truth),
          .baseline = {},
          .nothing = {},
          .campaign = {},
          .only = {},
          .without = {},
          .seed = {}};
}

/// A whole audit of a kernel without a process; its plain twin is the reference.
AuditReport audit_of(FakeWorker::Kernel kernel, Contract contract = doubling_contract(),
                     FakeWorker::Kernel reference = twice) {
  AuditRequest request = request_for(contract, subject_of(std::move(kernel), contract), std::move(reference));
  request.seed = Seed{};
  request.depth = Depth::quick;
  request.memory_bytes = 64 << 20;
  return audit(request);
}

std::vector<std::string> errors(const AuditReport& report) {
  std::vector<std::string> ids;
  for (const Finding& finding : report.findings) {
    if (finding.severity == Severity::error) ids.push_back(finding.check);
  }
  return ids;
}

float* output(const Invocation& call) {
  return pointer<float>(call.args[1]);
}

/// Keeps results under the address of the input, as long as the size is the same.
struct PointerCache {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<float>> kept;

  CallOutcome operator()(const Invocation& call) {
    std::vector<float>& result = kept[{call.args[0], call.args[2]}];
    if (result.empty()) {
      twice(call);
      result.assign(output(call), output(call) + call.args[2]);
    }
    std::copy(result.begin(), result.end(), output(call));
    return Returned{0, 1000};
  }
};

/// Right for so many calls, then not any more.
struct Drift {
  int left = 40;

  CallOutcome operator()(const Invocation& call) {
    twice(call);
    if (--left < 0 && call.args[2] > 0) output(call)[0] += 1.0f;
    return Returned{0, 1000};
  }
};

TEST(Audit, AnHonestKernelPassesAndTheReportCounts) {
  const AuditReport report = audit_of(twice);
  EXPECT_EQ(report.verdict, Verdict::pass) << report.reasons.at(0);
  EXPECT_TRUE(report.findings.empty());
  for (const CheckResult& check : report.checks) {
    EXPECT_EQ(check.outcome == CheckOutcome::pass, check.counts.calls > 0) << check.id;
  }
  for (const char* lifetime : {"fixed-address", "reused-buffers", "serving"}) {
    EXPECT_EQ(report.lifetimes.at(lifetime).outcome, CheckOutcome::pass) << lifetime;
  }
}

TEST(Audit, ValuesKeptUnderAnAddressAreNamed) {
  const AuditReport report = audit_of(PointerCache{});
  EXPECT_EQ(report.verdict, Verdict::fail);
  const std::vector<std::string> found = errors(report);
  EXPECT_NE(std::find(found.begin(), found.end(), "fresh-values"), found.end()) << report.reasons.at(0);
  EXPECT_EQ(std::find(found.begin(), found.end(), "error"), found.end()) << "no single call is wrong by itself";
}

/// The cells of THREATS.md's matrix of pointers and values: which lifetimes a fault is one under.
void expect_faults(const AuditReport& report, bool fixed, bool reused, bool serving) {
  const auto faulty = [&](const char* lifetime) {
    return report.lifetimes.at(lifetime).outcome == CheckOutcome::finding;
  };
  EXPECT_EQ(faulty("fixed-address"), fixed);
  EXPECT_EQ(faulty("reused-buffers"), reused);
  EXPECT_EQ(faulty("serving"), serving);
}

Contract under(Lifetime lifetime) {
  Contract contract = doubling_contract();
  contract.lifetime = lifetime;
  return contract;
}

const std::array<int, 2>& shared_pipe() {
  static const std::array<int, 2> kPipe = [] {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) throw Error("no pipe");
    return ends;
  }();
  return kPipe;
}

/// Whether a byte can be read there: a place that a tensor has left may be gone. The kernel looks, so nothing faults.
bool readable(std::uint64_t slot, std::uint64_t offset) {
  char taken = 0;
  if (write(shared_pipe()[1], pointer<char>(slot + offset), 1) != 1) return false;
  return read(shared_pipe()[0], &taken, 1) == 1;
}

/// The same for a byte that is written: it gets its own value.
bool writable(std::uint64_t slot, std::uint64_t offset) {
  char taken = 0;
  if (write(shared_pipe()[1], pointer<char>(slot + offset), 1) != 1) return false;
  if (read(shared_pipe()[0], pointer<char>(slot + offset), 1) == 1) return true;
  return read(shared_pipe()[0], &taken, 1) != 1;  // never true: takes the byte out again
}

/// Doubles as a process would: touching what isn't there ends it.
CallOutcome twice_or_fault(const Invocation& call) {
  const std::uint64_t last = call.args[2] * 4 - 1;
  const bool there = call.args[2] == 0 || (writable(call.args[1], 0) && writable(call.args[1], last) &&
                                           readable(call.args[0], 0) && readable(call.args[0], last));
  return there ? twice(call) : CallOutcome{Ended{EndKind::signalled, 11, "SIGSEGV"}};
}

/// A captured graph: runs on live data, but on the pointers of the first call of a size.
struct BakedPointers {
  std::map<std::uint64_t, Invocation> first;

  CallOutcome operator()(const Invocation& call) {
    return twice_or_fault(first.try_emplace(call.args[2], call).first->second);
  }
};

/// Looks at one of two pointers before it replays the other.
struct OnePointerKnown {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> output;

  CallOutcome operator()(const Invocation& call) {
    Invocation made = call;
    made.args[1] = output.try_emplace({call.args[0], call.args[2]}, call.args[1]).first->second;
    return twice_or_fault(made);
  }
};

TEST(Matrix, ValuesThatStayStaleAreAFaultUnderEveryLifetime) {
  expect_faults(audit_of(PointerCache{}, under(Lifetime::serving)), true, true, true);
  const AuditReport report = audit_of(PointerCache{}, under(Lifetime::fixed_address));
  EXPECT_EQ(report.verdict, Verdict::fail);
}

TEST(Matrix, PointersThatStayBakedInAreHonestWhereAddressesAreFixed) {
  const AuditReport report = audit_of(BakedPointers{}, under(Lifetime::fixed_address));
  expect_faults(report, false, true, true);
  EXPECT_EQ(report.verdict, Verdict::pass) << report.reasons.at(0);
  EXPECT_EQ(audit_of(BakedPointers{}, under(Lifetime::reused_buffers)).verdict, Verdict::fail);
}

TEST(Matrix, OnePointerThatMovesMustBeFollowed) {
  const AuditReport report = audit_of(OnePointerKnown{}, under(Lifetime::reused_buffers));
  expect_faults(report, false, true, true);
  EXPECT_EQ(report.verdict, Verdict::fail);
  EXPECT_EQ(audit_of(OnePointerKnown{}, under(Lifetime::fixed_address)).verdict, Verdict::pass);
}

TEST(Audit, AResultThatIsWrongEverywhereBelongsToTheWitness) {
  const AuditReport report = audit_of([](const Invocation& call) {
    twice(call);
    if (call.args[2] > 0) output(call)[call.args[2] / 2] += 1.0f;
    return CallOutcome{Returned{0, 1000}};
  });
  EXPECT_EQ(errors(report), std::vector<std::string>{"error"}) << report.reasons.at(0);
  EXPECT_EQ(std::get<bool>(report.findings.at(0).evidence.at("reproduces_alone")), true);
}

TEST(Audit, AResultThatIsWrongAtSomeShapesBelongsToShapes) {
  const AuditReport report = audit_of([](const Invocation& call) {
    twice(call);
    if (call.args[2] % 2 == 1) output(call)[0] += 1.0f;
    return CallOutcome{Returned{0, 1000}};
  });
  EXPECT_EQ(errors(report), std::vector<std::string>{"shapes"}) << report.reasons.at(0);
}

TEST(Audit, AFaultThatTakesEarlierCallsSaysSo) {
  const AuditReport report = audit_of(Drift{});
  ASSERT_EQ(errors(report).size(), 1u);
  const Finding& finding = report.findings.at(0);
  EXPECT_EQ(std::get<bool>(finding.evidence.at("reproduces_alone")), false);
  EXPECT_NE(finding.message.find("it takes calls that came before"), std::string::npos) << finding.message;
}

TEST(Audit, UnwrittenElementsAndWrongStatusAreFindings) {
  const AuditReport lazy = audit_of([](const Invocation&) { return CallOutcome{Returned{0, 1000}}; });
  EXPECT_EQ(errors(lazy).at(0), "written");
  Contract contract = doubling_contract();
  contract.entry.returns = ReturnKind::status32;
  contract.entry.return_type = CType::i32;
  contract.entry.success = 0;
  const AuditReport refusing = audit_of(
      [](const Invocation& call) {
        twice(call);
        return CallOutcome{Returned{7, 1000}};
      },
      contract);
  EXPECT_EQ(errors(refusing), std::vector<std::string>{"return"});
}

TEST(Audit, ASubjectThatDiesIsAFindingAndTheAuditEnds) {
  const AuditReport report = audit_of([](const Invocation&) {
    return CallOutcome{Ended{EndKind::exited, 0, "exit(0)"}};
  });
  EXPECT_EQ(report.verdict, Verdict::fail);
  EXPECT_EQ(errors(report), std::vector<std::string>{"return"});
}

TEST(Audit, AReferenceThatDiesIsTheAuditorsProblem) {
  const AuditReport report = audit_of(twice, doubling_contract(), [](const Invocation&) {
    return CallOutcome{Ended{EndKind::signalled, 11, "SIGSEGV"}};
  });
  EXPECT_EQ(report.verdict, Verdict::error);
  EXPECT_TRUE(errors(report).empty()) << "the candidate is not to blame";
}

TEST(Audit, AReferenceThatWritesNothingIsNamedBeforeTheCandidateIsBlamed) {
  const AuditReport report = audit_of(twice, doubling_contract(), [](const Invocation&) {
    return CallOutcome{Returned{0, 1000}};
  });
  EXPECT_EQ(report.verdict, Verdict::error);
  EXPECT_TRUE(errors(report).empty());
  EXPECT_NE(report.reasons.at(0).find("it wrote nothing to y"), std::string::npos) << report.reasons.at(0);
}

TEST(Audit, AFindingKeepsCallsThatShowItAgain) {
  const Contract contract = doubling_contract();
  AuditRequest request = request_for(contract, subject_of(PointerCache{}, contract));
  request.seed = Seed{};
  request.depth = Depth::quick;
  request.memory_bytes = 64 << 20;
  const AuditReport report = audit(request);
  ASSERT_FALSE(report.findings.empty());
  const Finding& finding = report.findings.front();
  ASSERT_TRUE(finding.repro);
  EXPECT_GE(finding.repro->script.calls.size(), 2u) << "one call alone is right";
  EXPECT_EQ(finding.shape, to_string(finding.repro->script.calls.at(finding.repro->call).axes));
  const ReplayCount again = replay(request, *finding.repro, finding.witness);
  EXPECT_EQ(again.failures, 1);
  EXPECT_EQ(finding.repro->script.story + ": " + again.message, finding.message);
  AuditRequest honest = request_for(contract, subject_of(twice, contract));
  honest.seed = Seed{};
  honest.memory_bytes = 64 << 20;
  EXPECT_EQ(replay(honest, *finding.repro, finding.witness).failures, 0);
}

TEST(Audit, ACaseThatDoesNotFitTheContractIsRefused) {
  const Contract contract = doubling_contract();
  AuditRequest request = request_for(contract, subject_of(twice, contract));
  request.seed = Seed{};
  request.memory_bytes = 64 << 20;
  Case made;
  made.script.calls.resize(1);
  EXPECT_THROW(replay(request, made, "error"), Error);
  made.script.calls[0].values.resize(2);
  made.script.calls[0].places.resize(2);
  made.script.calls[0].axes = {{"N", 1 << 20}};  // beyond the domain
  EXPECT_THROW(replay(request, made, "error"), Error);
}

TEST(Audit, AFileThatDoesNotLoadFailsBeforeASeedExists) {
  const Contract contract = doubling_contract();
  struct NoLoad : FakeWorker {
    NoLoad() : FakeWorker(twice) {}
    std::variant<Loaded, LoadFailure> load() override {
      return LoadFailure{LoadFailureKind::not_loadable, "file too short", {}, std::nullopt};
    }
  };
  AuditSubject absent = subject_of(twice, contract);
  absent.start = [](sandbox::Surroundings) { return std::make_unique<NoLoad>(); };
  AuditRequest without = request_for(contract, subject_of(twice, contract));
  without.reference = absent;
  EXPECT_THROW(audit(without), Error) << "nothing could be judged";
  AuditSubject candidate = subject_of(twice, contract);
  candidate.start = [](sandbox::Surroundings) { return std::make_unique<NoLoad>(); };
  const AuditReport report = audit(request_for(contract, candidate));
  EXPECT_EQ(report.verdict, Verdict::fail);
  EXPECT_EQ(errors(report), std::vector<std::string>{"load"});
  EXPECT_TRUE(report.run.seed.empty());
}

TEST(Audit, TheSameSeedGivesTheSameReport) {
  const AuditReport one = audit_of(PointerCache{}), other = audit_of(PointerCache{});
  ASSERT_EQ(one.findings.size(), other.findings.size());
  for (std::size_t i = 0; i < one.findings.size(); ++i) EXPECT_EQ(one.findings[i].message, other.findings[i].message);
}

}  // namespace
}  // namespace assay
