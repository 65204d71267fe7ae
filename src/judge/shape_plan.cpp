#include "judge/shape_plan.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/arguments.h"

namespace assay {
namespace {

struct DepthBudget {
  std::int64_t bytes;  ///< of one call, for shapes that production doesn't list
  std::size_t shapes;  ///< the most shapes besides production's
};

/// Bytes of the judge per byte lent, for shapes that are limited by the machine alone.
constexpr std::int64_t kOwnCopies = 6;

constexpr std::array<DepthBudget, 3> kBudgets{{{4LL << 20, 16}, {32LL << 20, 56}, {512LL << 20, 240}}};

/// Families in order of importance.
std::vector<ShapeFamily> families() {
  std::vector<ShapeFamily> all = Registry<ShapeFamily>::all();
  std::stable_sort(all.begin(), all.end(), [](const ShapeFamily& a, const ShapeFamily& b) { return a.rank < b.rank; });
  return all;
}

class ShapeCollector {
 public:
  ShapeCollector(const Contract& contract, const Entry& entry, const ShapeBudget& budget)
      : contract_(contract), entry_(entry), budget_(budget), limit_(kBudgets[static_cast<std::size_t>(budget.depth)]) {}

  void offer(const AxisValues& axes, bool boundless = false) {
    if (!seen_.insert(axes).second) return;
    const bool production = is_production(contract_, axes);
    if (!production && !boundless && extra_ >= limit_.shapes) return;
    auto shape = concretise(contract_, axes);
    if (auto* why = std::get_if<std::string>(&shape)) {
      if (production) note("production shape " + to_string(axes) + ": " + *why);
      return;
    }
    const std::string unfit = unfit_argument(contract_, entry_, axes);
    if (!unfit.empty()) return note("shape " + to_string(axes) + ": " + unfit);
    take(std::get<ConcreteShape>(std::move(shape)), production || boundless);
  }

  /// One that belongs to a deeper audit, if it can be called at all.
  void hold_back(const AxisValues& axes, Depth from) {
    if (!std::holds_alternative<ConcreteShape>(concretise(contract_, axes))) return;
    if (!unfit_argument(contract_, entry_, axes).empty()) return;
    note("shape " + to_string(axes) + ", beyond 2^31, is called at depth " + std::string(info(from).name) +
         " only, memory permitting");
  }

  ShapePlan finish() {
    if (too_large_ > 0) {
      note(std::to_string(too_large_) + " shapes above " + std::to_string(limit_.bytes >> 20) +
           " MiB a call were left out at depth " + std::string(info(budget_.depth).name) + ", among them " + largest_);
    }
    return std::move(plan_);
  }

 private:
  void take(ConcreteShape shape, bool any_size) {
    // Beyond what production calls, the judge's own copies count: truths and scales are kept in double precision.
    const std::int64_t bytes = shape.total_bytes();
    const std::int64_t needs = is_production(contract_, shape.axes) ? bytes : kOwnCopies * bytes;
    if (!any_size && bytes > limit_.bytes) {
      ++too_large_;
      largest_ = to_string(shape.axes);
      return;
    }
    if (needs > budget_.memory_bytes) {
      return note("shape " + to_string(shape.axes) + " needs " + std::to_string(needs >> 20) +
                  " MiB a call, more than this machine can lend (" + std::to_string(budget_.memory_bytes >> 20) +
                  " MiB)");
    }
    if (!any_size) ++extra_;
    plan_.shapes.push_back(std::move(shape));
  }

  void note(const std::string& text) { plan_.not_covered.push_back(text); }

  const Contract& contract_;
  const Entry& entry_;
  ShapeBudget budget_;
  DepthBudget limit_;
  std::set<AxisValues> seen_;
  ShapePlan plan_;
  std::size_t extra_ = 0;
  int too_large_ = 0;
  std::string largest_;
};

/// So that no family uses up what the depth allows.
void take_turns(const std::vector<std::vector<AxisValues>>& families, ShapeCollector& collector) {
  std::size_t longest = 0;
  for (const auto& family : families) longest = std::max(longest, family.size());
  for (std::size_t turn = 0; turn < longest; ++turn) {
    for (const auto& family : families) {
      if (turn < family.size()) collector.offer(family[turn]);
    }
  }
}

}  // namespace

bool is_production(const Contract& contract, const AxisValues& axes) {
  return std::any_of(contract.shapes.begin(), contract.shapes.end(),
                     [&](const ProductionShape& shape) { return shape.axes == axes; });
}

ShapePlan plan_shapes(const Contract& contract, const Entry& entry, const ShapeBudget& budget, Random& random) {
  ShapeCollector collector(contract, entry, budget);
  std::vector<std::vector<AxisValues>> turns;
  for (const ShapeFamily& family : families()) {
    std::vector<AxisValues> drawn = family.draw(contract, random, info(budget.depth).effort);
    if (family.boundless || family.rank == 0) {
      for (const AxisValues& axes : drawn) {
        budget.depth < family.from ? collector.hold_back(axes, family.from) : collector.offer(axes, family.boundless);
      }
    } else if (budget.depth >= family.from) {
      turns.push_back(std::move(drawn));
    }
  }
  take_turns(turns, collector);
  return collector.finish();
}

}  // namespace assay
