// How messages travel in a simulated fleet: encoded, delayed, in order per link, sometimes not at
// all.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "fleet/base/dice.h"
#include "fleet/base/time.h"
#include "fleet/outbox.h"

namespace drover::simulator {

/// Carries one message's bytes from sender to receiver at the moment of delivery. The simulator's
/// own carrier hands them over; the lockstep test carries them over real sockets.
class Carrier {
 public:
  virtual ~Carrier() = default;
  /// Answers the bytes as they arrived. `from` and `to` are node names; the router is "router".
  virtual std::string carry(Channel channel, const std::string& from, const std::string& to,
                            std::string bytes);
};

/// Draws delays and keeps the order of each link.
class Links {
 public:
  Links(Dice dice, Duration delay_min, Duration delay_max);
  /// When a message sent now from one node to another arrives.
  Instant arrival(Instant now, const std::string& from, const std::string& to);
  /// From now until the end nothing passes between the host and anyone.
  void cut(const std::string& host, Instant until);
  bool passes(Instant now, const std::string& from, const std::string& to) const;

 private:
  struct Link {
    Dice dice;
    Instant last{};
  };
  Dice dice_;
  Duration delay_min_;
  Duration delay_max_;
  std::map<std::pair<std::string, std::string>, Link> links_;
  std::map<std::string, Instant> cut_until_;
};

}  // namespace drover::simulator
