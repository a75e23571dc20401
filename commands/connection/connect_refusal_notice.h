// Reports on standard error that the router refuses a client that it had accepted before. For
// commands that keep running and have no screen.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "commands/connection/session.h"
#include "commands/shell/output.h"

namespace drover::commands {

class ConnectRefusalNotice {
 public:
  /// `command`: the prefix of the line, "drover record".
  explicit ConnectRefusalNotice(std::string command) : command_(std::move(command)) {}

  /// Returns whether the router refuses the client now. Each reason is reported once until the
  /// router accepts the client again; the sockets retry by themselves.
  bool update(Session& session) {
    const auto connect_refusal = session.sockets().connect_refusal();
    if (std::exchange(reported_, connect_refusal) != connect_refusal && connect_refusal) {
      write_stderr("{}: {}: {}; retrying\n", command_, session.router().endpoint,
                   connect_refusal_summary(*connect_refusal, session.router()));
    }
    return connect_refusal.has_value();
  }

 private:
  std::string command_;
  std::optional<ConnectRefusal> reported_;
};

}  // namespace drover::commands
