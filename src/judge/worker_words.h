#pragma once
#include <string>

#include "judge/worker.h"
#include "protocol/record.h"

/// Records of a worker's protocol as the judge's vocabulary, and the sentences that people read about them.
namespace assay::words {

protocol::Call call_record(const Invocation& invocation);

/// What a process says about itself, by name.
std::map<std::string, std::string> own_word(const protocol::SelfReport& record);

/// "no reply to a call within 10 s".
std::string no_reply(const std::string& when, double seconds);

/// How a process ended that wasn't told to. `state` must be an end.
Ended end_of(const protocol::State& state);

LoadFailure load_failure(const protocol::Refused& record);
Residue residue_of(const protocol::Vitals& record);
Residue residue_of(const protocol::Facts& record);

}  // namespace assay::words
