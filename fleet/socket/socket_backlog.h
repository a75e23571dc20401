// How much of what was sent to a connection its machine has not taken yet, in bytes.
//
// ZeroMQ bounds its queues in messages and tells nobody how full they are. The kernel counts the
// bytes that the other end has acknowledged (tcpi_bytes_acked, Linux 4.1): what was sent less that
// is what still lies here, in ZeroMQ's queue or in the kernel's. Only fleet/socket*.cpp include it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include <zmq.hpp>

namespace drover {

class Backlog {
 public:
  /// This message came by the control connection of this number, and so over this TCP connection.
  void heard(std::uint64_t number, const zmq::message_t& message);
  /// So many bytes went to it.
  void sent(std::uint64_t number, std::size_t bytes);
  /// Bytes that it has not taken; 0 also for one that is gone or has never been heard. Those that
  /// ZeroMQ adds are not counted, so it is never more than there is.
  std::size_t waiting(std::uint64_t number);

 private:
  struct Line {
    int descriptor = -1;
    std::uint16_t port = 0;   // of the other end: a descriptor may be another connection's by now
    std::uint64_t acked = 0;  // in all, when `sent` was 0
    std::uint64_t sent = 0;
  };
  struct Kernel {
    std::uint16_t port = 0;
    std::uint64_t acked = 0;
  };
  static std::optional<Kernel> ask(int descriptor);
  static bool refresh(Line& line);
  void forget_gone();

  std::map<std::uint64_t, Line> lines_;
  std::size_t looked_through_at_ = 1024;  // lines, when those that are gone are looked for
};

}  // namespace drover
