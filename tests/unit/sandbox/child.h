#pragma once
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <functional>

namespace assay::sandbox {

/// Runs `body` in a child; its value is the exit status (a signal: 256 + number; an exception: 255).
inline int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    int status = 255;
    try {
      status = body();
    } catch (const std::exception& error) {
      ::write(2, error.what(), std::char_traits<char>::length(error.what()));
    }
    ::_exit(status);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

}  // namespace assay::sandbox
