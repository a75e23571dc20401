// Access control of a router that was started with --keys: its own key, its allow-list (files), and
// what each key may send.
#pragma once

#include <optional>
#include <string>

#include "commands/shell/clock.h"
#include "fleet/base/result.h"
#include "fleet/messages.h"
#include "fleet/socket/socket.h"

namespace drover::commands {

class RouterAccessControl {
 public:
  /// Call it before the endpoints are bound. An empty folder: no access control.
  Status open(const std::string& folder, Sockets& sockets);
  bool on() const { return !folder_.empty(); }

  /// Checks once a second whether a file of the allow-list has changed, and reads it again if so.
  void reload_if_changed(WallTime now, Sockets& sockets);
  /// Reads the allow-list again. If it cannot be read, the last one stays in force.
  void reload(Sockets& sockets);

  /// Why the sender's key does not allow this message; no value if it does.
  std::optional<std::string> refuse(const Incoming& incoming, const Envelope& envelope) const;

 private:
  void keep_list(const Error& problem);

  std::string folder_;
  std::string state_;    // of the files that were read last
  std::string problem_;  // why they cannot be read now, as last reported; empty: they can
  WallTime next_check_{};
};

}  // namespace drover::commands
