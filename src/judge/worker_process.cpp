#include "judge/worker_process.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <thread>

#include "core/error.h"
#include "judge/worker_words.h"
#include "protocol/decode.h"

namespace assay {
namespace {

using protocol::Clock;
using protocol::Closed;

/// How long init may take for anything: it does no work that depends on the subject.
constexpr int kKeeperPatienceMs = 5000;
/// A process closes its sockets before it can be buried; freeing its memory lies between.
constexpr std::uint32_t kDeathMs = 2000;
/// Waking up takes a judge that sleeps as long as some kernels: while a burst is timed it stays awake, if it has a
/// processor of its own.
constexpr std::chrono::milliseconds kAwake{50};
/// Looking at each thread costs the judge more than waking init from about here on.
constexpr std::int64_t kFewThreads = 4;

Clock::time_point after(double seconds) {
  // A year stands for "no deadline" and keeps the sum inside the clock's range.
  const double bounded = std::clamp(std::isnan(seconds) ? 0.0 : seconds, 0.0, 3.0e7);
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(bounded));
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The clock that decides: nobody slews it.
std::int64_t raw_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

template <class Record>
std::span<const std::byte> bytes_of(const Record& record) {
  return std::as_bytes(std::span(&record, 1));
}

/// The worker's word on how often it called, as far as it can be true.
std::int64_t made_of(const protocol::Returned& record, const Invocation& invocation) {
  return static_cast<std::int64_t>(std::clamp<std::uint64_t>(record.made, 1, std::max(invocation.repeats, 1U)));
}

Ended protocol_fault(const std::string& what) {
  return {EndKind::protocol, 0, "the worker broke the protocol: " + what};
}

}  // namespace

WorkerProcess::WorkerProcess(WorkerSpec spec)
    : spec_(std::move(spec)), message_(std::make_unique<protocol::Message>()) {
  if (spec_.files.empty() || spec_.files.size() > protocol::kMaxFiles) {
    throw Error("a worker takes 1 to " + std::to_string(protocol::kMaxFiles) + " files, not " +
                std::to_string(spec_.files.size()) + ": name fewer in `with`");
  }
  const Entry& entry = spec_.entry;
  if (entry.args.size() > protocol::kMaxArgs) throw Error("a call has at most 64 arguments");
  if (entry.symbol.size() >= sizeof(protocol::Load::symbol)) throw Error("symbol too long: " + entry.symbol);
  for (const LentFile& file : spec_.files) {
    if (file.name.size() >= sizeof(protocol::File::name)) throw Error("file name too long: " + file.name);
  }
  for (const std::string& path : spec_.hidden) {
    if (path.size() >= sizeof(protocol::Hide::path)) throw Error("path too long: " + path);
  }
}

WorkerProcess::~WorkerProcess() {
  try {
    bury();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "assay: while ending a worker: %s\n", error.what());
  }
}

std::variant<Loaded, LoadFailure> WorkerProcess::load() {
  if (launched_.pid > 0 || ended_) throw Error("a worker loads once");
  const Clock::time_point start = Clock::now();
  auto [control, its_control] = protocol::make_channel();
  auto [calls, its_calls] = protocol::make_channel();
  sandbox::UniqueFd far_control(its_control);
  sandbox::UniqueFd far_calls(its_calls);
  control_.reset(control);
  calls_.reset(calls);
  launched_ = sandbox::launch(spec_.image, its_control, its_calls, spec_.threads, spec_.surroundings);
  send_plan();
  send_load();
  far_control.reset();  // or the end of the other side would never show
  far_calls.reset();
  await_begun(after(patience_ms() / 1000.0));
  const auto problem = protocol::receive(calls_.get(), *message_, after(spec_.load_deadline_s));
  if (!problem) return judge_load_reply(*message_, start);
  if (std::holds_alternative<Closed>(*problem)) return died_in_load(gone());
  return died_in_load(finish({EndKind::deadline, 0, words::no_reply("while it was loaded", spec_.load_deadline_s)}));
}

