// Any bytes from a worker are refused, or are a whole record whose counts fit.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>

#include "protocol/decode.h"

namespace {

using namespace assay::protocol;

template <class Record>
void check(std::span<const std::byte> bytes) {
  const Kind kind = claimed_kind(bytes);
  std::uint64_t sequence = 0;
  if (bytes.size() >= sizeof(Header))
    std::memcpy(&sequence, bytes.data() + offsetof(Header, sequence), sizeof sequence);
  const auto decoded = decode<Record>(bytes, sequence);
  if (std::holds_alternative<Violation>(decoded)) return;
  if (kind != Record::kKind || bytes.size() != sizeof(Record)) std::abort();
  if (!count_problem(std::get<Record>(decoded)).empty()) std::abort();
}

/// The same bytes behind a header that is in order: past what random bytes get through.
template <class Record>
void check_body(std::span<const std::byte> bytes) {
  Record record{};
  const std::span<std::byte> body = std::as_writable_bytes(std::span(&record, 1)).subspan(sizeof(Header));
  std::memcpy(body.data(), bytes.data(), std::min(bytes.size(), body.size()));
  record.header = {kMagic, kVersion, static_cast<std::uint16_t>(Record::kKind), sizeof(Record), 0, 0};
  check<Record>(std::as_bytes(std::span(&record, 1)));
}

template <class... Records>
void check_all(std::span<const std::byte> bytes) {
  (check<Records>(bytes), ...);
  (check_body<Records>(bytes), ...);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  check_all<Ready, Refused, Mapped, Returned, State, Vitals, Facts, AttemptCounts, Map, Call, Load, Slots, Kept, Burst,
            Finished, Settle, Settled, Setup, Open>(bytes);
  if (bytes.size() > sizeof(Header)) printable(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
