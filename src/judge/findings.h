#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/call.h"
#include "core/observation.h"

namespace assay {

/// Where an observation was made: enough to run the script again alone.
struct Origin {
  const Script* script = nullptr;         ///< null: between calls, or at the end of a session
  std::size_t call = 0;                   ///< index into the script
  Lifetime lifetime = Lifetime::serving;  ///< of the session
  bool required = true;                   ///< the contract's lifetime covers that of the session
  std::string subject = "candidate";
};

/// Observations grouped into findings: one per (check, witness, tensor, threat), with the first occurrence as evidence.
class Findings {
 public:
  /// Where a fault was seen, as calls that can be made again.
  struct Sighting {
    Script script;
    std::size_t call = 0;
  };
  struct Group {
    Finding finding;
    Script script;  ///< of the first occurrence; without calls where there is none
    std::size_t call = 0;
    std::vector<Sighting> others;  ///< later ones that tell another story, a few
    Lifetime session = Lifetime::serving;
    bool tried = false;      ///< its script ran alone
    bool confirmed = false;  ///< seen again when its script ran alone
    bool convicts = true;    ///< of severity error under the session's own lifetime
  };

  void add(const Observation& observation, const Origin& origin);
  std::vector<Group>& groups() { return groups_; }
  const std::vector<Group>& groups() const { return groups_; }
  /// Once scripts have been tried alone: where some findings of calls confirm, those that don't are dropped (their
  /// calls came after the damage was done); where none does, the first stays and says that it takes earlier calls.
  void settle();
  /// Whether a check whose calls change less has been confirmed already: then this group says the same again.
  bool implied(const Group& group) const;
  /// Errors first, then in the order seen; ids "f1", "f2", ….
  std::vector<Finding> numbered() const;

 private:
  void settle(Severity severity);
  void merge_renamed();
  void drop_implied();

  std::vector<Group> groups_;
};

/// Which check a finding belongs to: witnesses that convict alone name themselves, the others the check whose calls
/// exposed the fault.
std::string check_of(const Observation& observation, const Script* script);

struct WitnessInfo {
  std::string_view id;
  std::string_view claim;
};

/// The witnesses that stand for themselves in reports, each a check of its own.
std::span<const WitnessInfo> witnesses();

/// How many checks are known whose calls change less than those of this one.
int simpler_checks(const std::string& check);

/// Witnesses whose findings depend on which calls came before, so that the script is tried alone.
bool depends_on_history(const std::string& witness);

}  // namespace assay
