// The router's publish endpoint: each message goes to the subscribers of its topic at once, and to
// those of bundles with the others of its moment.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commands/router/bundles.h"
#include "commands/shell/clock.h"
#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "fleet/socket/socket.h"

namespace drover::commands {

class Publications {
 public:
  explicit Publications(Sockets& sockets) : sockets_(sockets) {}

  /// Whether anybody has ever subscribed to more than samples.
  bool ever_watched() const;
  void publish(const Envelope& envelope);
  /// Samples as the agent sent them: nothing is encoded again.
  void publish_samples(std::string_view encoded);
  /// Sends the bundles that are due.
  void send_due(Instant now);
  /// Sends all of them: the router ends.
  void send_all(Instant now);
  /// At most `longest`, and no longer than until a bundle is due.
  std::chrono::milliseconds wait(std::chrono::milliseconds longest) const;

 private:
  void publish(Topic topic, std::string encoded);
  void send(Instant now, std::vector<Bundle> bundles);

  Sockets& sockets_;
  Bundles bundles_;
  std::uint64_t sequence_ = 0;  // of bundles
};

}  // namespace drover::commands
