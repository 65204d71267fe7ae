#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace assay {

/// A value for each axis of a contract: one concrete shape. Ordered by name, so that it prints the same everywhere.
using AxisValues = std::map<std::string, std::int64_t>;

/// "H=4096 T=1": for messages and keys.
std::string to_string(const AxisValues& axes);

}  // namespace assay
