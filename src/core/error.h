#pragma once
#include <source_location>
#include <stdexcept>
#include <string>

namespace assay {

/// Exit codes of the program (DESIGN.md, "Command line").
enum class Exit : int { kPass = 0, kFail = 1, kUsage = 2, kInconclusive = 3, kEnvironment = 4, kDigest = 5 };

/// Whether the lines of a message stand for themselves, "file:line:column: what", as editors read them.
enum class Lines { of_program, of_files };

/// The one exception type for faults of ours: a message for the user, the exit code, and where in our code it arose.
/// Faults of a subject are values (observation.h), never exceptions.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, Exit code = Exit::kEnvironment,
                 std::source_location where = std::source_location::current())
      : std::runtime_error(message), code_(code), where_(where) {}
  Error(const std::string& message, Exit code, Lines lines,
        std::source_location where = std::source_location::current())
      : std::runtime_error(message), code_(code), lines_(lines), where_(where) {}

  Exit code() const { return code_; }
  /// As the user reads it: where no file is named, it is the program that speaks.
  std::string told() const { return (lines_ == Lines::of_files ? "" : "assay: ") + std::string(what()); }
  const std::source_location& where() const { return where_; }

 private:
  Exit code_;
  Lines lines_ = Lines::of_program;
  std::source_location where_;
};

}  // namespace assay
