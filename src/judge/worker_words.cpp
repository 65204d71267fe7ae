#include "judge/worker_words.h"

#include <signal.h>

#include <array>
#include <cstdio>

#include "protocol/decode.h"

namespace assay::words {
namespace {

struct SignalWord {
  int signal;
  const char* text;
};

constexpr SignalWord kSignals[] = {
    {SIGSEGV,
     "SIGSEGV: it touched memory that isn't its own, wrote to an input, needs more alignment than promised, or "
     "overflowed its stack"},
    {SIGBUS, "SIGBUS: it touched memory that can't be backed"},
    {SIGABRT, "SIGABRT: it gave up (abort, failed assertion or uncaught exception)"},
    {SIGFPE, "SIGFPE: an arithmetic trap, such as integer division by zero"},
    {SIGILL, "SIGILL: an instruction that this processor doesn't have"},
    {SIGTRAP, "SIGTRAP: a breakpoint"},
    {SIGSYS, "SIGSYS: a system call of a foreign architecture"},
    {SIGKILL, "SIGKILL: out of memory, or killed from outside"},
    {SIGXFSZ, "SIGXFSZ: it wrote a file beyond the limit"},
    {SIGALRM, "SIGALRM: its own alarm"},
    {SIGPIPE, "SIGPIPE: it wrote to a closed pipe"},
};

std::string signal_text(int signal) {
  for (const SignalWord& each : kSignals) {
    if (each.signal == signal) return each.text;
  }
  return "signal " + std::to_string(signal);
}

std::string hex(std::uint64_t value) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
  return text.data();
}

/// In the order of DeviceSettings.
constexpr std::array<std::string_view, protocol::kSettings> kSettingNames{
    "printf buffer", "malloc heap",         "synchronisation depth", "pending launches",
    "L2 fetch size", "persisting L2 cache", "L2 window of a stream"};

/// Those that are set at all.
std::string settings_text(const std::array<std::uint64_t, protocol::kSettings>& settings) {
  std::string text;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if (settings[i] == 0) continue;
    text += (text.empty() ? "" : ", ") + std::string(kSettingNames[i]) + " " + std::to_string(settings[i]);
  }
  return text.empty() ? "none" : text;
}

}  // namespace

std::map<std::string, std::string> own_word(const protocol::SelfReport& record) {
  return {{"float control", hex(record.float_control)},
          {"x87 control word", hex(record.x87_control)},
          {"rounding", std::to_string(record.rounding)},
          {"environment", hex(record.environment)},
          {"device settings", settings_text(record.device)}};
}

protocol::Call call_record(const Invocation& invocation) {
  auto record = protocol::make<protocol::Call>(invocation.sequence);
  record.count = static_cast<std::uint32_t>(invocation.count);
  record.callers = invocation.beside ? 2 : 1;
  record.repeats = std::min(invocation.repeats, protocol::kMaxRepeats);
  record.stress = static_cast<std::uint32_t>(invocation.stress);
  for (std::size_t i = 0; i < record.streams.size(); ++i) {
    record.streams[i] = static_cast<std::uint32_t>(invocation.streams[i]);
  }
  std::copy_n(invocation.args.begin(), invocation.count, record.args[0].begin());
  if (invocation.beside) std::copy_n(invocation.beside->begin(), invocation.count, record.args[1].begin());
  return record;
}

std::string no_reply(const std::string& when, double seconds) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), " within %.3g s", seconds);
  return "no reply " + when + text.data();
}

Ended end_of(const protocol::State& state) {
  if (static_cast<protocol::Life>(state.life) == protocol::Life::signalled) {
    return {EndKind::signalled, state.code, "killed by " + signal_text(state.code)};
  }
  return {EndKind::exited, state.code, "it ended its process with exit status " + std::to_string(state.code)};
}

LoadFailure load_failure(const protocol::Refused& record) {
  LoadFailure failure;
  const bool symbol = record.cause == static_cast<std::uint32_t>(protocol::Cause::missing_symbol);
  failure.kind = symbol ? LoadFailureKind::missing_symbol : LoadFailureKind::not_loadable;
  failure.what = protocol::printable(protocol::text_of(record.what));
  for (std::uint32_t i = 0; i < record.near_count; ++i) {
    failure.near.push_back(protocol::printable(protocol::text_of(record.near[i])));
  }
  return failure;
}

Residue residue_of(const protocol::Vitals& record) {
  Residue residue;
  residue.threads = record.threads;
  residue.resident_bytes = record.resident_bytes;
  residue.cpu_ns = record.cpu_ns;
  return residue;
}

Residue residue_of(const protocol::Facts& record) {
  Residue residue;
  residue.threads = record.threads;
  residue.resident_bytes = record.resident_bytes;
  residue.cpu_ns = record.cpu_ns;
  residue.full = true;
  residue.children = record.children;
  residue.mappings = record.mappings;
  residue.shared_bytes = record.shared_bytes;
  residue.mapped_bytes = record.mapped_bytes;
  for (std::uint32_t i = 0; i < record.descriptor_count; ++i) {
    residue.descriptors[record.descriptors[i].number] =
        protocol::printable(protocol::text_of(record.descriptors[i].target));
  }
  for (std::uint32_t i = 0; i < record.row_count; ++i) {
    residue.state[protocol::text_of(record.rows[i].key)] = protocol::printable(protocol::text_of(record.rows[i].value));
  }
  return residue;
}

}  // namespace assay::words
