#include "cli/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <string_view>

namespace assay::cli {
namespace {

constexpr int kInterrupted = 128 + SIGINT;  ///< what shells call it
constexpr std::string_view kWords = "assay: interrupted\n";
constexpr std::string_view kBelow = "\nassay: interrupted\n";  ///< the terminal has put "^C" into the line of progress

/// Only calls that are allowed in a signal handler.
void end_here(std::string_view words) {
  if (::write(STDERR_FILENO, words.data(), words.size()) < 0) ::_exit(kInterrupted);
  ::_exit(kInterrupted);
}

void on_terminal(int) {
  end_here(kBelow);
}

void elsewhere(int) {
  end_here(kWords);
}

}  // namespace

void answer_interrupts() {
  struct sigaction action {};
  if (::sigaction(SIGINT, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = ::isatty(STDERR_FILENO) != 0 ? on_terminal : elsewhere;
  ::sigaction(SIGINT, &action, nullptr);
}

}  // namespace assay::cli
