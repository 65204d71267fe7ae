#include "sandbox/notifier.h"

#include <linux/seccomp.h>
#include <poll.h>
#include <seccomp.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "core/error.h"
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
    response_->error = -EPERM;
    if (seccomp_notify_respond(listener_.get(), response_) == 0) count(name_of_call(request_->data.nr));
  }
}

std::map<std::string, std::int64_t> Notifier::take() {
  return std::exchange(counts_, {});
}

}  // namespace assay::sandbox
