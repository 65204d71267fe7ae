#include "timing/family.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "timing/multiplicity.h"
#include "timing/signed_rank.h"
#include "timing/text.h"

namespace assay::timing {
namespace {

struct Statement {
  double p = 1.0;
  Effect effect;
};

/// The one of the three that the data speak for most.
Statement likeliest(std::span<const double> log_medians, double delta) {
  std::array<Statement, 3> all{{
      {std::min(1.0, 2.0 * p_above(log_medians, std::log1p(delta))), Faster{}},
      {std::min(1.0, 2.0 * p_below(log_medians, std::log1p(-delta))), Slower{}},
      {test_equivalence(log_medians, delta).p(), Equivalent{}},
  }};
  return *std::min_element(all.begin(), all.end(), [](const Statement& a, const Statement& b) { return a.p < b.p; });
}

}  // namespace

std::vector<FamilyEffect> decide_family(std::span<const std::vector<double>> log_medians, double delta, double alpha) {
  std::vector<Statement> statements;
  std::vector<double> p;
  for (const std::vector<double>& shape : log_medians) {
    statements.push_back(shape.empty() ? Statement{1.0, Inconclusive{"it was not timed"}} : likeliest(shape, delta));
    p.push_back(statements.back().p);
  }
  const std::vector<double> adjusted = holm(p);
  std::vector<FamilyEffect> effects;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (adjusted[i] <= alpha) {
      effects.push_back({statements[i].effect, adjusted[i]});
      continue;
    }
    const std::string shown = "neither faster, slower nor equal within " + percent_text(delta) + " could be shown";
    effects.push_back({Inconclusive{shown}, adjusted[i]});
  }
  return effects;
}

}  // namespace assay::timing
