#include "protocol/channel.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"

namespace assay::protocol {
namespace {

constexpr std::size_t kMaxFds = 64;
using ControlBuffer = std::array<char, CMSG_SPACE(sizeof(int) * kMaxFds)>;

void attach(msghdr& header, ControlBuffer& control, std::span<const int> fds) {
  header.msg_control = control.data();
  header.msg_controllen = CMSG_SPACE(fds.size_bytes());
  cmsghdr* item = CMSG_FIRSTHDR(&header);
  item->cmsg_level = SOL_SOCKET;
  item->cmsg_type = SCM_RIGHTS;
  item->cmsg_len = CMSG_LEN(fds.size_bytes());
  std::memcpy(CMSG_DATA(item), fds.data(), fds.size_bytes());
}

void detach(const msghdr& header, std::vector<int>& fds) {
  for (cmsghdr* item = CMSG_FIRSTHDR(&header); item; item = CMSG_NXTHDR(const_cast<msghdr*>(&header), item)) {
    if (item->cmsg_level != SOL_SOCKET || item->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (item->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    const std::size_t before = fds.size();
    fds.resize(before + count);
    std::memcpy(fds.data() + before, CMSG_DATA(item), count * sizeof(int));
  }
}

/// Nothing: received. An empty message is how SOCK_SEQPACKET shows both an end and a message of no bytes; only a peer
/// that sends junk sends the latter, and it is treated as gone.
std::optional<ReceiveProblem> receive_now(int socket, Message& message) {
  const ssize_t got = ::recv(socket, message.buffer.data(), message.buffer.size(), MSG_DONTWAIT);
  if (got > 0) {
    message.size = static_cast<std::size_t>(got);
    return std::nullopt;
  }
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return TimedOut{};
  return Closed{};
}

bool wait_readable(int socket, Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - Clock::now()).count();
  if (left <= 0) return false;
  pollfd item{socket, POLLIN, 0};
  const timespec limit{static_cast<time_t>(left / 1'000'000'000), static_cast<long>(left % 1'000'000'000)};
  return ::ppoll(&item, 1, &limit, nullptr) != 0;
}

}  // namespace

std::pair<int, int> make_channel() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw Error(std::string("no socket pair for a worker: ") + std::strerror(errno));
  }
  return {ends[0], ends[1]};
}

std::optional<SendProblem> send_bytes(int socket, std::span<const std::byte> bytes, std::span<const int> fds) {
  if (fds.size() > kMaxFds) throw Error("too many descriptors for one message");
  iovec part{const_cast<std::byte*>(bytes.data()), bytes.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  alignas(cmsghdr) ControlBuffer control{};
  if (!fds.empty()) attach(header, control, fds);
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  if (sent >= 0) return std::nullopt;
  if (errno == EAGAIN || errno == ENOBUFS) return Full{};
  return Closed{};
}

std::optional<ReceiveProblem> receive(int socket, Message& message, Clock::time_point deadline,
                                      std::chrono::nanoseconds spin) {
  const Clock::time_point spin_end = Clock::now() + spin;
  while (true) {
    const auto problem = receive_now(socket, message);
    if (!problem || std::holds_alternative<Closed>(*problem)) return problem;
    if (Clock::now() < spin_end) continue;
    if (!wait_readable(socket, deadline)) return TimedOut{};
  }
}

std::optional<ReceiveProblem> receive_with_fds(int socket, Message& message, std::vector<int>& fds) {
  iovec part{message.buffer.data(), message.buffer.size()};
  alignas(cmsghdr) ControlBuffer control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  ssize_t got = 0;
  do {
    got = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return Closed{};
  message.size = static_cast<std::size_t>(got);
  detach(header, fds);
  return std::nullopt;
}

bool anything_waiting(int socket) {
  pollfd item{socket, POLLIN, 0};
  return ::poll(&item, 1, 0) > 0;
}

}  // namespace assay::protocol