void WorkerProcess::send_plan() {
  auto setup = protocol::make<protocol::Setup>();
  setup.layers = sandbox::to_bits(spec_.layers);
  setup.threads = static_cast<std::uint32_t>(spec_.threads);
  setup.memory_bytes = static_cast<std::uint64_t>(spec_.memory_bytes);
  setup.surroundings = static_cast<std::uint32_t>(spec_.surroundings);
  setup.judge_pid = ::getpid();
  setup.files = static_cast<std::uint32_t>(spec_.files.size());
  setup.hidden = static_cast<std::uint32_t>(spec_.hidden.size());
  const WorkerNeeds needs = spec_.device ? spec_.device->needs() : WorkerNeeds{};
  setup.device = static_cast<std::uint32_t>(needs.kind);
  setup.ordinal = static_cast<std::uint32_t>(needs.ordinal);
  setup.openings = static_cast<std::uint32_t>(needs.openings.size());
  protocol::put_text(setup.driver, needs.driver);
  bool sent = !protocol::send_record(control_.get(), setup);
  for (const LentFile& file : spec_.files) {
    auto record = protocol::make<protocol::File>();
    protocol::put_text(record.name, file.name);
    sent = sent && !protocol::send_record(control_.get(), record, std::span(&file.fd, 1));
  }
  for (const std::string& path : spec_.hidden) {
    auto record = protocol::make<protocol::Hide>();
    protocol::put_text(record.path, path);
    sent = sent && !protocol::send_record(control_.get(), record);
  }
  for (const Opening& opening : needs.openings) {
    auto record = protocol::make<protocol::Open>();
    record.node = opening.node ? 1 : 0;
    protocol::put_text(record.path, opening.path);
    sent = sent && !protocol::send_record(control_.get(), record);
  }
  if (!sent) keeper_failed("it doesn't take its plan");
}

void WorkerProcess::send_load() {
  auto record = protocol::make<protocol::Load>(++sequence_);
  const Entry& entry = spec_.entry;
  protocol::put_text(record.symbol, entry.symbol);
  record.count = static_cast<std::uint32_t>(entry.args.size());
  record.builtin = static_cast<std::uint8_t>(spec_.builtin);
  for (std::size_t i = 0; i < entry.args.size(); ++i) {
    if (entry.args[i].kind == ArgKind::stream) record.stream = static_cast<std::uint8_t>(i);
  }
  std::transform(entry.args.begin(), entry.args.end(), record.types.begin(),
                 [](const Argument& argument) { return static_cast<std::uint8_t>(argument.type); });
  if (entry.returns != ReturnKind::nothing) record.return_type = static_cast<std::uint8_t>(entry.return_type);
  protocol::send_record(calls_.get(), record);
}

void WorkerProcess::await_begun(Clock::time_point deadline) {
  const auto problem = protocol::receive(control_.get(), *message_, deadline);
  if (problem) keeper_failed(std::holds_alternative<Closed>(*problem) ? "it ended" : "it takes too long to start");
  const auto broken = protocol::decode<protocol::Broken>(message_->bytes(), 0);
  if (const auto* record = std::get_if<protocol::Broken>(&broken)) keeper_failed(protocol::text_of(record->what));
  const auto begun = protocol::decode<protocol::Begun>(message_->bytes(), 0);
  if (const auto* wrong = std::get_if<protocol::Violation>(&begun)) keeper_failed(wrong->what);
}

