#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "timing/compare.h"

namespace assay::timing {

/// What a campaign file says: many submissions under one contract that share one level.
struct Campaign {
  std::string contract;                  ///< digest: a campaign is bound to one contract
  double level = kAlpha;                 ///< of any false "faster" in the whole campaign
  int first_epoch = 16;                  ///< submissions that share the first half of the level
  std::vector<std::string> submissions;  ///< digests of candidates, in order; every ask counts, repeated ones too
};

/// Why a text is no campaign file: the 1-based line, and what to do.
struct CampaignError {
  int line = 0;
  std::string message;
};

/// Reads a whole campaign file (format: campaign.cpp). Strict: a torn last line, a gap in the count or an unknown word
/// is an error, because a lost line would give level back.
std::variant<Campaign, CampaignError> parse_campaign(std::string_view text);

/// The contents of a fresh file without submissions.
std::string new_campaign(const Campaign& campaign);

/// The line to append, and to flush to disk, *before* the submission is timed: an aborted audit has asked as well.
/// Throws Error where the contract is another one or the digest is not 64 hex digits.
std::string submission_line(const Campaign& campaign, std::string_view contract, std::string_view candidate);

/// What one submission may spend.
struct CampaignShare {
  std::int64_t number = 1;    ///< 1-based
  double false_faster = 0.0;  ///< this submission's part of the campaign's level
  double alpha = 0.0;         ///< two-sided level of the intervals of each of the two stages
  int processes = 0;          ///< fewest process pairs of each stage
};

/// Epoch e holds first_epoch x 2^e submissions and spends level / 2^(e+1), evenly: the sum over any number of
/// submissions stays below the level without knowing how many will come. Selection and confirmation use different
/// processes, so a false "faster" needs both: each stage gets the square root of the share (one-sided), never more than
/// level / 2.
CampaignShare share_of(const Campaign& campaign, std::int64_t number);

/// What a submission is, from the stage that selected it and the stage that timed it again. `selection` and
/// `confirmation` are results over disjoint process pairs. Faster iff both are; slower and equivalent as the selection
/// says (then there is nothing to confirm and `confirmation` is null); anything else is inconclusive.
Effect campaign_effect(const Effect& selection, const Effect* confirmation);

/// Throws Error (a fault of ours) if a process pair that selected the winner also confirms it. Ids as the caller
/// numbers.
void require_fresh(std::span<const std::int64_t> selection, std::span<const std::int64_t> confirmation);

}  // namespace assay::timing
