#include "judge/session.h"

#include <algorithm>

namespace assay {
namespace {

/// How long work that outlives its reply gets to show itself.
constexpr double kLingerSeconds = 0.03;

std::vector<std::uint64_t> capacities(const Contract& contract, const std::vector<ConcreteShape>& shapes) {
  std::vector<std::uint64_t> most;
  for (const ConcreteShape& shape : shapes) {
    const std::vector<Buffer> buffers = buffers_of(contract, shape);
    most.resize(buffers.size());
    for (std::size_t b = 0; b < buffers.size(); ++b) most[b] = std::max(most[b], buffers[b].bytes);
  }
  return most;
}

/// An address of a static tensor never becomes another's: work may be kept under it (CONTRACT.md, fine print).
std::vector<bool> pinned_buffers(const Contract& contract) {
  std::vector<bool> pinned;
  for (const Tensor& tensor : contract.tensors) pinned.push_back(tensor.is_static);
  pinned.push_back(false);  // the workspace
  return pinned;
}

/// The earlier buffer of the call at the same script-local place, if there is one: they alias.
std::size_t alias_of(const CallPlan& plan, std::size_t buffer) {
  if (buffer >= plan.places.size() || plan.places[buffer] == kHome) return Staged::kNoAlias;
  for (std::size_t earlier = 0; earlier < buffer; ++earlier) {
    if (plan.places[earlier] == plan.places[buffer]) return earlier;
  }
  return Staged::kNoAlias;
}

Place place_of(const CallPlan& plan, std::size_t buffer) {
  return buffer < plan.places.size() ? plan.places[buffer] : kHome;
}

std::optional<int> shift_of(const CallPlan& plan, std::size_t buffer) {
  return buffer < plan.shifts.size() ? std::optional(plan.shifts[buffer]) : std::nullopt;
}

/// Storage that any of its tensors may write is writable.
Lending lending_of(const CallPlan& plan, const std::vector<Buffer>& buffers, std::size_t buffer) {
  Lending lending = buffers[buffer].lending();
  for (std::size_t other = 0; other < buffers.size(); ++other) {
    const bool shared = place_of(plan, buffer) != kHome && place_of(plan, other) == place_of(plan, buffer);
    if (shared && buffers[other].lending() == Lending::writable) lending = Lending::writable;
  }
  return lending;
}

bool among(const std::vector<Staged>& staged, const LentMemory* memory) {
  return std::any_of(staged.begin(), staged.end(), [&](const Staged& s) { return s.lodging.memory.get() == memory; });
}

void check_zones(const Staged& staged, std::vector<Damage>& damage) {
  if (const auto at = first_difference(staged.zone_before(), staged.key_before)) {
    const auto offset = static_cast<std::int64_t>(*at) - static_cast<std::int64_t>(staged.lodging.offset);
    damage.push_back({"before " + staged.buffer->name, offset, false});
  }
  if (const auto at = first_difference(staged.zone_after(), staged.key_after)) {
    damage.push_back({"after " + staged.buffer->name, static_cast<std::int64_t>(*at), false});
  }
}

/// Bytes that no element of a strided output covers must be as they were.
void check_gaps(const Contract& contract, const Staged& staged, std::vector<Damage>& damage) {
  const Buffer& buffer = *staged.buffer;
  if (buffer.tensor == nullptr || buffer.tensor->contiguous || buffer.role == Role::in) return;
  Bytes expected = *staged.contents;
  const std::byte* actual = staged.lodging.data();
  scatter(packed(contract, *buffer.tensor, actual).data(), view_of(contract, *buffer.tensor, expected.data()));
  const auto difference = first_difference(actual, expected.data(), expected.size());
  if (difference) {
    damage.push_back({"between the elements of " + buffer.name, static_cast<std::int64_t>(*difference), false});
  }
}

std::int64_t zone_bytes(const Staged& staged) {
  return static_cast<std::int64_t>(staged.zone_before().size() + staged.zone_after().size() +
                                   (staged.buffer->role == Role::in ? staged.lodging.bytes : 0));
}

}  // namespace

Session::Session(const Contract& contract, const Entry& entry, std::unique_ptr<Worker> worker, const Loaded& loaded,
                 Values& values, const std::vector<ConcreteShape>& shapes, SessionOptions options)
    : contract_(contract),
      entry_(entry),
      worker_(std::move(worker)),
      values_(values),
      options_(options),
      random_(number_of(derive_key(options.secret, 0, "choices"))),
      halves_(number_of(derive_key(options.secret, 0, "register halves"))),
      digest_seed_(number_of(derive_key(options.secret, 0, "digests"))),
      lender_(loaded, capacities(contract, shapes), pinned_buffers(contract),
              static_cast<std::uint64_t>(contract.memory.align), random_()),
      attempts_at_load_(loaded.attempts) {}

void Session::begin_script(bool keep_starts) {
  lender_.begin_script(keep_starts);
  // Under fixed addresses a caller has one set of buffers; otherwise either may be meant.
  set_ = options_.lifetime == Lifetime::fixed_address ? 0 : static_cast<Set>(random_.below(kSets));
}

void Session::end_script() {
  lender_.end_script();
}

bool Session::wants_decoy(const std::vector<Buffer>& buffers) const {
  return options_.decoys && std::all_of(buffers.begin(), buffers.end(), [&](const Buffer& buffer) {
           return buffer.bytes <= options_.decoy_limit_bytes;
         });
}

CallPlan Session::decoy_plan(const CallPlan& plan) {
  CallPlan decoy = plan;
  std::fill(decoy.places.begin(), decoy.places.end(), kHome);
  decoy.shifts.clear();
  for (std::size_t t = 0; t < decoy.values.size(); ++t) {
    if (!contract_.tensors[t].is_static) decoy.values[t] = {random_(), {}};
  }
  return decoy;
}

std::vector<Staged> Session::stage(const CallPlan& plan, const std::vector<Buffer>& buffers, Set set, bool decoy) {
  std::vector<Staged> staged(buffers.size());
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    staged[b].buffer = &buffers[b];
    staged[b].alias_of = alias_of(plan, b);
    if (staged[b].alias_of != Staged::kNoAlias) {
      staged[b].lodging = staged[staged[b].alias_of].lodging;
      continue;
    }
    const Lending lending = options_.writable_inputs ? Lending::writable : lending_of(plan, buffers, b);
    staged[b].lodging = lender_.lodge(set, b, place_of(plan, b), buffers[b].bytes, lending, shift_of(plan, b));
  }
  for (Staged& each : staged) write(each, plan, decoy);
  return staged;
}

