#pragma once
#include <optional>
#include <string>
#include <vector>

#include "judge/speed/conclude.h"

namespace assay {

/// What a campaign leaves one submission (timing/campaign.h).
struct CampaignTerms {
  double alpha = timing::kAlpha;  ///< of each of the two stages
  int processes = 6;              ///< fewest process pairs of each stage
  std::string text;               ///< "submission 3 of this campaign"
};

struct Measured {
  SpeedSection section;
  std::vector<TimedSuspicion> suspicions;
  std::vector<TimedObjection> objections;
  std::optional<Ended> candidate_end;
  Attempts attempts;
  Counts counts;
  std::vector<std::string> unfit;   ///< why the machine can't tell; the gate, if there is one, is not decided then
  std::vector<std::string> missed;  ///< gates that the speed-up doesn't reach
  std::vector<std::string> open;    ///< gates that could not be decided
  std::map<std::string, std::string> environment;
};

/// Times candidate against baseline and concludes.
///
/// Theory of operation. First the plan, from baseline and null subject alone. Then pairs of fresh processes: of the
/// baseline with itself (the A/A control) and of baseline with candidate by turns, so that what the machine does hits
/// both alike. A control that isn't 1 within delta is made once more; if it still isn't, the machine is unfit, and
/// neither a gate nor an accusation rests on its clock. Under a campaign a winner is timed again in other processes.
Measured measure_speed(const SpeedRequest& request, const std::optional<CampaignTerms>& campaign);

/// Process pairs that statements about so many shapes at once take.
int processes_for(std::size_t shapes, double alpha);

}  // namespace assay
