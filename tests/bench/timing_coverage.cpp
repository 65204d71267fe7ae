// Prints how often nominal 95 % intervals hold the true speed-up, and how many campaigns of identical kernels end with
// a false "faster". Exits with 1 where a promise is broken: coverage below 93 %, or more than 5 % of campaigns. usage:
// timing_coverage [trials = 4000] [campaigns = 400] [kernels = 1500]
#include <cstdio>
#include <cstdlib>

#include "timing/numbers.h"
#include "timing_simulation.h"

namespace {

using namespace assay;
using namespace assay::timing;
using namespace assay::timing::simulation;

constexpr double kPromisedCoverage = 0.93;
constexpr double kPromisedCampaigns = 0.05;
constexpr int kPairs = 20;

bool print_coverage(int trials) {
  std::printf("coverage of a nominal 95 %% interval, %d trials\n", trials);
  std::printf("%-26s %10s %12s %12s %12s %12s\n", "scenario", "60 pairs", "6 x 20", "8 x 20", "12 x 20", "60 x 5");
  bool kept = true;
  Random random(20240601);
  for (const ScenarioRow& row : kScenarios) {
    std::printf("%-26.*s %10.4f", static_cast<int>(row.name.size()), row.name.data(),
                pair_coverage(random, row.scenario, 60, trials));
    for (const auto& [processes, pairs] : {std::pair{6, kPairs}, {8, kPairs}, {12, kPairs}, {60, 5}}) {
      const double coverage = process_coverage(random, row.scenario, processes, pairs, trials);
      kept = kept && coverage >= kPromisedCoverage;
      std::printf(" %12.4f", coverage);
    }
    std::printf("\n");
  }
  std::printf(
      "(60 pairs: inside one process pair, which can't see what varies between processes; it decides nothing)\n\n");
  return kept;
}

bool print_campaigns(int campaigns, int kernels) {
  std::printf("campaigns of %d identical kernels with a false \"faster\", %d campaigns, any gain counted (delta = 0)\n",
              kernels, campaigns);
  bool kept = true;
  Random random(20240602);
  for (const Scenario scenario : {Scenario::independent, Scenario::between_processes}) {
    int naive = 0, shared = 0;
    for (int i = 0; i < campaigns; ++i) {
      const CampaignOutcome outcome = simulate_campaign(random, scenario, kernels, 5, 0.0);
      naive += outcome.naive ? 1 : 0;
      shared += outcome.shared ? 1 : 0;
    }
    const double share = static_cast<double>(shared) / campaigns;
    kept = kept && share <= kPromisedCampaigns;
    const auto name = kScenarios[static_cast<std::size_t>(scenario)].name;
    std::printf("%-26.*s level not shared %.3f   level shared, winners timed again %.4f\n",
                static_cast<int>(name.size()), name.data(), static_cast<double>(naive) / campaigns, share);
  }
  return kept;
}

int argument(int argc, char** argv, int index, int preset) {
  int value = preset;
  if (argc <= index || (read_number(std::string_view(argv[index]), value) && value >= 1)) return value;
  std::fprintf(stderr, "timing_coverage: argument %d must be a positive count\n", index);
  std::exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  const bool covered = print_coverage(argument(argc, argv, 1, 4000));
  const bool fair = print_campaigns(argument(argc, argv, 2, 400), argument(argc, argv, 3, 1500));
  if (!covered) std::printf("BROKEN: a coverage lies below %.2f\n", kPromisedCoverage);
  if (!fair) std::printf("BROKEN: more than %.2f of the campaigns\n", kPromisedCampaigns);
  return covered && fair ? 0 : 1;
}
