#include "judge/session.h"

#include <algorithm>

namespace assay {
namespace {

/// How long work that outlives its reply gets to show itself.
constexpr double kLingerSeconds = 0.03;

/// What is read of an output the moment the reply is in: copies must be over before work that goes on could be.
constexpr std::uint64_t kWholePiece = 64 << 10;
constexpr std::uint64_t kPieceBytes = 4 << 10;
constexpr int kPieces = 3;

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

bool among(const std::vector<Staged>& staged, const DeviceMemory* memory) {
  return std::any_of(staged.begin(), staged.end(), [&](const Staged& s) { return s.lodging.memory.get() == memory; });
}

void check_zones(const Staged& staged, std::vector<Damage>& damage) {
  if (const auto at = damage_before(staged)) damage.push_back({"before " + staged.buffer->name, *at, false});
  if (const auto at = damage_after(staged)) damage.push_back({"after " + staged.buffer->name, *at, false});
}

/// Bytes that no element of a strided output covers must be as they were. `actual` is its whole extent.
void check_gaps(const Contract& contract, const Staged& staged, const Bytes& actual, std::vector<Damage>& damage) {
  const Buffer& buffer = *staged.buffer;
  if (buffer.tensor == nullptr || buffer.tensor->contiguous || buffer.role == Role::in) return;
  Bytes expected = *staged.contents;
  scatter(packed(contract, *buffer.tensor, actual.data()).data(), view_of(contract, *buffer.tensor, expected.data()));
  const auto difference = first_difference(actual.data(), expected.data(), expected.size());
  if (difference) {
    damage.push_back({"between the elements of " + buffer.name, static_cast<std::int64_t>(*difference), false});
  }
}

Bytes contents_of(const Staged& staged) {
  Bytes bytes(static_cast<std::size_t>(staged.lodging.bytes));
  staged.lodging.memory->read(staged.lodging.offset, bytes);
  return bytes;
}

bool untouched(const Staged& staged) {
  return !damage_before(staged) && !damage_inside(staged) && !damage_after(staged);
}

const Device& device_of(const SessionOptions& options) {
  static const std::unique_ptr<Device> cpu = open_device("cpu");
  return options.device ? *options.device : *cpu;
}

bool takes_stream(const Entry& entry) {
  return std::any_of(entry.args.begin(), entry.args.end(),
                     [](const Argument& argument) { return argument.kind == ArgKind::stream; });
}

std::int64_t zone_bytes(const Staged& staged) {
  return static_cast<std::int64_t>(staged.zone_before() + staged.zone_after() +
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
      lender_(device_of(options_), loaded, capacities(contract, shapes), pinned_buffers(contract),
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

std::vector<Bystander> Session::watch_bystanders(const std::vector<Staged>& called, const std::vector<Staged>& other) {
  std::vector<Bystander> bystanders;
  for (const std::shared_ptr<DeviceMemory>& memory : lender_.tenants()) {
    if (among(called, memory.get()) || among(other, memory.get())) continue;
    bystanders.push_back({memory, next_key()});
    memory->fill(0, static_cast<std::uint64_t>(memory->bytes()), bystanders.back().key);
  }
  return bystanders;
}

CallFacts Session::perform(const ConcreteShape& shape, const CallPlan& plan) {
  buffers_ = buffers_of(contract_, shape);
  called_ = stage(plan, buffers_, set_, false);
  std::vector<Staged> decoy;
  if (wants_decoy(buffers_)) decoy = stage(decoy_plan(plan), buffers_, 1 - set_, true);
  const std::vector<Bystander> bystanders = watch_bystanders(called_, decoy);
  CallFacts facts;
  run(invocation_of(plan), facts);
  if (unmapped_) return facts;
  look(facts, called_, plan);
  look_around(facts, decoy, bystanders);
  remember(facts);
  return facts;
}

std::optional<std::array<CallFacts, 2>> Session::perform_together(const ConcreteShape& shape, const CallPlan& plan,
                                                                  const CallPlan& beside) {
  buffers_ = buffers_of(contract_, shape);
  if (!wants_decoy(buffers_)) return std::nullopt;
  called_ = stage(plan, buffers_, set_, false);
  const std::vector<Staged> second = stage(beside, buffers_, 1 - set_, false);
  const std::vector<Bystander> bystanders = watch_bystanders(called_, second);
  Invocation invocation = invocation_of(plan);
  invocation.beside = registers_of(contract_, entry_, beside, second, halves_).args;
  std::array<CallFacts, 2> facts;
  run(invocation, facts[0]);
  facts[1].outcome = facts[0].outcome;
  if (unmapped_) return facts;
  if (auto* returned = std::get_if<Returned>(&facts[1].outcome)) returned->value = returned->beside;
  look(facts[0], called_, plan);
  look(facts[1], second, beside);
  look_around(facts[0], {}, bystanders);
  facts[1].residue = facts[0].residue;
  remember(facts[0]);
  return facts;
}

Invocation Session::invocation_of(const CallPlan& plan) {
  Invocation invocation = registers_of(contract_, entry_, plan, called_, halves_);
  invocation.sequence = ++sequence_;
  invocation.repeats = plan.repeats;
  invocation.stress = plan.stress;
  if (takes_stream(entry_)) invocation.streams = {choose_stream(), choose_stream()};
  return invocation;
}

/// One of two kept streams, or a new one.
StreamChoice Session::choose_stream() {
  if (random_.chance(0.2)) return StreamChoice::fresh;
  return random_.chance(0.5) ? StreamChoice::first : StreamChoice::second;
}

/// The whole of small outputs; of large ones the end and a few places, all drawn anew.
std::vector<Session::Piece> Session::take_pieces() {
  std::vector<Piece> pieces;
  for (std::size_t b = 0; b < called_.size(); ++b) {
    const std::uint64_t bytes = called_[b].lodging.bytes;
    if (!buffers_[b].holds_output() || bytes == 0) continue;
    if (bytes <= kWholePiece) {
      pieces.push_back({b, 0, Bytes(bytes)});
      continue;
    }
    pieces.push_back({b, bytes - kPieceBytes, Bytes(kPieceBytes)});
    for (int i = 0; i < kPieces; ++i) pieces.push_back({b, random_.below(bytes - kPieceBytes), Bytes(kPieceBytes)});
  }
  return pieces;
}

void Session::read_pieces(std::vector<Piece>& pieces) const {
  for (Piece& piece : pieces) {
    const Lodging& lodging = called_[piece.buffer].lodging;
    lodging.memory->read(lodging.offset + piece.offset, piece.bytes);
  }
}

/// Maps what is new, then calls.
void Session::run(Invocation invocation, CallFacts& facts) {
  const std::vector<Mapping> changes = lender_.take_changes();
  end_ = worker_->map(changes);
  unmapped_ = end_.has_value();
  std::vector<Piece> pieces;
  if (device_of(options_).info().asynchronous) {
    pieces = take_pieces();
    invocation.at_reply = [&] { read_pieces(pieces); };
  }
  facts.outcome = unmapped_ ? CallOutcome(*end_) : worker_->call(invocation, options_.deadline_s);
  if (const auto* ended = std::get_if<Ended>(&facts.outcome)) end_ = *ended;
  // Also of a worker that has ended: what it tried last may be why.
  facts.attempts = worker_->attempts();
  for (const Piece& piece : pieces) {
    const Lodging& lodging = called_[piece.buffer].lodging;
    if (facts.late || !std::holds_alternative<Returned>(facts.outcome)) break;
    const auto change = lodging.memory->first_difference(lodging.offset + piece.offset, piece.bytes);
    if (change) facts.late = LateChange{piece.buffer, static_cast<std::int64_t>(piece.offset + *change)};
  }
}

void Session::look(CallFacts& facts, const std::vector<Staged>& called, const CallPlan& plan) {
  const auto* returned = std::get_if<Returned>(&facts.outcome);
  for (std::size_t b = 0; b < called.size(); ++b) {
    const Staged& staged = called[b];
    const bool shared = lending_of(plan, buffers_, b) != buffers_[b].lending() || staged.alias_of != Staged::kNoAlias;
    facts.outputs.emplace_back();
    facts.poison.push_back(staged.poison);
    facts.aliased.push_back(shared);
    if (buffers_[b].holds_output()) facts.outputs[b] = contents_of(staged);
    if (returned && entry_.returns_element_of(buffers_[b].name)) {
      facts.outputs[b] = returned_element(returned->value, buffers_[b].dtype);
    }
    if (staged.alias_of == Staged::kNoAlias) check_zones(staged, facts.damage);
    if (!shared && buffers_[b].holds_output()) check_gaps(contract_, staged, facts.outputs[b], facts.damage);
    facts.guarded_bytes += zone_bytes(staged);
    if (buffers_[b].role != Role::in || shared) continue;
    const auto change = damage_inside(staged);
    if (change) facts.input_changes.push_back({b, *change / info(buffers_[b].dtype).bytes});
  }
}

void Session::look_around(CallFacts& facts, const std::vector<Staged>& decoy,
                          const std::vector<Bystander>& bystanders) {
  for (const Staged& staged : decoy) {
    facts.guarded_bytes += staged.lodging.memory->bytes();
    if (!untouched(staged)) facts.damage.push_back({"a slot that was prepared but not called", 0, true});
  }
  for (const auto& [memory, key] : bystanders) {
    facts.guarded_bytes += memory->bytes();
    const bool changed = memory->first_difference(0, static_cast<std::uint64_t>(memory->bytes()), key).has_value();
    if (changed) facts.damage.push_back({"a place that a tensor has left", 0, true});
  }
  if (!end_) facts.residue = residue(false);
}

/// What the kernel and the device know together.
Residue Session::residue(bool full) {
  Residue seen = worker_->residue(full);
  if (full) seen.device_bytes = device_of(options_).held_by(worker_->process());
  return seen;
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
    if (buffers_[b].holds_output()) outputs[b] = contents_of(called_[b]);
  }
  return outputs;
}

Residue Session::full_residue() {
  return end_ ? Residue{} : residue(true);
}

}  // namespace assay
