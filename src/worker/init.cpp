#include "worker/init.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <optional>

#include "sandbox/identity.h"
#include "sandbox/launch.h"
#include "sandbox/system.h"
#include "worker/desk.h"
#include "worker/host.h"
#include "worker/subject_folder.h"

namespace assay::worker {
namespace {

using sandbox::UniqueFd;

/// Starts the worker. `report` is where it says that it is confined.
pid_t start_worker(const Plan& plan, const std::string& folder, int report, const UniqueFd& lifeline) {
  const pid_t init = ::getpid();
  const auto worker = static_cast<pid_t>(sandbox::checked(::fork(), "no process for the worker"));
  if (worker != 0) return worker;
  (void)lifeline;  // closed with all others
  run_host(plan, folder, report, init);
}

/// Waits until the worker is confined; gives the listener for refused calls, if there is one. Throws Error.
UniqueFd confined(int report, bool with_listener) {
  protocol::Message message;
  std::vector<int> fds;
  if (protocol::receive_with_fds(report, message, fds)) throw Error("the worker died while it was being confined");
  if (protocol::claimed_kind(message.bytes()) == protocol::Kind::broken) {
    const auto record = protocol::decode<protocol::Broken>(message.bytes(), 0);
    const auto* broken = std::get_if<protocol::Broken>(&record);
    throw Error(broken ? protocol::text_of(broken->what) : "the worker could not be confined");
  }
  if (with_listener != (fds.size() == 1)) throw Error("no listener for refused calls");
  return UniqueFd(fds.empty() ? -1 : fds[0]);
}

void serve(Desk& desk, const UniqueFd& lifeline) {
  while (true) {
    pollfd items[] = {{sandbox::kControlFd, POLLIN, 0}, {lifeline.get(), POLLIN, 0}, {desk.notify_fd(), POLLIN, 0}};
    if (::poll(items, 3, -1) < 0) continue;
    if (items[1].revents != 0) return;
    if ((items[2].revents & POLLIN) != 0) desk.answer_refused();
    if ((items[2].revents & (POLLHUP | POLLERR)) != 0) desk.listener_ended();
    if (items[0].revents != 0 && !desk.serve_one(sandbox::kControlFd)) return;
  }
}

void keep_worker(Plan plan, const UniqueFd& lifeline) {
  // Without a PID namespace there is a folder to take back, so a kill is no way to end: the pipe from the launcher and
  // the end of `control` tell this process to go, and the worker dies with it either way.
  if (plan.layers.namespaces) sandbox::die_with_parent(0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  if (plan.layers.namespaces) {
    sandbox::build_root(plan.files, plan.hidden, sandbox::row_of(plan.surroundings).subject_folder, plan.openings);
  }
  const SubjectFolder folder(plan.subject_folder, plan.files);
  for (sandbox::NamedFile& file : plan.files) file.contents.reset();
  sandbox::drop_capabilities();
  if (plan.layers.namespaces) sandbox::die_with_parent(0);  // giving up rights takes the signal back
  const std::string place =
      plan.subject_folder.empty() ? sandbox::row_of(plan.surroundings).subject_folder : plan.subject_folder;
  auto [mine, its] = protocol::make_channel();
  UniqueFd report(mine);
  UniqueFd worker_report(its);
  const pid_t worker = start_worker(plan, place, worker_report.get(), lifeline);
  worker_report.reset();
  ::close(sandbox::kCallsFd);
  UniqueFd listener = confined(report.get(), plan.layers.notify && plan.layers.seccomp);
  report.reset();
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  Desk desk(worker, std::move(listener), plan.openings);
  protocol::send_record(sandbox::kControlFd, protocol::make<protocol::Begun>());
  serve(desk, lifeline);
  desk.finish();
}

}  // namespace

int run_init(Plan plan, UniqueFd lifeline) {
  try {
    keep_worker(std::move(plan), lifeline);
    return 0;
  } catch (const std::exception& error) {
    auto record = protocol::make<protocol::Broken>();
    protocol::put_text(record.what, error.what());
    protocol::send_record(sandbox::kControlFd, record);
    return 1;
  }
}

}  // namespace assay::worker