std::variant<Loaded, LoadFailure> WorkerProcess::judge_load_reply(const protocol::Message& message,
                                                                  Clock::time_point start) {
  const auto refused = protocol::decode<protocol::Refused>(message.bytes(), sequence_);
  if (const auto* record = std::get_if<protocol::Refused>(&refused)) {
    LoadFailure failure = words::load_failure(*record);
    bury();
    failure.attempts = std::exchange(attempts_, {});
    return failure;
  }
  const auto decoded = protocol::decode<protocol::Ready>(message.bytes(), sequence_);
  if (const auto* wrong = std::get_if<protocol::Violation>(&decoded)) {
    return died_in_load(finish(protocol_fault(wrong->what)));
  }
  if (!spec_.stop_through_init) leash_ = sandbox::Leash::of_grandchild(launched_.pid);
  if (auto end = pause()) return died_in_load(*end);
  const auto& ready = std::get<protocol::Ready>(decoded);
  own_word_ = words::own_word(ready.self);
  return Loaded{static_cast<std::uintptr_t>(ready.arena), ready.arena_bytes, seconds_since(start), attempts()};
}

LoadFailure WorkerProcess::died_in_load(Ended end) {
  return {LoadFailureKind::died,
          "while it was loaded (constructors run then): " + end.what,
          {},
          end,
          std::exchange(attempts_, {})};
}

std::optional<Ended> WorkerProcess::map(std::span<const Mapping> mappings) {
  for (std::size_t at = 0; at < mappings.size(); at += protocol::kMaxMapped) {
    if (auto end = map_some(mappings.subspan(at, std::min(protocol::kMaxMapped, mappings.size() - at)))) return end;
  }
  return ended_;
}

std::optional<Ended> WorkerProcess::map_some(std::span<const Mapping> mappings) {
  if (ended_) return ended_;
  auto record = protocol::make<protocol::Map>(++sequence_);
  std::vector<int> fds;
  for (const Mapping& mapping : mappings) {
    record.entries[record.count++] = {mapping.address, mapping.bytes, mapping.fd >= 0 ? 1U : 0U,
                                      mapping.writable ? 1U : 0U};
    if (mapping.fd >= 0) fds.push_back(mapping.fd);
  }
  if (auto end = exchange(bytes_of(record), fds, after(spec_.map_deadline_s), spec_.map_deadline_s, *message_))
    return end;
  const auto decoded = protocol::decode<protocol::Mapped>(message_->bytes(), sequence_);
  if (const auto* wrong = std::get_if<protocol::Violation>(&decoded)) return finish(protocol_fault(wrong->what));
  const auto& mapped = std::get<protocol::Mapped>(decoded);
  if (mapped.error != 0) {
    const std::string why = spec_.device ? spec_.device->error_text(mapped.error) : std::strerror(mapped.error);
    return finish(protocol_fault("it can't map lent memory: " + why));
  }
  return pause();
}

CallOutcome WorkerProcess::call(const Invocation& invocation, double deadline_s) {
  if (ended_) return *ended_;
  if (invocation.count > kMaxArguments || invocation.count != spec_.entry.args.size()) {
    throw Error("a call of " + spec_.entry.symbol + " with " + std::to_string(invocation.count) + " arguments");
  }
  if (stopped_ == Stop::none) {
    if (auto end = unasked()) return *end;
  }
  const protocol::Call record = words::call_record(invocation);
  const std::optional<std::int64_t> wanted_before = wanted_ns();
  const Clock::time_point deadline = after(deadline_s);
  const std::int64_t start = raw_ns();
  if (auto end = exchange(bytes_of(record), {}, deadline, deadline_s, *message_)) return *end;
  if (invocation.at_reply) invocation.at_reply();
  const auto decoded = protocol::decode<protocol::Returned>(message_->bytes(), invocation.sequence);
  if (const auto* wrong = std::get_if<protocol::Violation>(&decoded)) return finish(protocol_fault(wrong->what));
  if (auto end = device_failed(std::get<protocol::Returned>(decoded).device_error)) return *end;
  const bool asynchronous = spec_.device && spec_.device->info().asynchronous;
  std::int64_t wall = raw_ns() - start;
  if (asynchronous) {
    if (auto end = settle(deadline, deadline_s)) return *end;
  }
  if (auto end = stop()) return *end;
  if (!asynchronous) wall = raw_ns() - start;
  if (auto end = unasked()) return *end;
  const auto& returned = std::get<protocol::Returned>(decoded);
  own_word_ = words::own_word(returned.self);
  Returned seen{returned.values[0], wall, returned.values[1], made_of(returned, invocation), {}};
  if (wanted_before) seen.wanted_ns = *wanted_ns() - *wanted_before;
  return seen;
}

