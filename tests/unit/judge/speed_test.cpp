#include "judge/speed/speed.h"

#include <gtest/gtest.h>

#include <atomic>

#include "core/oracle.h"
#include "fake_worker.h"

namespace assay {
namespace {

using testing::doubling_contract;
using testing::FakeWorker;
using testing::pointer;
using testing::subject_of;
using testing::twice;

/// A kernel that is right and takes so long by the judge's clock.
FakeWorker::Kernel lasting(std::int64_t ns) {
  return [ns](const Invocation& call) {
    twice(call);
    return CallOutcome(Returned{0, ns});
  };
}

CallOutcome nothing(const Invocation&) {
  return Returned{0, 0};
}

struct Trialled {
  explicit Trialled(FakeWorker::Kernel candidate, std::optional<double> minimum = {}) {
    contract.speed.min_speedup = minimum;
    const AuditSubject before = subject_of(lasting(100'000), contract),
                       after = subject_of(std::move(candidate), contract), null = subject_of(nothing, contract);
    const std::vector<ConcreteShape> shapes{shape};
    TruthSource truths(contract, &before, values, shapes, {});
    SpeedRequest request{contract, before, after, null, values, truths, {&shape}, 0.5};
    measured = measure_speed(request, campaign);
  }
  Contract contract = doubling_contract();
  ConcreteShape shape = std::get<ConcreteShape>(concretise(contract, {{"N", 100}}));
  Generator generator{Seed{}};
  Values values{contract, generator, {}};
  std::optional<CampaignTerms> campaign;
  Measured measured;
};

TEST(Speed, TwiceAsFastIsToldAsSuch) {
  const Trialled t(lasting(50'000), 1.5);
  ASSERT_TRUE(t.measured.section.mix);
  EXPECT_EQ(t.measured.section.mix->effect, "faster");
  EXPECT_NEAR(t.measured.section.mix->speedup->estimate, 2.0, 1e-9);
  EXPECT_TRUE(t.measured.section.fit);
  EXPECT_TRUE(t.measured.missed.empty());
  EXPECT_TRUE(t.measured.open.empty());
  EXPECT_TRUE(t.measured.objections.empty());
  EXPECT_TRUE(t.measured.suspicions.empty());
}

TEST(Speed, AnEqualKernelMissesItsGate) {
  const Trialled t(lasting(100'000), 1.05);
  EXPECT_EQ(t.measured.section.mix->effect, "equivalent");
  ASSERT_EQ(t.measured.missed.size(), 1u);
  EXPECT_NE(t.measured.missed[0].find("against the minimum"), std::string::npos);
}

TEST(Speed, ASlowerKernelIsSlower) {
  const Trialled t(lasting(125'000));
  EXPECT_EQ(t.measured.section.mix->effect, "slower");
  EXPECT_NEAR(t.measured.section.mix->speedup->estimate, 0.8, 1e-9);
}

TEST(Speed, WhatTakesNoTimeIsNotCompared) {
  const Trialled t(lasting(0), 1.5);
  EXPECT_FALSE(t.measured.section.mix);
  EXPECT_EQ(t.measured.section.shapes.front().regimes.front().effect, "inconclusive");
  EXPECT_EQ(t.measured.open.size(), 1u);
}

TEST(Speed, TimedCallsAreChecked) {
  std::atomic<int> calls{0};
  const auto sometimes_wrong = [&](const Invocation& call) {
    twice(call);
    if (++calls % 50 == 0) *pointer<float>(call.args[1]) += 1.0f;
    return CallOutcome(Returned{0, 50'000});
  };
  const Trialled t(sometimes_wrong);
  ASSERT_FALSE(t.measured.objections.empty());
  EXPECT_EQ(t.measured.objections[0].observation.tensor, "y");
}

TEST(Speed, AnEndInTheMiddleIsAFact) {
  std::atomic<int> calls{0};
  const auto dying = [&](const Invocation& call) {
    if (++calls > 100) return CallOutcome(Ended{EndKind::signalled, 11, "SIGSEGV"});
    return twice(call);
  };
  const Trialled t(dying);
  ASSERT_TRUE(t.measured.candidate_end);
  EXPECT_EQ(t.measured.candidate_end->code, 11);
}

TEST(Speed, WhoWaitsForAProcessorIsTimedAgain) {
  std::atomic<int> calls{0};
  const auto crowded = [&](const Invocation& call) {
    twice(call);
    const bool waits = ++calls % 100 == 0;  // in that burst somebody else has the processor
    Returned returned{0, waits ? 5'000'000 : 50'000};
    if (waits) returned.wanted_ns = 4'900'000;
    return CallOutcome(returned);
  };
  const Trialled t(crowded);
  EXPECT_NEAR(t.measured.section.mix->speedup->estimate, 2.0, 1e-9);
  EXPECT_NEAR(t.measured.section.mix->speedup->low, 2.0, 1e-9) << "no pair with a wait is left";
  ASSERT_FALSE(t.measured.section.disturbances.empty());
  EXPECT_NE(t.measured.section.disturbances[0].find("were made again"), std::string::npos);
}

TEST(Speed, EveryShapeTakesMoreProcessPairs) {
  EXPECT_EQ(processes_for(1, 0.05), 6);
  EXPECT_EQ(processes_for(2, 0.05), 7);
  EXPECT_EQ(processes_for(38, 0.05), 11);
}

}  // namespace
}  // namespace assay
