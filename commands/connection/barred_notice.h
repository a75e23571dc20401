// Says on standard error that the router shuts out a verb that it had let in: for verbs that go on
// by themselves and have no screen to show it on.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "commands/connection/session.h"
#include "commands/shell/output.h"

namespace drover::commands {

class BarredNotice {
 public:
  /// `verb`: who speaks, "drover record".
  explicit BarredNotice(std::string verb) : verb_(std::move(verb)) {}

  /// Whether the router shuts us out now. Each reason is told once until the door opens again; the
  /// sockets try on by themselves.
  bool look(Session& session) {
    const auto barred = session.sockets().barred();
    if (std::exchange(told_, barred) != barred && barred) {
      put_error("{}: {}: {}; retrying\n", verb_, session.router().endpoint,
                barred_words(*barred, session.router()));
    }
    return barred.has_value();
  }

 private:
  std::string verb_;
  std::optional<Barred> told_;
};

}  // namespace drover::commands