/// Waits until nothing of the worker's runs on the device any more. The worker stays awake.
std::optional<Ended> WorkerProcess::settle(Clock::time_point deadline, double seconds) {
  const auto record = protocol::make<protocol::Settle>(++sequence_);
  if (auto end = exchange(bytes_of(record), {}, deadline, seconds, *message_)) return end;
  const auto decoded = protocol::decode<protocol::Settled>(message_->bytes(), sequence_);
  if (const auto* wrong = std::get_if<protocol::Violation>(&decoded)) return finish(protocol_fault(wrong->what));
  return device_failed(std::get<protocol::Settled>(decoded).device_error);
}

/// After an error of a call's the device does nothing more for that process.
std::optional<Ended> WorkerProcess::device_failed(std::uint32_t error) {
  if (error == 0) return std::nullopt;
  const std::string text = spec_.device ? spec_.device->error_text(static_cast<int>(error)) : std::to_string(error);
  return finish(
      {EndKind::device, static_cast<int>(error), "the device stopped working for it: " + protocol::printable(text)});
}

int WorkerProcess::patience_ms() const {
  const double device = spec_.device ? spec_.device->info().start_s : 0.0;
  return std::max(kKeeperPatienceMs, static_cast<int>(1000.0 * device));
}

std::optional<Ended> WorkerProcess::keep(std::span<const Registers> slots, std::size_t arguments) {
  if (ended_) return *ended_;
  for (std::size_t first = 0; first < slots.size(); first += protocol::kSlotsPerRecord) {
    auto record = protocol::make<protocol::Slots>(++sequence_);
    record.count = static_cast<std::uint32_t>(arguments);
    record.first = static_cast<std::uint32_t>(first);
    record.number = static_cast<std::uint32_t>(std::min(protocol::kSlotsPerRecord, slots.size() - first));
    for (std::size_t i = 0; i < record.number; ++i) record.args[i] = slots[first + i];
    if (auto end = exchange(bytes_of(record), {}, after(spec_.map_deadline_s), spec_.map_deadline_s, *message_))
      return end;
    const auto decoded = protocol::decode<protocol::Kept>(message_->bytes(), sequence_);
    if (const auto* wrong = std::get_if<protocol::Violation>(&decoded)) return finish(protocol_fault(wrong->what));
    if (auto end = pause()) return end;
  }
  return std::nullopt;
}

BurstOutcome WorkerProcess::burst(std::span<const std::uint16_t> order, double deadline_s) {
  if (ended_) return *ended_;
  if (order.empty() || order.size() > protocol::kMaxBurst) throw Error("a burst of an impossible length");
  auto record = protocol::make<protocol::Burst>(++sequence_);
  record.count = order.size();
  std::copy(order.begin(), order.end(), record.order.begin());
  const bool apart = spec_.threads < static_cast<std::int64_t>(std::thread::hardware_concurrency());
  const std::chrono::nanoseconds spin = apart ? std::chrono::nanoseconds(kAwake) : kSpin;
  const std::optional<std::int64_t> cpu_before = cpu_ns();
  const std::int64_t waited_before = leash_ ? leash_->waited_ns() : 0;
  const std::int64_t start = raw_ns();
  if (auto end = exchange(bytes_of(record), {}, after(deadline_s), deadline_s, *message_, spin)) return *end;
  const auto decoded = protocol::decode<protocol::Finished>(message_->bytes(), sequence_);
  if (const auto* wrong = std::get_if<protocol::Violation>(&decoded)) return finish(protocol_fault(wrong->what));
  const std::int64_t replied = raw_ns() - start;
  if (auto end = stop()) return *end;
  const std::int64_t wall = raw_ns() - start;
  if (auto end = unasked()) return *end;
  const auto& finished = std::get<protocol::Finished>(decoded);
  if (finished.count != order.size()) return finish(protocol_fault("it made another number of calls than was asked"));
  Finished seen{{finished.values.begin(), finished.values.begin() + static_cast<std::ptrdiff_t>(order.size())},
                wall,
                replied,
                static_cast<std::int64_t>(std::min<std::uint64_t>(finished.told_ns, INT64_MAX)),
                {}};
  if (cpu_before) seen.cpu_ns = *cpu_ns() - *cpu_before;
  if (leash_) seen.waited_ns = leash_->waited_ns() - waited_before;
  return seen;
}

