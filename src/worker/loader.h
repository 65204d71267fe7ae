#pragma once
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "abi/c_call.h"
#include "protocol/record.h"
#include "sandbox/root.h"

namespace assay::worker {

/// Why there is no function to call, in words for the subject's author.
struct LoadRefusal {
  protocol::Cause cause = protocol::Cause::not_loadable;
  std::string what;
  std::vector<std::string> near;  ///< exported functions with names close to the missing one
};

/// Loads the first of `files` from `folder` and finds the symbol that `wanted` names. A file beside it that the loader
/// misses is loaded first, whether or not the subject has a run path.
std::variant<void*, LoadRefusal> load_subject(const std::string& folder, const std::vector<sandbox::NamedFile>& files,
                                              const protocol::Load& wanted);

/// The function with the signature that `wanted` gives. Throws Error for types that this program doesn't know.
std::unique_ptr<abi::CCall> make_call(void* function, const protocol::Load& wanted);

}  // namespace assay::worker
