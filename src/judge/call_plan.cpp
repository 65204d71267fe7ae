#include "judge/call_plan.h"

#include <algorithm>
#include <array>

#include "core/fnv1a.h"
#include "judge/shape_plan.h"

namespace assay {
namespace {

/// Shapes above this are left to production's own calls: a check that wants "some shape" gets a cheaper one.
constexpr std::int64_t kCheapBytes = 16LL << 20;

/// Bytes that the calls of one session may move, by depth: large tensors cost time in proportion.
constexpr std::array<std::int64_t, 3> kSessionBytes{128LL << 20, 1LL << 30, 64LL << 30};

bool worth_calling(const Contract& contract, const ConcreteShape& shape) {
  return std::any_of(shape.tensors.begin(), shape.tensors.end(), [&](const ConcreteTensor& tensor) {
    const Role role = contract.tensors[tensor.index].role;
    return holds_output(role) && tensor.elements > 0;
  });
}

double weight_of(const Contract& contract, const AxisValues& axes) {
  for (const ProductionShape& shape : contract.shapes) {
    if (shape.axes == axes) return shape.weight;
  }
  return 0.0;
}

class Planner : public CheckContext {
 public:
  Planner(const Contract& contract, const std::vector<ConcreteShape>& shapes, Lifetime lifetime, Depth depth,
          Random random)
      : contract_(contract), shapes_(shapes), lifetime_(lifetime), depth_(depth), base_(random()), random_(base_) {}

  const Contract& contract() const override { return contract_; }
  std::span<const ConcreteShape> shapes() const override { return shapes_; }
  Lifetime lifetime() const override { return lifetime_; }
  int effort() const override { return info(depth_).effort; }
  Random& random() override { return random_; }
  std::uint64_t new_draw() override { return random_(); }

