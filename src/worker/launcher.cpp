#include "worker/launcher.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "sandbox/identity.h"
#include "sandbox/launch.h"
#include "sandbox/system.h"
#include "worker/init.h"
#include "worker/plan.h"
#include "worker/subject_folder.h"

namespace assay::worker {
namespace {

using sandbox::checked;
using sandbox::UniqueFd;

void tell_broken(const char* what) {
  auto record = protocol::make<protocol::Broken>();
  protocol::put_text(record.what, what);
  protocol::send_record(sandbox::kControlFd, record);
}

int wait_for_init(pid_t init) {
  int status = 0;
  while (::waitpid(init, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int launch_init() {
  Plan plan = receive_plan(sandbox::kControlFd);
  ::prctl(PR_SET_NAME, sandbox::row_of(plan.surroundings).name, 0, 0, 0);
  sandbox::drop_root();
  if (plan.layers.namespaces) sandbox::enter_namespaces(plan.surroundings);
  sandbox::die_with_parent(plan.judge_pid);
  if (!plan.layers.namespaces) plan.subject_folder = sandbox::make_library_folder(plan.files);
  const SubjectFolder folder(plan.subject_folder, plan.files);
  std::array<int, 2> lifeline{};
  checked(::pipe2(lifeline.data(), O_CLOEXEC), "no pipe");
  UniqueFd lifeline_read(lifeline[0]);
  UniqueFd lifeline_write(lifeline[1]);
  const auto init = static_cast<pid_t>(checked(::fork(), "no process for init"));
  if (init == 0) {
    lifeline_write.reset();
    ::_exit(run_init(std::move(plan), std::move(lifeline_read)));
  }
  plan = {};
  lifeline_read.reset();
  ::close(sandbox::kControlFd);
  ::close(sandbox::kCallsFd);
  return wait_for_init(init);
}

}  // namespace

int run_launcher() {
  ::close(sandbox::kCallsFd + 1);  // the image
  try {
    return launch_init();
  } catch (const std::exception& error) {
    tell_broken(error.what());
    return 1;
  }
}

}  // namespace assay::worker
