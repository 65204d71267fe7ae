#include "verdict/limits.h"

#include <cstdio>

namespace assay {
namespace {

/// None found in n independent calls bounds the rate by about 3/n at 95 % ("rule of three", Hanley and
/// Lippman-Hand, JAMA 1983).
std::string rarer_than_the_budget(std::int64_t calls) {
  char text[160];
  std::snprintf(text, sizeof text,
                "defects rarer than the budget: none in %lld calls bounds their rate by about %.2g per call at 95 %%",
                static_cast<long long>(calls), 3.0 / static_cast<double>(calls));
  return text;
}

}  // namespace

std::vector<std::string> standing_limits(std::int64_t calls, bool speed_measured) {
  std::vector<std::string> limits{
      "originality of the source, and whether a call into a library is allowed",
      "knowledge of the declared domain that is compiled in, which is legitimate",
      "recognition of the sandbox by the candidate, dates, timing side channels, and defects of the operating system",
      "races that this machine did not provoke",
  };
  if (!speed_measured) {
    limits.insert(limits.begin(), "speed: times are those of single checked calls; no speed-up is claimed or judged");
  }
  if (calls > 0) limits.insert(limits.begin(), rarer_than_the_budget(calls));
  return limits;
}

}  // namespace assay
