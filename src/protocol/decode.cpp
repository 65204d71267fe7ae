#include "protocol/decode.h"

#include <algorithm>

namespace assay::protocol {
namespace {

struct KindName {
  Kind kind;
  std::string_view name;
};

constexpr KindName kNames[] = {
    {Kind::load, "load"},     {Kind::ready, "ready"},       {Kind::refused, "refused"},   {Kind::map, "map"},
    {Kind::mapped, "mapped"}, {Kind::call, "call"},         {Kind::returned, "returned"}, {Kind::end, "end"},
    {Kind::setup, "setup"},   {Kind::file, "file"},         {Kind::hide, "hide"},         {Kind::begun, "begun"},
    {Kind::slots, "slots"},   {Kind::kept, "kept"},         {Kind::burst, "burst"},       {Kind::finished, "finished"},
    {Kind::broken, "broken"}, {Kind::command, "command"},   {Kind::state, "state"},       {Kind::vitals, "vitals"},
    {Kind::facts, "facts"},   {Kind::attempts, "attempts"}, {Kind::settle, "settle"},     {Kind::settled, "settled"},
    {Kind::open, "open"},
};

std::string too_many(std::string_view what, std::uint64_t count, std::size_t limit) {
  if (count <= limit) return {};
  return "record counts " + std::to_string(count) + " " + std::string(what) + ", at most " + std::to_string(limit) +
         " fit";
}

std::string awaited(Kind kind, const std::string& came) {
  return "awaited a record '" + std::string(name_of(kind)) + "', " + came;
}

}  // namespace

std::string_view name_of(Kind kind) {
  for (const KindName& each : kNames) {
    if (each.kind == kind) return each.name;
  }
  return "unknown";
}

Kind claimed_kind(std::span<const std::byte> bytes) {
  Header header;
  if (bytes.size() < sizeof header) return Kind{};
  std::memcpy(&header, bytes.data(), sizeof header);
  return header.magic == kMagic ? static_cast<Kind>(header.kind) : Kind{};
}

std::string header_problem(std::span<const std::byte> bytes, Kind kind, std::size_t size, std::uint64_t sequence) {
  Header header;
  if (bytes.size() < sizeof header) return awaited(kind, "got " + std::to_string(bytes.size()) + " bytes");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != kMagic) return awaited(kind, "got bytes that are no record");
  if (header.version != kVersion) return awaited(kind, "got version " + std::to_string(header.version));
  if (header.kind != static_cast<std::uint16_t>(kind)) {
    return awaited(kind, "got '" + std::string(name_of(static_cast<Kind>(header.kind))) + "'");
  }
  if (header.length != size || bytes.size() != size) {
    return awaited(kind, "got " + std::to_string(bytes.size()) + " bytes instead of " + std::to_string(size));
  }
  if (header.sequence != sequence) {
    return awaited(kind, "got number " + std::to_string(header.sequence) + " instead of " + std::to_string(sequence));
  }
  return {};
}

std::string count_problem(const Load& record) {
  const std::string problem = too_many("arguments", record.count, record.types.size());
  if (!problem.empty()) return problem;
  if (record.stream != kNoStream && record.stream >= record.count) return "the stream is no argument of the call";
  return too_many("functions of the worker's own", record.builtin, 2);
}
std::string count_problem(const Refused& record) {
  return too_many("names", record.near_count, record.near.size());
}
std::string count_problem(const Map& record) {
  return too_many("mappings", record.count, record.entries.size());
}
std::string count_problem(const Call& record) {
  std::string problem = too_many("arguments", record.count, kMaxArgs);
  if (problem.empty()) problem = too_many("callers", record.callers, kMaxCallers);
  if (problem.empty()) problem = too_many("repeats", record.repeats, kMaxRepeats);
  if (problem.empty()) problem = too_many("kinds of stress", record.stress, 2);
  for (const std::uint32_t stream : record.streams) {
    if (problem.empty()) problem = too_many("kinds of streams", stream, 3);
  }
  return problem;
}
std::string count_problem(const Setup& record) {
  std::string problem = too_many("files", record.files, kMaxFiles);
  if (problem.empty()) problem = too_many("hidden paths", record.hidden, 4096);
  if (problem.empty()) problem = too_many("openings", record.openings, 256);
  if (problem.empty()) problem = too_many("kinds of devices", record.device, 1);
  return problem.empty() ? too_many("surroundings", record.surroundings, 1) : problem;
}
std::string count_problem(const Slots& record) {
  std::string problem = too_many("arguments", record.count, kMaxArgs);
  if (problem.empty()) problem = too_many("slots", record.number, record.args.size());
  return problem.empty() ? too_many("slots before its own", record.first, kMaxSlots - record.number) : problem;
}
std::string count_problem(const Burst& record) {
  return too_many("calls", record.count, record.order.size());
}
std::string count_problem(const Finished& record) {
  return too_many("calls", record.count, record.values.size());
}
std::string count_problem(const Facts& record) {
  const std::string problem = too_many("descriptors", record.descriptor_count, record.descriptors.size());
  return problem.empty() ? too_many("rows", record.row_count, record.rows.size()) : problem;
}
std::string count_problem(const AttemptCounts& record) {
  return too_many("rows", record.count, record.rows.size());
}

std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < 0x20 || c > 0x7e; }, '?');
  return text;
}

}  // namespace assay::protocol
