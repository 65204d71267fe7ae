#include "sandbox/notifier.h"

#include <linux/seccomp.h>
#include <poll.h>
#include <seccomp.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "core/error.h"
#include "sandbox/open_watch.h"
#include "sandbox/seccomp_table.h"

namespace assay::sandbox {
namespace {

std::string name_of_call(int number) {
  for (const DeniedCall& call : kDeniedCalls) {
    if (call.number == number) return std::string(call.name);
  }
  for (const DeniedUse& use : kDeniedUses) {
    if (use.number == number) return std::string(use.name);
  }
  return "system call " + std::to_string(number);
}

const WatchedCall* watched(int number) {
  const auto* call = std::find_if(std::begin(kWatchedCalls), std::end(kWatchedCalls),
                                  [&](const WatchedCall& each) { return each.number == number; });
  return call == std::end(kWatchedCalls) ? nullptr : call;
}

constexpr int kMostPaths = 12;

}  // namespace

Notifier::Notifier(UniqueFd listener) : listener_(std::move(listener)) {
  if (listener_ && seccomp_notify_alloc(&request_, &response_) != 0) throw Error("no memory for seccomp notifications");
}

Notifier::~Notifier() {
  seccomp_notify_free(request_, response_);
}

bool Notifier::waiting() const {
  pollfd item{listener_.get(), POLLIN, 0};
  return listener_ && ::poll(&item, 1, 0) > 0 && (item.revents & POLLIN) != 0;
}

void Notifier::answer() {
  // Bounded, so that a thread that calls in a loop can't keep its keeper from other work.
  for (int i = 0; i < 64 && waiting(); ++i) {
    *request_ = {};                                                      // the kernel insists
    if (seccomp_notify_receive(listener_.get(), request_) != 0) return;  // the caller died or was stopped meanwhile
    *response_ = {};
    response_->id = request_->id;
    if (const WatchedCall* call = watched(request_->data.nr)) {
      look_at_open(call->path, call->flags);
    } else {
      refuse();
    }
  }
}

void Notifier::refuse() {
  response_->error = -EPERM;
  if (seccomp_notify_respond(listener_.get(), response_) == 0) count(name_of_call(request_->data.nr));
}

void Notifier::look_at_open(unsigned path, unsigned flags) {
  const std::string text = read_foreign_text(static_cast<pid_t>(request_->pid), request_->data.args[path]);
  const std::string name = suspicious_open(text, flags == path ? 0 : static_cast<int>(request_->data.args[flags]));
  response_->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  if (seccomp_notify_respond(listener_.get(), response_) == 0 && !name.empty()) count_open(name);
}

void Notifier::count_open(const std::string& name) {
  if (!counts_.contains(name) && ++paths_ > kMostPaths) return count("open of other paths");
  count(name);
}

std::map<std::string, std::int64_t> Notifier::take() {
  return std::exchange(counts_, {});
}

}  // namespace assay::sandbox
