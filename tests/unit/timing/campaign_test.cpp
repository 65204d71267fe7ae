#include "timing/campaign.h"

#include <gtest/gtest.h>
#include <cmath>

#include "core/error.h"
#include "timing_simulation.h"

namespace assay::timing {
namespace {

const std::string kContract(64, 'a');
const std::string kOther(64, 'b');

Campaign parsed(const std::string& text) {
  return std::get<Campaign>(parse_campaign(text));
}
CampaignError refused(const std::string& text) {
  return std::get<CampaignError>(parse_campaign(text));
}

Campaign fresh() {
  Campaign campaign;
  campaign.contract = kContract;
  return campaign;
}

TEST(CampaignFile, GrowsByOneLineASubmission) {
  std::string text = new_campaign(fresh());
  for (int i = 0; i < 20; ++i) text += submission_line(parsed(text), kContract, i % 2 == 0 ? kOther : kContract);
  const Campaign campaign = parsed(text);
  EXPECT_EQ(campaign.contract, kContract);
  EXPECT_EQ(campaign.level, 0.05);
  EXPECT_EQ(campaign.first_epoch, 16);
  ASSERT_EQ(campaign.submissions.size(), 20u);
  EXPECT_EQ(campaign.submissions[0], kOther);
  EXPECT_EQ(campaign.submissions[19], kContract);
}

TEST(CampaignFile, RefusesWhatWouldGiveLevelBack) {
  const std::string head = new_campaign(fresh());
  const std::string one = "submission 1 " + kOther + "\n";
  EXPECT_EQ(refused("").line, 1);
  EXPECT_EQ(refused(head + "submission 1 " + kOther).line, 5);         // torn
  EXPECT_EQ(refused(head + one + one).line, 6);                        // counted twice
  EXPECT_EQ(refused(head + "submission 2 " + kOther + "\n").line, 5);  // a line is missing
  EXPECT_EQ(refused(head + "submission 1 short\n").line, 5);
  EXPECT_EQ(refused(head + "verdict 1 faster\n").line, 5);
  EXPECT_EQ(refused(head + one + "\n").line, 6);
  EXPECT_EQ(refused("assay-campaign 2\n").line, 1);
}

TEST(CampaignFile, RefusesABadHead) {
  const std::string contract = "assay-campaign 1\ncontract " + kContract + "\n";
  EXPECT_EQ(refused("assay-campaign 1\n").line, 1);
  EXPECT_EQ(refused("assay-campaign 1\ncontract x\n").line, 2);
  EXPECT_EQ(refused(contract + "level 1.5\nfirst-epoch 16\n").line, 3);
  EXPECT_EQ(refused(contract + "level nan\nfirst-epoch 16\n").line, 3);
  EXPECT_EQ(refused(contract + "level 0.05x\nfirst-epoch 16\n").line, 3);
  EXPECT_EQ(refused(contract + "level 0.05\nfirst-epoch 0\n").line, 4);
  EXPECT_EQ(refused(contract + "level 0.05\n").line, 3);
}

TEST(CampaignFile, BelongsToOneContract) {
  EXPECT_THROW(submission_line(fresh(), kOther, kOther), Error);
  EXPECT_THROW(submission_line(fresh(), kContract, "not a digest"), Error);
}

TEST(CampaignShare, SumsToLessThanTheLevelHoweverManyCome) {
  const Campaign campaign = fresh();
  double spent = 0.0, stages = 0.0;
  for (std::int64_t i = 1; i <= 100000; ++i) {
    const CampaignShare share = share_of(campaign, i);
    spent += share.false_faster;
    stages += 0.25 * share.alpha * share.alpha;  // both one-sided tests wrong
    ASSERT_LE(0.25 * share.alpha * share.alpha, share.false_faster * (1.0 + 1e-12));
  }
  EXPECT_LT(spent, 0.05);
  EXPECT_GT(spent, 0.049);
  EXPECT_LT(stages, 0.05);
}

TEST(CampaignShare, CostsOneProcessPairEachDoubling) {
  EXPECT_EQ(share_of(fresh(), 1).processes, 6);
  EXPECT_EQ(share_of(fresh(), 16).false_faster, share_of(fresh(), 1).false_faster);
  EXPECT_NEAR(share_of(fresh(), 17).false_faster, share_of(fresh(), 16).false_faster / 4, 1e-15);
  EXPECT_EQ(share_of(fresh(), 48).false_faster, share_of(fresh(), 17).false_faster);
  EXPECT_LT(share_of(fresh(), 49).false_faster, share_of(fresh(), 48).false_faster);
  const CampaignShare late = share_of(fresh(), 1500);
  EXPECT_NEAR(0.25 * late.alpha * late.alpha, late.false_faster, 1e-15);
  EXPECT_EQ(late.processes, 11);
  EXPECT_EQ(share_of(fresh(), 1).alpha, 0.05);
  EXPECT_THROW(share_of(fresh(), 0), Error);
}

TEST(CampaignEffect, AWinnerMustWinTwice) {
  const Effect faster = Faster{}, slower = Slower{}, equal = Equivalent{}, open = Inconclusive{"x"};
  EXPECT_EQ(name_of(campaign_effect(faster, &faster)), "faster");
  for (const Effect& second : {slower, equal, open})
    EXPECT_EQ(name_of(campaign_effect(faster, &second)), "inconclusive");
  EXPECT_EQ(name_of(campaign_effect(faster, nullptr)), "inconclusive");
  EXPECT_EQ(name_of(campaign_effect(slower, nullptr)), "slower");
  EXPECT_EQ(name_of(campaign_effect(equal, &faster)), "equivalent");
}

TEST(CampaignEffect, ConfirmationUsesOtherProcesses) {
  const std::vector<std::int64_t> first{1, 2, 3}, second{4, 5}, mixed{5, 3};
  EXPECT_NO_THROW(require_fresh(first, second));
  EXPECT_THROW(require_fresh(first, mixed), Error);
}

// Reduced run of tests/bench/timing_coverage; fixed seed. Without sharing, every campaign ends with a false "faster".
TEST(CampaignSimulation, IdenticalKernelsWinInAtMostFivePercentOfCampaigns) {
  Random random(1500);
  int naive = 0, shared = 0;
  for (int i = 0; i < 60; ++i) {
    const auto outcome = simulation::simulate_campaign(random, simulation::Scenario::independent, 1500, 3, 0.0);
    naive += outcome.naive ? 1 : 0;
    shared += outcome.shared ? 1 : 0;
  }
  EXPECT_EQ(naive, 60);
  EXPECT_LE(shared, 3);
}

}  // namespace
}  // namespace assay::timing
