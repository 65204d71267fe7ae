#pragma once
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "protocol/decode.h"

namespace assay::protocol {

using Clock = std::chrono::steady_clock;

struct Closed {};    ///< the other end is gone
struct TimedOut {};  ///< nothing came in time
struct Full {};      ///< the other end doesn't read

/// Large enough for every record, and one byte more, so that a longer message is seen as such.
inline constexpr std::size_t kBufferBytes = sizeof(Facts) + sizeof(AttemptCounts) + sizeof(Hide) + 1;

struct Message {
  std::array<std::byte, kBufferBytes> buffer;
  std::size_t size = 0;  ///< of the message, cut at the size of the buffer
  std::span<const std::byte> bytes() const { return {buffer.data(), size}; }
};

/// Two connected sockets, closed on exec: the judge's end and the other's. Throws Error.
std::pair<int, int> make_channel();

/// Sends one message without waiting; `fds` travel along. Nothing: sent.
using SendProblem = std::variant<Closed, Full>;
std::optional<SendProblem> send_bytes(int socket, std::span<const std::byte> bytes, std::span<const int> fds = {});

template <class Record>
std::optional<SendProblem> send_record(int socket, const Record& record, std::span<const int> fds = {}) {
  return send_bytes(socket, std::as_bytes(std::span(&record, 1)), fds);
}

/// Receives one message until `deadline` without room for descriptors: any that were sent along are dropped by the
/// kernel. Spins for `spin` first, because waking up costs more than most replies take.
using ReceiveProblem = std::variant<Closed, TimedOut>;
std::optional<ReceiveProblem> receive(int socket, Message& message, Clock::time_point deadline,
                                      std::chrono::nanoseconds spin = {});

/// For the side that the judge sends descriptors to: waits without limit, gives the descriptors that came along.
std::optional<ReceiveProblem> receive_with_fds(int socket, Message& message, std::vector<int>& fds);

/// Whether something (a message or the end) is already waiting.
bool anything_waiting(int socket);

}  // namespace assay::protocol