void Session::write(Staged& staged, const CallPlan& plan, bool decoy) {
  const Buffer& buffer = *staged.buffer;
  const bool shared = staged.alias_of != Staged::kNoAlias;
  if (buffer.holds_input()) {
    staged.contents = values_.of(buffer, plan.values[buffer.tensor->index]);
  } else if (!shared) {
    poison(staged, decoy && random_.chance(0.5) ? Poison::small_finite : plan.poison);
  }
  // An output that shares an input's storage holds that input before the call; an input written second brings its own.
  if (shared && !buffer.holds_input()) return;
  staged.key_before = next_key();
  staged.key_after = next_key();
  write_staged(staged);
}

void Session::poison(Staged& staged, Poison kind) {
  const Buffer& buffer = *staged.buffer;
  const auto answer = answers_.find(buffer.name);
  const bool has_answer = answer != answers_.end() && answer->second.size() == buffer.bytes;
  if (kind == Poison::other_answer && has_answer) {
    staged.contents = std::make_shared<const Bytes>(answer->second);
    return;
  }
  if (kind == Poison::other_answer) kind = Poison::small_finite;
  auto bytes = std::make_shared<Bytes>(buffer.bytes);
  staged.poison = PoisonSpec{kind, next_key()};
  fill_poison(*bytes, *staged.poison, buffer.dtype);
  staged.contents = std::move(bytes);
}

StreamKey Session::next_key() {
  return derive_key(options_.secret, ++keys_, "use");
}

std::vector<Bystander> Session::watch_bystanders(const std::vector<Staged>& called, const std::vector<Staged>& other,
                                                 Other meaning) {
  std::vector<Bystander> bystanders;
  for (const std::shared_ptr<LentMemory>& memory : lender_.tenants()) {
    if (among(called, memory.get())) continue;
    const bool prepared = among(other, memory.get());
    if (prepared && meaning == Other::called) continue;
    if (!prepared) {
      fill_poison({memory->data(), static_cast<std::size_t>(memory->bytes())}, {Poison::small_finite, next_key()},
                  DType::f32);
    }
    const std::string what = prepared ? "a slot that was prepared but not called" : "a place that a tensor has left";
    bystanders.push_back({memory, what, digest_of(*memory, digest_seed_)});
  }
  return bystanders;
}

CallFacts Session::perform(const ConcreteShape& shape, const CallPlan& plan) {
  buffers_ = buffers_of(contract_, shape);
  called_ = stage(plan, buffers_, set_, false);
  std::vector<Staged> decoy;
  if (wants_decoy(buffers_)) decoy = stage(decoy_plan(plan), buffers_, 1 - set_, true);
  const std::vector<Bystander> bystanders = watch_bystanders(called_, decoy, Other::decoy);
  CallFacts facts;
  run(invocation_of(plan), facts);
  if (unmapped_) return facts;
  look(facts, called_, plan);
  look_around(facts, bystanders);
  remember(facts);
  return facts;
}

