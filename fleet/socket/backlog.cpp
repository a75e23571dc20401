#include "fleet/socket/backlog.h"

#include <algorithm>
#include <iterator>

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace drover {
namespace {

// The kernel is not queried for less than this.
constexpr std::uint64_t unasked_bytes = 64 * 1024;
constexpr std::size_t lines_min = 1024;

}  // namespace

std::optional<Backlog::Kernel> Backlog::query_kernel(int descriptor) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return std::nullopt;
  sockaddr_storage other{};
  socklen_t other_size = sizeof other;
  if (getpeername(descriptor, reinterpret_cast<sockaddr*>(&other), &other_size) != 0) {
    return std::nullopt;
  }
  // The port has the same offset in the addresses of both families.
  return Kernel{reinterpret_cast<const sockaddr_in&>(other).sin_port, info.tcpi_bytes_acked};
}

/// Returns false when the connection is closed.
bool Backlog::refresh(Line& line) {
  const auto kernel = query_kernel(line.descriptor);
  if (!kernel || kernel->port != line.port || kernel->acked < line.acked) return false;
  const std::uint64_t taken = kernel->acked - line.acked;
  // Bytes that ZeroMQ itself sends are acknowledged too; they must not count for later messages.
  line.acked = kernel->acked;
  line.sent -= std::min(line.sent, taken);
  return true;
}

void Backlog::record_received(std::uint64_t number, const zmq::message_t& message) {
  if (lines_.contains(number)) return;
  if (lines_.size() >= prune_at_) forget_gone();
  const int descriptor = zmq_msg_get(message.handle(), ZMQ_SRCFD);
  const auto kernel = query_kernel(descriptor);
  if (kernel) lines_.emplace(number, Line{descriptor, kernel->port, kernel->acked, 0});
}

void Backlog::sent(std::uint64_t number, std::size_t bytes) {
  const auto line = lines_.find(number);
  if (line != lines_.end()) line->second.sent += bytes;
}

std::size_t Backlog::waiting(std::uint64_t number) {
  const auto line = lines_.find(number);
  if (line == lines_.end()) return 0;
  if (line->second.sent > unasked_bytes && !refresh(line->second)) {
    lines_.erase(line);
    return 0;
  }
  return line->second.sent;
}

void Backlog::forget_gone() {
  for (auto line = lines_.begin(); line != lines_.end();) {
    line = refresh(line->second) ? std::next(line) : lines_.erase(line);
  }
  prune_at_ = std::max(lines_min, 2 * lines_.size());
}

}  // namespace drover
