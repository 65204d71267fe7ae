// Any bytes from a worker are refused, or are a whole record whose counts fit.
#include <cstdlib>

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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  check<Ready>(bytes);
  check<Refused>(bytes);
  check<Mapped>(bytes);
  check<Returned>(bytes);
  check<State>(bytes);
  check<Vitals>(bytes);
  check<Facts>(bytes);
  check<AttemptCounts>(bytes);
  check<Map>(bytes);
  check<Call>(bytes);
  check<Load>(bytes);
  if (bytes.size() > sizeof(Header)) printable(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