std::optional<std::array<CallFacts, 2>> Session::perform_together(const ConcreteShape& shape, const CallPlan& plan,
                                                                  const CallPlan& beside) {
  buffers_ = buffers_of(contract_, shape);
  if (!wants_decoy(buffers_)) return std::nullopt;
  called_ = stage(plan, buffers_, set_, false);
  const std::vector<Staged> second = stage(beside, buffers_, 1 - set_, false);
  const std::vector<Bystander> bystanders = watch_bystanders(called_, second, Other::called);
  Invocation invocation = invocation_of(plan);
  invocation.beside = registers_of(contract_, entry_, beside, second, halves_).args;
  std::array<CallFacts, 2> facts;
  run(invocation, facts[0]);
  facts[1].outcome = facts[0].outcome;
  if (unmapped_) return facts;
  if (auto* returned = std::get_if<Returned>(&facts[1].outcome)) returned->value = returned->beside;
  look(facts[0], called_, plan);
  look(facts[1], second, beside);
  look_around(facts[0], bystanders);
  facts[1].residue = facts[0].residue;
  remember(facts[0]);
  return facts;
}

Invocation Session::invocation_of(const CallPlan& plan) {
  Invocation invocation = registers_of(contract_, entry_, plan, called_, halves_);
  invocation.sequence = ++sequence_;
  invocation.repeats = plan.repeats;
  invocation.stress = plan.stress;
  return invocation;
}

/// Maps what is new, then calls.
void Session::run(const Invocation& invocation, CallFacts& facts) {
  const std::vector<Mapping> changes = lender_.take_changes();
  end_ = worker_->map(changes);
  unmapped_ = end_.has_value();
  facts.outcome = unmapped_ ? CallOutcome(*end_) : worker_->call(invocation, options_.deadline_s);
  if (const auto* ended = std::get_if<Ended>(&facts.outcome)) end_ = *ended;
  // Also of a worker that has ended: what it tried last may be why.
  facts.attempts = worker_->attempts();
}

void Session::look(CallFacts& facts, const std::vector<Staged>& called, const CallPlan& plan) {
  const auto* returned = std::get_if<Returned>(&facts.outcome);
  for (std::size_t b = 0; b < called.size(); ++b) {
    const Staged& staged = called[b];
    const bool shared = lending_of(plan, buffers_, b) != buffers_[b].lending() || staged.alias_of != Staged::kNoAlias;
    facts.outputs.emplace_back();
    facts.poison.push_back(staged.poison);
    facts.aliased.push_back(shared);
    if (buffers_[b].holds_output())
      facts.outputs[b].assign(staged.lodging.data(), staged.lodging.data() + staged.lodging.bytes);
    if (returned && entry_.returns_element_of(buffers_[b].name)) {
      facts.outputs[b] = returned_element(returned->value, buffers_[b].dtype);
    }
    if (staged.alias_of == Staged::kNoAlias) check_zones(staged, facts.damage);
    if (!shared) check_gaps(contract_, staged, facts.damage);
    facts.guarded_bytes += zone_bytes(staged);
    if (buffers_[b].role != Role::in || shared) continue;
    const auto change = first_difference(staged.lodging.data(), staged.contents->data(), staged.lodging.bytes);
    if (change) facts.input_changes.push_back({b, static_cast<std::int64_t>(*change) / info(buffers_[b].dtype).bytes});
  }
}

void Session::look_around(CallFacts& facts, const std::vector<Bystander>& bystanders) {
  for (const Bystander& bystander : bystanders) {
    facts.guarded_bytes += bystander.memory->bytes();
    if (digest_of(*bystander.memory, digest_seed_) != bystander.digest)
      facts.damage.push_back({bystander.what, 0, true});
  }
  if (!end_) facts.residue = worker_->residue(false);
}

void Session::remember(const CallFacts& facts) {
  if (!std::holds_alternative<Returned>(facts.outcome)) return;
  for (std::size_t b = 0; b < buffers_.size(); ++b) {
    if (buffers_[b].holds_output()) answers_[buffers_[b].name] = facts.outputs[b];
  }
}

std::vector<Bytes> Session::outputs_later() {
  if (!end_) worker_->linger(kLingerSeconds);
  std::vector<Bytes> outputs(called_.size());
  for (std::size_t b = 0; b < called_.size(); ++b) {
    const Lodging& lodging = called_[b].lodging;
    if (buffers_[b].holds_output()) outputs[b].assign(lodging.data(), lodging.data() + lodging.bytes);
  }
  return outputs;
}

Residue Session::full_residue() {
  return end_ ? Residue{} : worker_->residue(true);
}

}  // namespace assay
