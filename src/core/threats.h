#pragma once
#include <cstdint>
#include <span>
#include <string_view>

/// The ways in which a kernel passes a check without deserving it, or fails in service after passing (THREATS.md).
namespace assay {

/// How a threat can be shown to be covered.
enum class Shown : std::uint8_t {
  calls,   ///< by a guilty kernel that an audit on a CPU convicts
  design,  ///< not at all: what it would attack isn't there
  device,  ///< by a guilty kernel on a GPU
  later,   ///< not yet, or only as a hint
};

struct Threat {
  std::string_view id;
  std::string_view name;
  char strength;  ///< S a deterministic test decides, M statistical or a matter of budget, W a hint only
  std::string_view mechanism;
  std::string_view witnesses;  ///< ids of those that see it; checks name their threats themselves
  Shown shown;
  std::string_view why;  ///< of design and later: why there is nothing to convict
};

/// One row per threat, in the order of THREATS.md.
std::span<const Threat> threats();
/// Null if there is none of that id.
const Threat* find_threat(std::string_view id);

/// Whether a list of words such as "A1 A4" has the word.
bool lists(std::string_view words, std::string_view word);

}  // namespace assay