std::optional<std::int64_t> WorkerProcess::cpu_ns() const {
  return leash_ ? std::optional(leash_->cpu_ns()) : std::nullopt;
}

/// Nothing where /proc doesn't show the worker to the judge.
std::optional<std::int64_t> WorkerProcess::wanted_ns() const {
  return leash_ ? std::optional(leash_->cpu_ns() + leash_->waited_ns()) : std::nullopt;
}

std::optional<Ended> WorkerProcess::exchange(std::span<const std::byte> record, std::span<const int> fds,
                                             Clock::time_point deadline, double seconds, protocol::Message& reply,
                                             std::chrono::nanoseconds spin) {
  if (const auto problem = protocol::send_bytes(calls_.get(), record, fds)) {
    if (std::holds_alternative<Closed>(*problem)) return gone();
    return finish(protocol_fault("it doesn't read what it is sent"));
  }
  resume();
  const auto problem = protocol::receive(calls_.get(), reply, deadline, spin);
  if (!problem) return std::nullopt;
  if (std::holds_alternative<Closed>(*problem)) return gone();
  return finish({EndKind::deadline, 0, words::no_reply("to a call", seconds)});
}

std::optional<Ended> WorkerProcess::unasked() {
  if (!protocol::anything_waiting(calls_.get())) return std::nullopt;
  const auto problem = protocol::receive(calls_.get(), *message_, Clock::now());
  if (problem) return gone();
  return finish(protocol_fault("it sent " + std::to_string(message_->size) + " bytes that nobody asked for"));
}

void WorkerProcess::resume() {
  if (stopped_ == Stop::by_init) send_command(protocol::Ask::resume, ++control_sequence_, 0);
  if (stopped_ == Stop::by_judge && leash_->resume()) ++attempts_["woke while stopped"];
  stopped_ = Stop::none;
}

std::optional<Ended> WorkerProcess::stop() {
  if (!spec_.stop_between_calls) return std::nullopt;
  if (leash_ && leash_->threads() <= kFewThreads && leash_->stop(after(1.0))) {
    stopped_ = Stop::by_judge;
    return std::nullopt;
  }
  const protocol::State state = ask_state(protocol::Ask::stop);
  const auto life = static_cast<protocol::Life>(state.life);
  if (life == protocol::Life::running) return finish(protocol_fault("it goes on when it is told to stand still"));
  if (life != protocol::Life::stopped) return finish(words::end_of(state));
  stopped_ = Stop::by_init;
  return std::nullopt;
}

std::optional<Ended> WorkerProcess::pause() {
  if (auto end = stop()) return end;
  return unasked();
}

void WorkerProcess::linger(double seconds) {
  if (ended_ || launched_.pid <= 0) return;
  resume();
  std::this_thread::sleep_for(std::chrono::duration<double>(std::clamp(seconds, 0.0, 60.0)));
  pause();
}

Residue WorkerProcess::residue(bool full) {
  if (ended_ || launched_.pid <= 0) return {};
  if (!full && stopped_ == Stop::by_judge) {
    Residue seen;
    seen.threads = leash_->threads();
    seen.resident_bytes = leash_->resident_bytes();
    seen.cpu_ns = leash_->cpu_ns();
    return seen;
  }
  if (!full) return words::residue_of(ask<protocol::Vitals>(protocol::Ask::vitals, 0, kKeeperPatienceMs));
  Residue residue = words::residue_of(ask<protocol::Facts>(protocol::Ask::facts, 0, kKeeperPatienceMs));
  residue.own_word = own_word_;
  return residue;
}

