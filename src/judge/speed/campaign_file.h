#pragma once
#include <string>

#include "judge/speed/speed.h"

namespace assay {

/// Enters a submission into the campaign file at `path`, which is begun where there is none, and says what the
/// submission may spend. The line is on disk before this returns: who asked has asked, whatever becomes of the audit.
/// Two audits at the same time wait for each other. Throws Error (usage) where the file is torn, belongs to another
/// contract or can't be written. `contract` and `candidate` are SHA-256 in hex.
CampaignTerms enter_campaign(const std::string& path, const std::string& contract, const std::string& candidate);

}  // namespace assay
