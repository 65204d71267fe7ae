#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

/// Theory of operation
/// -------------------
/// The judge talks to two processes over SOCK_SEQPACKET pairs: to the worker that holds the subject (`calls`) and to
/// the init that keeps it (`control`). Every message is one record of a fixed size that starts with a Header; decode.h
/// accepts a record only if magic, version, kind, length and sequence are what was awaited. Texts are byte arrays that
/// end at the first zero or at their end. The worker is hostile from the moment it loads the subject: nothing it sends
/// is parsed, and no count it sends is used before it is compared with the size of the array that it counts.
/// Descriptors travel from the judge only; the judge never makes room for ancillary data.
namespace assay::protocol {

inline constexpr std::uint32_t kMagic = 0x31706b6d;
inline constexpr std::uint16_t kVersion = 4;
inline constexpr std::size_t kMaxArgs = 64;
inline constexpr std::size_t kMaxCallers = 2;
inline constexpr std::uint32_t kMaxRepeats = 1U << 16;
inline constexpr std::size_t kMaxFiles = 32;
inline constexpr std::size_t kMaxMapped = 32;   ///< mappings in one record: SCM_RIGHTS carries at most 253 descriptors
inline constexpr std::size_t kMaxBurst = 1024;  ///< calls of one burst
inline constexpr std::size_t kMaxSlots = 2 * kMaxBurst;
inline constexpr std::size_t kSlotsPerRecord = 32;
inline constexpr std::uint8_t kNoReturn = 0xff;
inline constexpr std::uint8_t kNoStream = 0xff;
inline constexpr std::size_t kSettings = 7;  ///< of a device

enum class Kind : std::uint16_t {
  // judge and worker
  load = 1,
  ready,
  refused,
  map,
  mapped,
  call,
  returned,
  end,
  slots,
  kept,
  burst,
  finished,
  settle,
  settled,
  // judge and init
  setup = 32,
  file,
  hide,
  open,
  begun,
  broken,
  command,
  state,
  vitals,
  facts,
  attempts,
};

struct Header {
  std::uint32_t magic = kMagic;
  std::uint16_t version = kVersion;
  std::uint16_t kind = 0;
  std::uint32_t length = 0;
  std::uint32_t reserved = 0;
  std::uint64_t sequence = 0;
};

/// In place of the subject: functions of the worker's own, against which times are measured.
enum class Builtin : std::uint8_t {
  none,     ///< the subject itself
  nothing,  ///< returns at once
  work,     ///< a fixed amount of arithmetic, some ten microseconds, whatever the arguments
};

/// What to look up in the subject, and how it is called: the worker parses no text.
struct Load {
  static constexpr Kind kKind = Kind::load;
  Header header;
  std::uint32_t count = 0;               ///< arguments
  std::uint8_t return_type = kNoReturn;  ///< CType, or kNoReturn
  std::uint8_t builtin = 0;              ///< Builtin
  std::uint8_t stream = kNoStream;       ///< which argument is the stream
  std::uint8_t unused = 0;
  std::array<std::uint8_t, kMaxArgs> types{};  ///< CType
  std::array<char, 512> symbol{};
};

/// What only the process itself can read, and so its own word.
struct SelfReport {
  std::uint64_t float_control = 0;  ///< control and mask bits of MXCSR or FPCR
  std::uint32_t x87_control = 0;
  std::int32_t rounding = 0;                      ///< fegetround()
  std::uint64_t environment = 0;                  ///< digest of environ
  std::array<std::uint64_t, kSettings> device{};  ///< settings of the device that outlive a call
};

struct Ready {
  static constexpr Kind kKind = Kind::ready;
  Header header;
  std::uint64_t arena = 0;
  std::uint64_t arena_bytes = 0;
  SelfReport self;  ///< before the first call
};

enum class Cause : std::uint32_t { not_loadable, missing_symbol };

struct Refused {
  static constexpr Kind kKind = Kind::refused;
  Header header;
  std::uint32_t cause = 0;
  std::uint32_t near_count = 0;
  std::array<char, 1024> what{};
  std::array<std::array<char, 256>, 4> near{};
};

struct MapEntry {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint32_t has_fd = 0;  ///< 0: unmap
  std::uint32_t writable = 0;
};

struct Map {
  static constexpr Kind kKind = Kind::map;
  Header header;
  std::uint32_t count = 0;
  std::uint32_t unused = 0;
  std::array<MapEntry, kMaxMapped> entries{};
};

struct Mapped {
  static constexpr Kind kKind = Kind::mapped;
  Header header;
  std::uint32_t count = 0;
  std::int32_t error = 0;  ///< errno of the first that failed
};

enum class Stress : std::uint32_t { none, crowded, cramped };

/// One caller, or several at the same time, each with arguments of its own.
struct Call {
  static constexpr Kind kKind = Kind::call;
  Header header;
  std::uint32_t count = 0;  ///< arguments
  std::uint32_t callers = 1;
  std::uint32_t repeats = 1;  ///< of every caller, until some milliseconds are over
  std::uint32_t stress = 0;
  std::array<std::uint32_t, kMaxCallers> streams{};  ///< StreamChoice of each caller, where the entry takes a stream
  std::array<std::array<std::uint64_t, kMaxArgs>, kMaxCallers> args{};
};

/// The subject returned. All but the arrival of the record is the worker's own word.
struct Returned {
  static constexpr Kind kKind = Kind::returned;
  Header header;
  std::array<std::uint64_t, kMaxCallers> values{};  ///< of the last call of each caller
  std::uint64_t made = 0;                           ///< calls of the first caller
  std::uint32_t device_error = 0;                   ///< from waiting for the calls' streams; 0: none
  std::uint32_t unused = 0;
  SelfReport self;
};

/// Wait until the device does nothing more for this process.
struct Settle {
  static constexpr Kind kKind = Kind::settle;
  Header header;
};

struct Settled {
  static constexpr Kind kKind = Kind::settled;
  Header header;
  std::uint32_t device_error = 0;
  std::uint32_t unused = 0;
};

/// Arguments of slots that later bursts may call: which of them are, and in what order, comes with the burst.
struct Slots {
  static constexpr Kind kKind = Kind::slots;
  Header header;
  std::uint32_t count = 0;  ///< arguments of each
  std::uint32_t first = 0;  ///< number of the first slot; 0: forget those before
  std::uint32_t number = 0;
  std::uint32_t unused = 0;
  std::array<std::array<std::uint64_t, kMaxArgs>, kSlotsPerRecord> args{};
};

struct Kept {
  static constexpr Kind kKind = Kind::kept;
  Header header;
  std::uint64_t number = 0;  ///< slots known now
};

/// Calls of slots, one after the other.
struct Burst {
  static constexpr Kind kKind = Kind::burst;
  Header header;
  std::uint64_t count = 0;
  std::array<std::uint16_t, kMaxBurst> order{};
};

/// The burst is over. All but the arrival of the record is the worker's own word.
struct Finished {
  static constexpr Kind kKind = Kind::finished;
  Header header;
  std::uint64_t count = 0;
  std::uint64_t told_ns = 0;  ///< by the worker's clock, first call to last return
  std::array<std::uint64_t, kMaxBurst> values{};
};

struct End {
  static constexpr Kind kKind = Kind::end;
  Header header;
};

/// First record on `control`: what to build. Followed by `files` records File, `hidden` records Hide and `openings`
/// records Open.
struct Setup {
  static constexpr Kind kKind = Kind::setup;
  Header header;
  std::uint32_t layers = 0;  ///< bits of sandbox::Layers
  std::uint32_t threads = 1;
  std::uint64_t memory_bytes = 0;
  std::int32_t judge_pid = 0;
  std::uint32_t files = 0;  ///< the subject first
  std::uint32_t hidden = 0;
  std::uint32_t surroundings = 0;  ///< sandbox::Surroundings
  std::uint32_t device = 0;        ///< DeviceKind
  std::uint32_t ordinal = 0;       ///< of the device among its kind
  std::uint32_t openings = 0;
  std::uint32_t unused = 0;
  std::array<char, 4096> driver{};  ///< path of the driver's library
};

/// Carries one descriptor: a sealed memfd.
struct File {
  static constexpr Kind kKind = Kind::file;
  Header header;
  std::array<char, 256> name{};
};

struct Hide {
  static constexpr Kind kKind = Kind::hide;
  Header header;
  std::array<char, 4096> path{};
};

/// What the sandbox shows beyond what every worker sees.
struct Open {
  static constexpr Kind kKind = Kind::open;
  Header header;
  std::uint32_t node = 0;  ///< 1: a device that may be written and controlled
  std::uint32_t unused = 0;
  std::array<char, 4096> path{};
};

/// The worker exists and is confined; the subject isn't loaded yet.
struct Begun {
  static constexpr Kind kKind = Kind::begun;
  Header header;
};

/// The sandbox could not be built: a fault of ours or of the machine.
struct Broken {
  static constexpr Kind kKind = Kind::broken;
  Header header;
  std::array<char, 1024> what{};
};

enum class Ask : std::uint32_t { stop, resume, state, vitals, facts, attempts, kill };

/// Every command but resume is answered: stop, state and kill by State, the others by the record of that name.
struct Command {
  static constexpr Kind kKind = Kind::command;
  Header header;
  std::uint32_t ask = 0;
  std::uint32_t wait_ms = 0;  ///< Ask::state: how long to wait for an end
};

enum class Life : std::uint32_t { running, stopped, exited, signalled };

struct State {
  static constexpr Kind kKind = Kind::state;
  Header header;
  std::uint32_t life = 0;
  std::int32_t code = 0;  ///< exit status or signal
};

struct Row {
  std::array<char, 32> key{};
  std::array<char, 480> value{};
};

struct DescriptorRow {
  std::int32_t number = 0;
  std::array<char, 124> target{};
};

/// What the kernel says about the worker's process, as far as it is cheap to ask after every call.
struct Vitals {
  static constexpr Kind kKind = Kind::vitals;
  Header header;
  std::int64_t threads = 0;
  std::int64_t resident_bytes = 0;
  std::int64_t cpu_ns = 0;
};

/// All that the kernel says about it.
struct Facts {
  static constexpr Kind kKind = Kind::facts;
  Header header;
  std::int64_t threads = 0;
  std::int64_t resident_bytes = 0;
  std::int64_t cpu_ns = 0;
  std::int64_t children = 0;
  std::int64_t mappings = 0;
  std::int64_t shared_bytes = 0;
  std::int64_t mapped_bytes = 0;
  std::uint32_t descriptor_count = 0;
  std::uint32_t row_count = 0;
  std::array<DescriptorRow, 64> descriptors{};
  std::array<Row, 16> rows{};
};

struct AttemptRow {
  std::array<char, 88> name{};
  std::uint64_t count = 0;
};

struct AttemptCounts {
  static constexpr Kind kKind = Kind::attempts;
  Header header;
  std::uint64_t count = 0;
  std::array<AttemptRow, 64> rows{};
};

/// A record with its header filled in.
template <class Record>
Record make(std::uint64_t sequence = 0) {
  static_assert(std::is_trivially_copyable_v<Record>);
  static_assert(std::has_unique_object_representations_v<Record>, "padding would carry stale memory");
  Record record{};
  record.header.kind = static_cast<std::uint16_t>(Record::kKind);
  record.header.length = sizeof(Record);
  record.header.sequence = sequence;
  return record;
}

/// The text in a fixed array: up to the first zero, or all of it.
template <std::size_t N>
std::string text_of(const std::array<char, N>& array) {
  const std::string_view whole(array.data(), N);
  return std::string(whole.substr(0, whole.find('\0')));
}

/// Copies as much as fits; the array ends in a zero.
template <std::size_t N>
void put_text(std::array<char, N>& array, std::string_view text) {
  array.fill('\0');
  text.copy(array.data(), N - 1);
}

}  // namespace assay::protocol