  std::vector<const ConcreteShape*> pick(int count) override {
    std::vector<const ConcreteShape*> pool = cheap_shapes();
    std::vector<const ConcreteShape*> picked;
    while (static_cast<int>(picked.size()) < count && !pool.empty()) {
      // The shape that production calls most comes first; then chance decides, cheap ones being likelier.
      const std::size_t at = picked.empty() ? heaviest(pool) : chance(pool);
      picked.push_back(pool[at]);
      pool.erase(pool.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return picked;
  }

  CallPlan fresh_call(const ConcreteShape& shape) override {
    CallPlan call;
    call.axes = shape.axes;
    call.places.assign(contract_.tensors.size(), kHome);
    for (const ConcreteTensor& tensor : shape.tensors) call.values.push_back({draw_for(tensor, shape), {}});
    for (const Param& param : contract_.params) call.params.push_back(random_.below(param.values.size()));
    return call;
  }

  void add(Script script) override {
    fitting_.insert(check_);
    if (script.needs > lifetime_) return;
    script.check = check_;
    scripts_.push_back(std::move(script));
  }

  void plan(const Check& check) {
    check_ = check.id;
    // Randomness of its own for each check and each kept tensor: what one draws never depends on the others.
    random_ = Random(base_ ^ fnv1a(check.id));
    check.plan(*this);
  }

  /// One queue, less what the depth has no time for.
  SessionPlan finish() {
    random_ = Random(base_);
    const std::size_t fused = fuse();
    std::shuffle(scripts_.begin(), scripts_.end(), random_);
    const std::size_t planned = scripts_.size();
    drop_excess();
    const std::size_t left_out = planned - scripts_.size();
    return {lifetime_, std::move(scripts_), fused, left_out, std::move(fitting_)};
  }

 private:
  /// Static tensors of the same sizes hold the same bytes all session long, whatever the other axes are; integers keep
  /// theirs for a shape, unless the lifetime lets them change alone.
  std::uint64_t draw_for(const ConcreteTensor& tensor, const ConcreteShape& shape) {
    const Tensor& spec = contract_.tensors[tensor.index];
    if (spec.is_static) return Random(base_ ^ fnv1a(spec.name + ' ' + sizes_text(tensor)))();
    const bool kept = !is_floating(spec.dtype) && lifetime_ != Lifetime::serving;
    return kept ? Random(base_ ^ fnv1a(spec.name + ' ' + to_string(shape.axes)))() : random_();
  }

  static bool lone(const Script& script) { return script.calls.size() == 1 && is_plain(script.calls.front()); }

  /// A lone plain call asks only for its shape: where another check's script makes such a call, that one does.
  std::size_t fuse() {
    const auto serves = [](const Script& host, const Script& wish) {
      if (host.check == wish.check || host.apart || host.soak || !host.serves.empty()) return false;
      const CallPlan& first = host.calls.front();
      return first.axes == wish.calls.front().axes && is_plain(first) && first.typical &&
             first.stress == Stress::none && first.repeats == 1;
    };
    std::vector<Script> kept;
    std::vector<Script> wishes;
    for (Script& script : scripts_) (lone(script) ? wishes : kept).push_back(std::move(script));
    const std::size_t asked = wishes.size();
    std::erase_if(wishes, [&](const Script& wish) {
      const auto host =
          std::find_if(kept.begin(), kept.end(), [&](const Script& script) { return serves(script, wish); });
      if (host == kept.end()) return false;
      host->serves = wish.check;
      return true;
    });
    const std::size_t fused = asked - wishes.size();
    for (Script& wish : wishes) kept.push_back(std::move(wish));
    scripts_ = std::move(kept);
    return fused;
  }

  std::int64_t bytes_of(const Script& script) const {
    std::int64_t bytes = 0;
    for (const CallPlan& call : script.calls) {
      for (const ConcreteShape& shape : shapes_) {
        if (shape.axes == call.axes) bytes += shape.total_bytes();
      }
    }
    return bytes;
  }

  /// Has a call that is there for a shape of production's: the last thing to do without.
  bool essential(const Script& script) const {
    const bool asks = script.calls.size() == 1 || !script.serves.empty();
    return asks && is_production(contract_, script.calls.front().axes);
  }

  void drop_excess() {
    std::int64_t left = kSessionBytes[static_cast<std::size_t>(depth_)];
    for (const Script& script : scripts_) left -= essential(script) ? bytes_of(script) : 0;
    bool any = false;
    std::erase_if(scripts_, [&](const Script& script) {
      if (essential(script)) return false;
      const std::int64_t bytes = bytes_of(script);
      if (any && bytes > left) return true;
      any = true;
      left -= bytes;
      return false;
    });
  }

  static std::string sizes_text(const ConcreteTensor& tensor) {
    std::string text;
    for (const std::int64_t size : tensor.shape) text += std::to_string(size) + ' ';
    return text;
  }

  std::vector<const ConcreteShape*> cheap_shapes() const {
    std::vector<const ConcreteShape*> pool;
    for (const ConcreteShape& shape : shapes_) {
      if (worth_calling(contract_, shape) && shape.total_bytes() <= kCheapBytes) pool.push_back(&shape);
    }
    if (!pool.empty()) return pool;
    const auto smallest = std::min_element(
        shapes_.begin(), shapes_.end(),
        [](const ConcreteShape& a, const ConcreteShape& b) { return a.total_bytes() < b.total_bytes(); });
    return {&*smallest};
  }

  std::size_t heaviest(const std::vector<const ConcreteShape*>& pool) const {
    const auto it = std::max_element(pool.begin(), pool.end(), [&](const ConcreteShape* a, const ConcreteShape* b) {
      return weight_of(contract_, a->axes) < weight_of(contract_, b->axes);
    });
    return static_cast<std::size_t>(it - pool.begin());
  }

  std::size_t chance(const std::vector<const ConcreteShape*>& pool) {
    const auto weight = [](const ConcreteShape* s) {
      return 1.0 / (1.0 + static_cast<double>(s->total_bytes()) / 65536.0);
    };
    double total = 0.0;
    for (const ConcreteShape* shape : pool) total += weight(shape);
    double left = random_.unit() * total;
    for (std::size_t i = 0; i + 1 < pool.size(); ++i) {
      left -= weight(pool[i]);
      if (left < 0.0) return i;
    }
    return pool.size() - 1;
  }

  const Contract& contract_;
  const std::vector<ConcreteShape>& shapes_;
  Lifetime lifetime_;
  Depth depth_;
  std::uint64_t base_;
  Random random_;
  std::string check_;
  std::vector<Script> scripts_;
  std::set<std::string> fitting_;
};

}  // namespace

std::int64_t SessionPlan::calls() const {
  std::int64_t total = 0;
  for (const Script& script : scripts) total += static_cast<std::int64_t>(script.calls.size());
  return total;
}

SessionPlan plan_session(const Contract& contract, const std::vector<ConcreteShape>& shapes, Lifetime lifetime,
                         Depth depth, const std::set<std::string>& only, Random random) {
  Planner planner(contract, shapes, lifetime, depth, random);
  for (const Check& check : Registry<Check>::all()) {
    if (only.empty() || only.contains(std::string(check.id))) planner.plan(check);
  }
  return planner.finish();
}

}  // namespace assay