Attempts WorkerProcess::attempts() {
  if (!ended_ && launched_.pid > 0) collect_attempts();
  return std::exchange(attempts_, {});
}

void WorkerProcess::collect_attempts() {
  const auto counts = ask<protocol::AttemptCounts>(protocol::Ask::attempts, 0, kKeeperPatienceMs);
  for (std::uint64_t i = 0; i < counts.count; ++i) {
    attempts_[protocol::printable(protocol::text_of(counts.rows[i].name))] +=
        static_cast<std::int64_t>(counts.rows[i].count);
  }
}

void WorkerProcess::end() {
  if (ended_ || launched_.pid <= 0) return;
  protocol::send_record(calls_.get(), protocol::make<protocol::End>(++sequence_));
  resume();
  const protocol::State state = ask_state(protocol::Ask::state, 1000);
  const bool clean = static_cast<protocol::Life>(state.life) == protocol::Life::exited;
  finish({EndKind::ended, 0, clean ? "ended" : "ended by force"});
}

protocol::State WorkerProcess::ask_state(protocol::Ask what, std::uint32_t wait_ms) {
  return ask<protocol::State>(what, wait_ms, kKeeperPatienceMs);
}

template <class Record>
Record WorkerProcess::ask(protocol::Ask what, std::uint32_t wait_ms, int patience_ms) {
  const std::uint64_t sequence = ++control_sequence_;
  send_command(what, sequence, wait_ms);
  protocol::Message& message = *message_;
  const auto deadline = Clock::now() + std::chrono::milliseconds(patience_ms + static_cast<int>(wait_ms));
  if (const auto problem = protocol::receive(control_.get(), message, deadline, kSpin)) {
    keeper_failed(std::holds_alternative<Closed>(*problem) ? "it ended" : "it doesn't answer");
  }
  auto decoded = protocol::decode<Record>(message.bytes(), sequence);
  if (const auto* wrong = std::get_if<protocol::Violation>(&decoded)) keeper_failed(wrong->what);
  return std::get<Record>(decoded);
}

void WorkerProcess::send_command(protocol::Ask what, std::uint64_t sequence, std::uint32_t wait_ms) {
  auto command = protocol::make<protocol::Command>(sequence);
  command.ask = static_cast<std::uint32_t>(what);
  command.wait_ms = wait_ms;
  if (protocol::send_record(control_.get(), command)) keeper_failed("it ended");
}

void WorkerProcess::keeper_failed(const std::string& what) {
  control_.reset();
  sandbox::reap(launched_, 0);
  ended_ = Ended{EndKind::ended, 0, "the sandbox failed"};
  throw Error("the sandbox of a worker failed: " + what + "; `assay doctor` says what this machine allows");
}

/// The worker's socket has ended: it is dead, or it closed the socket and lives on.
Ended WorkerProcess::gone() {
  const protocol::State state = ask_state(protocol::Ask::state, kDeathMs);
  const auto life = static_cast<protocol::Life>(state.life);
  if (life == protocol::Life::exited || life == protocol::Life::signalled) return finish(words::end_of(state));
  return finish(protocol_fault("it closed its socket"));
}

Ended WorkerProcess::finish(Ended end) {
  if (!ended_) {
    ended_ = std::move(end);
    bury();
  }
  return *ended_;
}

void WorkerProcess::bury() {
  if (launched_.pid <= 0) return;
  if (control_) {
    collect_attempts();
    ask<protocol::State>(protocol::Ask::kill, 0, patience_ms());
  }
  if (!ended_) ended_ = Ended{EndKind::ended, 0, "ended"};
  leash_.reset();
  control_.reset();  // init ends with its conversation, and the launcher with init
  calls_.reset();
  sandbox::reap(launched_, patience_ms());
}

}  // namespace assay
