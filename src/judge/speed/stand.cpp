#include "judge/speed/stand.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "judge/registers.h"
#include "protocol/record.h"

namespace assay {
namespace {

constexpr double kDeadline = 60.0;
constexpr double kNano = 1e-9;

/// Gives back a mapping's range.
Mapping unmapped(Mapping mapping) {
  mapping.fd = -1;
  return mapping;
}

std::vector<std::uint16_t> order_of(const std::vector<Ticket>& tickets) {
  std::vector<std::uint16_t> order;
  for (const Ticket& ticket : tickets) order.push_back(ticket.slot);
  return order;
}

Observation refusal(const Entry& entry, std::uint64_t value) {
  const std::int64_t number = returned_number(entry, value);
  return {"return",
          "",
          "",
          Severity::error,
          "a call of a timed burst returned " + std::to_string(number),
          {{"returned", number}}};
}

}  // namespace

Stand::Stand(const Contract& contract, const AuditSubject& subject, const StreamKey& secret)
    : contract_(contract),
      subject_(subject),
      random_(number_of(derive_key(secret, 0, "stand"))),
      worker_(subject.start(sandbox::Surroundings::usual)) {
  const auto loaded = worker_->load();
  if (const auto* failure = std::get_if<LoadFailure>(&loaded)) {
    end_ = failure->end.value_or(Ended{EndKind::ended, 0, failure->what});
    return;
  }
  const auto& ready = std::get<Loaded>(loaded);
  load_s_ = ready.seconds;
  addresses_.emplace(ready.arena, ready.arena_bytes, random_());
}

void Stand::begin(const TimedShape& timed, SlotSet& slots) {
  timed_ = timed;
  slots_ = &slots;
  std::vector<Mapping> changes;
  std::transform(mapped_.begin(), mapped_.end(), std::back_inserter(changes), unmapped);
  if (end_) return;
  mapped_ = slots.place(*addresses_);
  changes.insert(changes.end(), mapped_.begin(), mapped_.end());
  end_ = worker_->map(changes);
  const CallPlan plan = timed.pool->plan(0, timed.params);
  if (!end_) end_ = worker_->keep(slots.registers(subject_.entry, plan, random_), subject_.entry.args.size());
}

/// As many decoys as called slots get new inputs too, at places between them.
void Stand::write(const std::vector<Ticket>& tickets, Regime regime) {
  std::vector<bool> called(slots_->count(), false);
  for (const Ticket& ticket : tickets) {
    called[ticket.slot] = true;
    slots_->write(ticket.slot, timed_.pool->inputs(ticket.value));
  }
  std::size_t left = tickets.size();
  const std::size_t start = random_.below(called.size());
  for (std::size_t i = 0; i < called.size() && left > 0; ++i) {
    const std::size_t slot = (start + i) % called.size();
    if (called[slot]) continue;
    slots_->write(slot, timed_.pool->decoy(decoys_++));
    --left;
  }
  if (regime != Regime::cold) return;
  for (const Ticket& ticket : tickets) slots_->flush(ticket.slot);
}

std::optional<TurnTime> Stand::run(const std::vector<Ticket>& tickets, Regime regime) {
  objections_.clear();
  if (end_) return std::nullopt;
  write(tickets, regime);
  const BurstOutcome outcome = worker_->burst(order_of(tickets), kDeadline);
  if (const auto* ended = std::get_if<Ended>(&outcome)) {
    end_ = *ended;
    return std::nullopt;
  }
  const auto& finished = std::get<Finished>(outcome);
  check(tickets, finished);
  TurnTime time;
  time.regime = regime;
  time.calls = static_cast<std::int64_t>(tickets.size());
  time.wall_s = static_cast<double>(finished.wall_ns) * kNano;
  time.replied_s = static_cast<double>(finished.replied_ns) * kNano;
  time.told_s = static_cast<double>(finished.told_ns) * kNano;
  time.waited_s = static_cast<double>(finished.waited_ns) * kNano;
  time.cpu_s = static_cast<double>(finished.cpu_ns.value_or(0)) * kNano;
  return time;
}

void Stand::check(const std::vector<Ticket>& tickets, const Finished& finished) {
  std::vector<bool> called(slots_->count(), false);
  for (std::size_t i = 0; i < tickets.size(); ++i) {
    called[tickets[i].slot] = true;
    const std::uint64_t value = finished.values[i];
    if (!means_success(subject_.entry, value)) {
      objections_.push_back(refusal(subject_.entry, value));
      continue;
    }
    const OutputDigest digest = slots_->digest(tickets[i].slot, subject_.entry, value);
    counts_ += {1, timed_.pool->elements(), static_cast<std::int64_t>(slots_->zone_bytes())};
    if (timed_.pool->known(tickets[i].value, timed_.params, digest)) continue;
    const CallFacts facts = slots_->facts(tickets[i].slot, subject_.entry, value);
    const std::vector<Observation> seen = timed_.pool->judge(tickets[i].value, timed_.params, facts, digest);
    objections_.insert(objections_.end(), seen.begin(), seen.end());
  }
  for (const Ticket& ticket : tickets) slots_->restore(ticket.slot);
  for (const Damage& damage : slots_->damage(called)) {
    objections_.push_back({"guards",
                           "",
                           damage.stranger ? "A15" : "B20",
                           Severity::error,
                           "a timed burst wrote to " + damage.where,
                           {{"where", damage.where}, {"offset_bytes", damage.offset}}});
  }
}

BareStand::BareStand(const AuditSubject& builtin, std::size_t arguments)
    : worker_(builtin.start(sandbox::Surroundings::usual)) {
  if (std::holds_alternative<LoadFailure>(worker_->load()))
    throw Error("a worker with a function of its own doesn't start");
  // Its slots point nowhere: nobody looks at them.
  const std::vector<Registers> slots(protocol::kMaxSlots);
  if (worker_->keep(slots, arguments)) throw Error("a worker takes no orders");
}

TurnTime BareStand::run(std::size_t calls) {
  std::vector<std::uint16_t> order(calls);
  std::iota(order.begin(), order.end(), std::uint16_t{0});
  const BurstOutcome outcome = worker_->burst(order, kDeadline);
  const auto* finished = std::get_if<Finished>(&outcome);
  if (!finished) throw Error("a worker with a function of its own ended: " + std::get<Ended>(outcome).what);
  TurnTime time;
  time.wall_s = static_cast<double>(finished->wall_ns) * kNano;
  time.replied_s = static_cast<double>(finished->replied_ns) * kNano;
  time.told_s = static_cast<double>(finished->told_ns) * kNano;
  return time;
}

}  // namespace assay
