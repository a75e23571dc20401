// A client's copy of the fleet: the dashboard's model, filled over a session with snapshots and,
// once subscribed, with the published stream.
#pragma once

#include <functional>

#include "commands/connection/session.h"
#include "tui/history/stream_subscriber.h"
#include "tui/model/model.h"

namespace drover::commands {

class FleetClient {
 public:
  /// The session must outlive the client.
  explicit FleetClient(Session& session);

  /// Follows the published stream, which takes a viewer's key. Without it, a snapshot is requested
  /// each wall second; it contains the last samples.
  Status subscribe();
  /// Waits once, at most `longest`. Requests a snapshot when one is due, and applies what arrives:
  /// after each message that changed the model it calls `changed`. A clock jump clears the model.
  Status turn(
      std::chrono::milliseconds longest,
      const std::function<void(const Envelope&)>& changed = [](const Envelope&) {});
  /// Waits for a whole snapshot; fails if it is not here in time.
  Status read_snapshot(std::chrono::milliseconds timeout = answer_timeout);
  /// The same, and waits within these 5 s for a sample of every host that is not gone.
  Status sync();
  /// Whether `sync` would return at once.
  bool has_synced() const { return subscriber_.has_snapshot() && model_.all_hosts_sampled(); }

  const tui::Model& model() const { return model_; }
  Instant now() { return session_.clock().now(); }

 private:
  Status wait_until(bool (FleetClient::*done)() const, std::chrono::milliseconds timeout);
  bool has_snapshot() const { return subscriber_.has_snapshot(); }
  Status follow_router(const Session::PollResult& turn, const Envelope& envelope);

  Session& session_;
  tui::StreamSubscriber subscriber_;
  tui::Model model_;
  bool subscribed_ = false;
};

}  // namespace drover::commands
