#include "worker/host.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <exception>
#include <optional>

#include "device/station.h"
#include "sandbox/identity.h"
#include "sandbox/landlock.h"
#include "sandbox/launch.h"
#include "sandbox/seccomp.h"
#include "sandbox/system.h"
#include "worker/callers.h"
#include "worker/loader.h"
#include "worker/self_report.h"

namespace assay::worker {
namespace {

using sandbox::checked;
using sandbox::UniqueFd;

constexpr int kReportFd = 4;  ///< while confining; afterwards the socket of calls at 3 is the only descriptor
constexpr int kCalls = 3;

/// Leaves standard streams on /dev/null of the new root, the socket of calls and `report`; closes everything else.
void arrange_descriptors(int report) {
  const UniqueFd calls(static_cast<int>(checked(::fcntl(sandbox::kCallsFd, F_DUPFD_CLOEXEC, 64), "calls")));
  const UniqueFd spare(static_cast<int>(checked(::fcntl(report, F_DUPFD_CLOEXEC, 64), "report")));
  checked(::dup2(calls.get(), kCalls), "calls");
  checked(::dup2(spare.get(), kReportFd), "report");
  checked(::close_range(kReportFd + 1, ~0U, 0), "can't close descriptors");
  const int null = static_cast<int>(checked(::open("/dev/null", O_RDWR | O_CLOEXEC), "/dev/null"));
  for (int stream = 0; stream < 3; ++stream) checked(::dup2(null, stream), "/dev/null");
  ::close(null);
}

/// Before the device is up: its threads inherit this.
void prepare(pid_t init) {
  sandbox::die_with_parent(init);
  ::setsid();  // signals to a group reach nobody else
  checked(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs");
}

UniqueFd confine(const Plan& plan, const std::string& folder) {
  checked(::chdir(plan.layers.namespaces ? sandbox::row_of(plan.surroundings).folder : "/"), "working directory");
  // The OOM killer takes the subject before anything else on the machine.
  sandbox::write_text("/proc/self/oom_score_adj", "1000");
  sandbox::apply_limits(plan.limits, plan.layers.namespaces);
  if (plan.layers.landlock) sandbox::apply_landlock(plan.layers.namespaces, folder, plan.openings);
  return plan.layers.seccomp ? sandbox::apply_seccomp(plan.layers.notify) : UniqueFd();
}

void tell_confined(UniqueFd listener) {
  const int fd = listener.get();
  const auto fds = listener ? std::span<const int>(&fd, 1) : std::span<const int>();
  protocol::send_record(kReportFd, protocol::make<protocol::Begun>(), fds);
  listener.reset();
  ::close(kReportFd);
}

[[noreturn]] void tell_broken(const char* what) {
  auto record = protocol::make<protocol::Broken>();
  protocol::put_text(record.what, what);
  protocol::send_record(kReportFd, record);
  ::_exit(1);
}

/// The socket is gone. If the judge is too, init ends this process; else the subject closed it, and an exit of ours
/// would look like one of the subject's.
[[noreturn]] void wait_for_the_end() {
  while (true) ::pause();
}

protocol::Refused refusal_record(std::uint64_t sequence, const LoadRefusal& refusal) {
  auto record = protocol::make<protocol::Refused>(sequence);
  record.cause = static_cast<std::uint32_t>(refusal.cause);
  protocol::put_text(record.what, refusal.what);
  for (const std::string& name : refusal.near) {
    if (record.near_count < record.near.size()) protocol::put_text(record.near[record.near_count++], name);
  }
  return record;
}

/// Loads what the judge names; tells it how that went. Throws when the conversation makes no sense. Nothing: refused.
std::unique_ptr<Callers> load(const Plan& plan, const std::string& folder, Station& station) {
  protocol::Load wanted;
  std::vector<int> fds;
  if (!receive_as(kCalls, wanted, fds)) wait_for_the_end();
  const auto loaded = load_subject(folder, plan.files, wanted);
  if (const auto* refusal = std::get_if<LoadRefusal>(&loaded)) {
    protocol::send_record(kCalls, refusal_record(wanted.header.sequence, *refusal));
    return nullptr;
  }
  auto callers = std::make_unique<Callers>(std::get<void*>(loaded), wanted, station);
  auto ready = protocol::make<protocol::Ready>(wanted.header.sequence);
  ready.self = self_report(station);
  ready.arena = station.start();
  ready.arena_bytes = station.bytes();
  protocol::send_record(kCalls, ready);
  return callers;
}

void serve_call(Callers& callers, const Station& station, const protocol::Call& call) {
  auto reply = protocol::make<protocol::Returned>(call.header.sequence);
  callers.make(call, reply);
  reply.self = self_report(station);
  protocol::send_record(kCalls, reply);
}

void serve_slots(Callers& callers, const protocol::Slots& slots) {
  auto reply = protocol::make<protocol::Kept>(slots.header.sequence);
  callers.keep(slots, reply);
  protocol::send_record(kCalls, reply);
}

void serve_burst(Callers& callers, const protocol::Burst& burst) {
  auto reply = protocol::make<protocol::Finished>(burst.header.sequence);
  callers.burst(burst, reply);
  protocol::send_record(kCalls, reply);
}

void serve_settle(Station& station, const protocol::Settle& settle) {
  auto reply = protocol::make<protocol::Settled>(settle.header.sequence);
  reply.device_error = static_cast<std::uint32_t>(station.idle());
  protocol::send_record(kCalls, reply);
}

/// `fds` in the order of the entries that carry one.
void serve_map(Station& station, const protocol::Map& map, const std::vector<int>& fds) {
  auto reply = protocol::make<protocol::Mapped>(map.header.sequence);
  auto next = fds.begin();
  for (std::uint32_t i = 0; i < map.count && reply.error == 0; ++i) {
    const protocol::MapEntry& entry = map.entries[i];
    const bool lend = entry.has_fd != 0;
    if (lend && next == fds.end()) {
      reply.error = EBADF;
      break;
    }
    reply.error = station.map(entry.address, entry.bytes, lend ? *next++ : -1, entry.writable != 0);
    if (reply.error == 0) ++reply.count;
  }
  for (const int fd : fds) ::close(fd);
  protocol::send_record(kCalls, reply);
}

template <class Record>
Record decoded(const protocol::Message& message) {
  protocol::Header header;
  std::memcpy(&header, message.buffer.data(), sizeof header);
  auto record = protocol::decode<Record>(message.bytes(), header.sequence);
  if (const auto* problem = std::get_if<protocol::Violation>(&record)) throw Error(problem->what);
  return std::get<Record>(record);
}

[[noreturn]] void serve(Callers& callers, Station& station) {
  protocol::Message message;
  while (true) {
    std::vector<int> fds;
    if (protocol::receive_with_fds(kCalls, message, fds)) wait_for_the_end();
    switch (protocol::claimed_kind(message.bytes())) {
      case protocol::Kind::call:
        serve_call(callers, station, decoded<protocol::Call>(message));
        break;
      case protocol::Kind::settle:
        serve_settle(station, decoded<protocol::Settle>(message));
        break;
      case protocol::Kind::slots:
        serve_slots(callers, decoded<protocol::Slots>(message));
        break;
      case protocol::Kind::burst:
        serve_burst(callers, decoded<protocol::Burst>(message));
        break;
      case protocol::Kind::map:
        serve_map(station, decoded<protocol::Map>(message), fds);
        break;
      default:
        ::_exit(0);
    }
  }
}

}  // namespace

void run_host(const Plan& plan, const std::string& folder, int report, pid_t init) {
  std::unique_ptr<Station> station;
  try {
    arrange_descriptors(report);
    prepare(init);
    station = open_station(plan.device, plan.ordinal, plan.driver);
    tell_confined(confine(plan, folder));
  } catch (const std::exception& error) {
    tell_broken(error.what());
  }
  try {
    const auto callers = load(plan, folder, *station);
    if (!callers) ::_exit(0);
    serve(*callers, *station);
  } catch (const std::exception&) {
    ::abort();  // the judge's records are sound, so the subject broke this process
  }
}

}  // namespace assay::worker
