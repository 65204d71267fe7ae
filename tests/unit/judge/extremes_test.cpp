#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "fake_worker.h"
#include "judge/observe.h"

namespace assay {
namespace {

Bytes floats(const std::vector<float>& values) {
  Bytes bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// One call whose truth is 1, 2, 3.
struct Setting {
  Contract contract = testing::doubling_contract();
  ConcreteShape shape = std::get<ConcreteShape>(concretise(contract, {{"N", 3}}));
  CallPlan plan;
  CallFacts facts;
  CallTruth truth;

  explicit Setting(bool typical) {
    contract.oracle = OracleSpec{"add", "", {}, {}};
    plan.typical = typical;
    plan.values.resize(2);
    facts.outcome = Returned{0, 1000};
    facts.poison.resize(2);
    facts.aliased = {false, false};
    truth.outputs = {std::nullopt, RealTruth{{1, 2, 3}, {1, 2, 3}, 1.0}};
    truth.reference.resize(2);
  }
  Judged judge(const std::vector<float>& candidate, const std::vector<float>& reference) {
    facts.outputs = {{}, floats(candidate)};
    if (!reference.empty()) truth.reference[1] = floats(reference);
    return judge_call(contract, contract.entry, shape, plan, facts, truth);
  }
};

bool convicts(const Judged& judged) {
  return std::any_of(judged.observations.begin(), judged.observations.end(),
                     [](const Observation& o) { return o.severity == Severity::error; });
}

TEST(Extremes, CountWhereTheReferenceCopes) {
  const Judged judged = Setting(false).judge({1, 2, 4}, {1, 2, 3});
  EXPECT_TRUE(convicts(judged));
  EXPECT_TRUE(judged.outputs_suspect);
}

TEST(Extremes, AreOutsideTheDomainWhereTheReferenceFails) {
  for (const float wrong : {4.0F, NAN, INFINITY}) {
    const Judged judged = Setting(false).judge({1, 2, 5}, {1, 2, wrong});
    EXPECT_FALSE(convicts(judged));
    EXPECT_FALSE(judged.outputs_suspect);
    EXPECT_EQ(judged.observations.size(), 1u);
  }
}

TEST(Extremes, TypicalValuesCountWhateverTheReferenceDoes) {
  EXPECT_TRUE(convicts(Setting(true).judge({1, 2, 5}, {1, 2, 4})));
}

TEST(Extremes, WithoutAReferenceNothingIsHeldAgainstACandidate) {
  const Judged judged = Setting(false).judge({1, 2, 5}, {});
  EXPECT_FALSE(convicts(judged));
  EXPECT_EQ(judged.observations.size(), 1u);
}

TEST(Extremes, AReferenceThatIsTheTruthSaysNothingWhereItIsNotFinite) {
  Setting s(false);
  s.contract.oracle.reset();
  s.truth.outputs[1] = RealTruth{{1, 2, NAN}, {1, 2, 0}, 1.0};
  EXPECT_FALSE(convicts(s.judge({1, 2, 3}, {1, 2, NAN})));
  s.truth.outputs[1] = RealTruth{{1, 2, 3}, {1, 2, 3}, 1.0};
  EXPECT_TRUE(convicts(s.judge({1, 2, 4}, {1, 2, 3})));
}

TEST(Extremes, RefusedByTheReferenceTooIsNoRefusal) {
  Setting s(false);
  s.contract.entry.returns = ReturnKind::status32;
  s.contract.entry.success = 0;
  s.facts.outcome = Returned{1, 1000};
  EXPECT_TRUE(convicts(s.judge({1, 2, 3}, {1, 2, 3})));
  s.truth.reference_problem = "it refused";
  EXPECT_FALSE(convicts(s.judge({1, 2, 3}, {})));
}

TEST(Extremes, TakeNoPartInTheErrorsOfTypicalValues) {
  EXPECT_TRUE(Setting(false).judge({1, 2, 3}, {1, 2, 3}).rows.empty());
  EXPECT_EQ(Setting(true).judge({1, 2, 3}, {1, 2, 3}).rows.size(), 2u);
}

}  // namespace
}  // namespace assay
