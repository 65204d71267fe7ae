#pragma once
#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// What a subject can see of where it runs, apart from the machine. There are two sets of it: a subject that computes
/// otherwise in the second one looks at what is no argument of its call (THREATS.md, C7).
namespace assay::sandbox {

enum class Surroundings : std::uint32_t { usual, disguised };

struct SurroundingsRow {
  const char* name;            ///< of the process and its argument
  uid_t user;                  ///< and group, as the namespace shows them
  const char* host;            ///< name of the machine
  const char* folder;          ///< working directory of a private root
  const char* subject_folder;  ///< of a private root: where the subject lies
};

const SurroundingsRow& row_of(Surroundings surroundings);

/// The environment variables of a worker whose calls may use `threads` threads.
std::vector<std::string> environment_of(Surroundings surroundings, std::int64_t threads);

}  // namespace assay::sandbox
