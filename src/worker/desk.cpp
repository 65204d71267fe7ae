#include "worker/desk.h"

#include <algorithm>

#include "core/error.h"
#include "worker/plan.h"

namespace assay::worker {
namespace {

struct StateRecord {
  protocol::State& record;
  void set(protocol::Life life, int code) const {
    record.life = static_cast<std::uint32_t>(life);
    record.code = code;
  }
  void operator()(const sandbox::Running&) const { set(protocol::Life::running, 0); }
  void operator()(const sandbox::Stopped&) const { set(protocol::Life::stopped, 0); }
  void operator()(const sandbox::Exited& end) const { set(protocol::Life::exited, end.status); }
  void operator()(const sandbox::Killed& end) const { set(protocol::Life::signalled, end.signal); }
};

void put_descriptors(protocol::Facts& record, const sandbox::ProcessFacts& facts,
                     const std::vector<Opening>& openings) {
  for (const auto& [number, target] : facts.descriptors) {
    const auto same = [&target = target](const Opening& each) { return each.node && each.path == target; };
    if (std::any_of(openings.begin(), openings.end(), same)) continue;
    if (record.descriptor_count == record.descriptors.size()) return;
    protocol::DescriptorRow& row = record.descriptors[record.descriptor_count++];
    row.number = number;
    protocol::put_text(row.target, target);
  }
}

void put_rows(protocol::Facts& record, const sandbox::ProcessFacts& facts) {
  for (const auto& [key, value] : facts.state) {
    if (record.row_count == record.rows.size()) return;
    protocol::Row& row = record.rows[record.row_count++];
    protocol::put_text(row.key, key);
    protocol::put_text(row.value, value);
  }
}

}  // namespace

Desk::Desk(pid_t worker, sandbox::UniqueFd listener, std::vector<Opening> openings)
    : keeper_(worker), notifier_(std::move(listener)), reader_(worker), openings_(std::move(openings)) {}

bool Desk::serve_one(int control) {
  protocol::Command command;
  std::vector<int> fds;
  if (!receive_as(control, command, fds)) return false;
  answer(control, command);
  return true;
}

void Desk::answer(int control, const protocol::Command& command) {
  const std::uint64_t sequence = command.header.sequence;
  switch (static_cast<protocol::Ask>(command.ask)) {
    case protocol::Ask::resume:
      if (keeper_.resume()) notifier_.count("woke while stopped");
      return;
    case protocol::Ask::stop:
      return send_state(control, sequence, keeper_.stop());
    case protocol::Ask::state:
      return send_state(control, sequence, keeper_.state(static_cast<int>(command.wait_ms)));
    case protocol::Ask::kill:
      return send_state(control, sequence, keeper_.kill());
    case protocol::Ask::vitals:
      return send_vitals(control, sequence);
    case protocol::Ask::facts:
      return send_facts(control, sequence);
    case protocol::Ask::attempts:
      return send_attempts(control, sequence);
  }
  throw Error("the judge asked for something unknown");
}

void Desk::send_state(int control, std::uint64_t sequence, const sandbox::ProcessState& state) const {
  auto record = protocol::make<protocol::State>(sequence);
  std::visit(StateRecord{record}, state);
  protocol::send_record(control, record);
}

void Desk::send_vitals(int control, std::uint64_t sequence) const {
  const sandbox::ProcessFacts facts = reader_.read(false);
  auto record = protocol::make<protocol::Vitals>(sequence);
  record.threads = facts.threads;
  record.resident_bytes = facts.resident_bytes;
  record.cpu_ns = facts.cpu_ns;
  protocol::send_record(control, record);
}

void Desk::send_facts(int control, std::uint64_t sequence) const {
  const sandbox::ProcessFacts facts = reader_.read(true);
  auto record = protocol::make<protocol::Facts>(sequence);
  record.threads = facts.threads;
  record.resident_bytes = facts.resident_bytes;
  record.cpu_ns = facts.cpu_ns;
  record.children = facts.children;
  record.mappings = facts.mappings;
  record.shared_bytes = facts.shared_bytes;
  record.mapped_bytes = facts.mapped_bytes;
  put_descriptors(record, facts, openings_);
  put_rows(record, facts);
  protocol::send_record(control, record);
}

void Desk::send_attempts(int control, std::uint64_t sequence) {
  notifier_.answer();
  auto record = protocol::make<protocol::AttemptCounts>(sequence);
  for (const auto& [name, count] : notifier_.take()) {
    if (record.count == record.rows.size()) break;
    protocol::AttemptRow& row = record.rows[record.count++];
    protocol::put_text(row.name, name);
    row.count = static_cast<std::uint64_t>(count);
  }
  protocol::send_record(control, record);
}

}  // namespace assay::worker
