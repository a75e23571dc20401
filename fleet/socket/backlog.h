// The number of bytes sent to a connection that its machine has not received yet.
//
// ZeroMQ limits its queues in messages and does not report how full they are. The kernel counts the
// bytes that the other end has acknowledged (tcpi_bytes_acked, Linux 4.1). The bytes sent minus
// these are still on this machine, in ZeroMQ's queue or in the kernel's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include <zmq.hpp>

namespace drover {

class Backlog {
 public:
  /// Records the TCP connection by which a message of this control connection was received.
  void record_received(std::uint64_t number, const zmq::message_t& message);
  /// Records that `bytes` were sent to the connection.
  void sent(std::uint64_t number, std::size_t bytes);
  /// Bytes that the connection has not received; 0 when it is closed or has sent no message yet.
  /// The bytes that ZeroMQ adds are not counted, so this is a lower bound.
  std::size_t waiting(std::uint64_t number);

 private:
  struct Line {
    int descriptor = -1;
    std::uint16_t port = 0;   // of the other end: detects a descriptor that has been reused
    std::uint64_t acked = 0;  // total when `sent` was 0
    std::uint64_t sent = 0;
  };
  struct Kernel {
    std::uint16_t port = 0;
    std::uint64_t acked = 0;
  };
  static std::optional<Kernel> query_kernel(int descriptor);
  static bool refresh(Line& line);
  void forget_gone();

  std::map<std::uint64_t, Line> lines_;
  std::size_t prune_at_ = 1024;  // number of lines at which closed ones are removed
};

}  // namespace drover
