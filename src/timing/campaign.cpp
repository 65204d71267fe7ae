#include "timing/campaign.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/error.h"
#include "timing/numbers.h"
#include "timing/signed_rank.h"

// The file, one record a line, only ever appended to:
//   assay-campaign 1
//   contract <64 hex digits>
//   level 0.05
//   first-epoch 16
//   submission 1 <64 hex digits>
//   submission 2 <64 hex digits>
namespace assay::timing {
namespace {

constexpr std::string_view kMagic = "assay-campaign 1";

/// Hands out lines and words of one text and remembers where it is.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  bool done() const { return rest_.empty(); }
  int number() const { return number_; }
  std::string_view next() {
    ++number_;
    const std::size_t end = rest_.find('\n');
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return line;
  }

 private:
  std::string_view rest_;
  int number_ = 0;
};

bool is_digest(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// The rest of `line` after "word ", or an empty view.
std::string_view after(std::string_view line, std::string_view word) {
  if (!line.starts_with(word) || line.size() <= word.size() || line[word.size()] != ' ') return {};
  return line.substr(word.size() + 1);
}

CampaignError wrong(const Lines& lines, const std::string& message) {
  return {lines.number(), message + "; restore the file or start a new campaign"};
}

/// Empty: the head is good.
std::string read_head(Lines& lines, Campaign& campaign) {
  if (lines.next() != kMagic) return "expected '" + std::string(kMagic) + "'";
  if (lines.done() || !is_digest(campaign.contract = after(lines.next(), "contract")))
    return "expected 'contract <64 hex digits>'";
  if (lines.done() || !read_number(after(lines.next(), "level"), campaign.level)) return "expected 'level <number>'";
  if (!(campaign.level > 0.0 && campaign.level < 1.0)) return "the level must lie between 0 and 1";
  if (lines.done() || !read_number(after(lines.next(), "first-epoch"), campaign.first_epoch))
    return "expected 'first-epoch <count>'";
  return campaign.first_epoch > 0 ? "" : "first-epoch must be positive";
}

std::string read_submission(std::string_view line, Campaign& campaign) {
  const std::string expected = "submission " + std::to_string(campaign.submissions.size() + 1);
  const std::string_view digest = after(line, expected);
  if (!is_digest(digest)) return "expected '" + expected + " <64 hex digits>'";
  campaign.submissions.emplace_back(digest);
  return "";
}

}  // namespace

std::variant<Campaign, CampaignError> parse_campaign(std::string_view text) {
  Lines lines(text);
  if (text.empty()) return CampaignError{1, "the campaign file is empty; restore it or start a new campaign"};
  if (text.back() != '\n') {
    const auto last = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
    return CampaignError{last, "the last line is torn; complete or remove it"};
  }
  Campaign campaign;
  if (const std::string fault = read_head(lines, campaign); !fault.empty()) return wrong(lines, fault);
  while (!lines.done()) {
    if (const std::string fault = read_submission(lines.next(), campaign); !fault.empty()) return wrong(lines, fault);
  }
  return campaign;
}

std::string new_campaign(const Campaign& campaign) {
  if (!is_digest(campaign.contract)) throw Error("campaign: the contract's digest is not 64 hex digits");
  char level[32];
  std::snprintf(level, sizeof level, "%.17g", campaign.level);
  return std::string(kMagic) + "\ncontract " + campaign.contract + "\nlevel " + level + "\nfirst-epoch " +
         std::to_string(campaign.first_epoch) + "\n";
}

std::string submission_line(const Campaign& campaign, std::string_view contract, std::string_view candidate) {
  if (contract != campaign.contract) {
    throw Error("campaign: the file belongs to contract " + campaign.contract.substr(0, 12) + "…, not to " +
                    std::string(contract.substr(0, 12)) + "…; use one file per contract",
                Exit::kUsage);
  }
  if (!is_digest(candidate)) throw Error("campaign: the candidate's digest is not 64 hex digits");
  return "submission " + std::to_string(campaign.submissions.size() + 1) + " " + std::string(candidate) + "\n";
}

CampaignShare share_of(const Campaign& campaign, std::int64_t number) {
  if (number < 1) throw Error("campaign: submissions count from 1");
  int epoch = 0;
  std::int64_t last = campaign.first_epoch;
  while (number > last) last += static_cast<std::int64_t>(std::ldexp(campaign.first_epoch, ++epoch));
  const double false_faster = campaign.level * std::ldexp(1.0, -(2 * epoch + 1)) / campaign.first_epoch;
  const double alpha = std::min(campaign.level, 2.0 * std::sqrt(false_faster));
  return {number, false_faster, alpha, units_needed(alpha)};
}

Effect campaign_effect(const Effect& selection, const Effect* confirmation) {
  if (!std::holds_alternative<Faster>(selection)) return selection;
  if (confirmation == nullptr) return Inconclusive{"selected as faster and not yet timed again in other processes"};
  if (std::holds_alternative<Faster>(*confirmation)) return Faster{};
  return Inconclusive{"selected as faster, but " + std::string(name_of(*confirmation)) +
                      " when timed again in other processes"};
}

void require_fresh(std::span<const std::int64_t> selection, std::span<const std::int64_t> confirmation) {
  for (const std::int64_t id : confirmation) {
    if (std::find(selection.begin(), selection.end(), id) == selection.end()) continue;
    throw Error("timing: process pair " + std::to_string(id) + " selected the winner and can't confirm it");
  }
}

}  // namespace assay::timing
