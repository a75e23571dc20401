// Who may come in at a router that was started with --keys: its key, its allow-list as files, and
// what each key may send.
#pragma once

#include <optional>
#include <string>

#include "commands/shell/clock.h"
#include "fleet/base/result.h"
#include "fleet/messages.h"
#include "fleet/socket/socket.h"

namespace drover::commands {

class RouterGuard {
 public:
  /// Nothing is guarded when the folder has no name. Before the doors are bound.
  Status open(const std::string& folder, Sockets& sockets);
  bool on() const { return !folder_.empty(); }

  /// Reads the allow-list again when a file of it has changed; looks once a second.
  void look(Wall now, Sockets& sockets);
  /// Reads it again in any case. Who may come in stays as it is where it cannot be read for now.
  void reload(Sockets& sockets);

  /// Why the sender's key does not allow this message; none: it does.
  std::optional<std::string> refuse(const Incoming& incoming, const Envelope& envelope) const;

 private:
  void keep_for_now(const Error& trouble);

  std::string folder_;
  std::string state_;    // of the files that were read last
  std::string trouble_;  // why they cannot be read now, as it was said; empty: they can
  Wall next_look_{0};
};

}  // namespace drover::commands
