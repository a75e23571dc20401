// Message transport in a simulated fleet: encoded, delayed, in order per link, sometimes lost.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "fleet/base/random_stream.h"
#include "fleet/base/time.h"
#include "fleet/outbox.h"

namespace drover::simulator {

/// Carries one message's bytes from sender to receiver at the moment of delivery. The default
/// returns them unchanged; the lockstep test sends them over real sockets.
class MessageTransport {
 public:
  virtual ~MessageTransport() = default;
  /// Returns the bytes as they arrived. `from` and `to` are node names; the router is "router".
  virtual std::string carry(Channel channel, const std::string& from, const std::string& to,
                            std::string bytes);
};

/// Draws delays and keeps the order of each link.
class SimulatedLinks {
 public:
  SimulatedLinks(RandomStream random, Duration delay_min, Duration delay_max);
  /// When a message sent now from one node to another arrives.
  Instant arrival(Instant now, const std::string& from, const std::string& to);
  /// Until then no messages pass between the host and anyone.
  void cut(const std::string& host, Instant until);
  bool passes(Instant now, const std::string& from, const std::string& to) const;

 private:
  struct Link {
    RandomStream random;
    Instant last{};
  };
  RandomStream random_;
  Duration delay_min_;
  Duration delay_max_;
  std::map<std::pair<std::string, std::string>, Link> links_;
  std::map<std::string, Instant> cut_until_;
};

}  // namespace drover::simulator
