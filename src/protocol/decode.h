#pragma once
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <variant>

#include "protocol/record.h"

namespace assay::protocol {

/// Why the bytes are not the awaited record: one line, naming what was awaited and what came.
struct Violation {
  std::string what;
};

/// The word for a kind of record in messages; "unknown" for numbers that mean nothing.
std::string_view name_of(Kind kind);

/// Empty if `bytes` is a whole record of `kind` with that size and sequence; else why not.
std::string header_problem(std::span<const std::byte> bytes, Kind kind, std::size_t size, std::uint64_t sequence);

/// The kind that the bytes claim to be; Kind{} if there isn't even a header of ours.
Kind claimed_kind(std::span<const std::byte> bytes);

/// The counts inside a record don't exceed the arrays they count.
std::string count_problem(const Load& record);
std::string count_problem(const Refused& record);
std::string count_problem(const Map& record);
std::string count_problem(const Call& record);
std::string count_problem(const Setup& record);
std::string count_problem(const Slots& record);
std::string count_problem(const Burst& record);
std::string count_problem(const Finished& record);
std::string count_problem(const Facts& record);
std::string count_problem(const AttemptCounts& record);
template <class Record>
std::string count_problem(const Record&) {
  return {};
}

/// `bytes` as the awaited record, or what is wrong with it. Safe on any bytes.
template <class Record>
std::variant<Record, Violation> decode(std::span<const std::byte> bytes, std::uint64_t sequence) {
  if (std::string problem = header_problem(bytes, Record::kKind, sizeof(Record), sequence); !problem.empty()) {
    return Violation{std::move(problem)};
  }
  Record record;
  std::memcpy(static_cast<void*>(&record), bytes.data(), sizeof record);
  if (std::string problem = count_problem(record); !problem.empty()) return Violation{std::move(problem)};
  return record;
}

/// Foreign text for a person: bytes outside printable ASCII become '?'.
std::string printable(std::string text);

}  // namespace assay::protocol
