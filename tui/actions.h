// The changes of the fleet that the user can ask for: for each a text that says what will happen,
// and the requests to the router. Nothing is sent here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/messages.h"
#include "tui/model/model.h"
#include "tui/state/ui_state.h"

namespace drover::tui {

struct FleetAction {
  std::string question;           // what will happen; without a question mark
  std::vector<Message> requests;  // sent if the user answers yes
  std::string policy_file;        // if there are no requests: apply this file's policy
};

/// Proposes an action. `words`: what the user typed after its command; or, of a key, nothing.
/// `speed` is that of fleet time; durations are as in fleet/action_duration.h, targets as in
/// fleet/target.h. Without targets, an action is for the tagged devices, else for the selected one.
using ActionFunction = Result<FleetAction>(const Model& model, const UiState& ui, double speed,
                                           std::string_view words);

/// No new work: "gpu-a/3 host:gpu-b within 10m".
ActionFunction drain_action;
ActionFunction resume_action;
/// "pool:h100 4.5kW", "site 20kW for 10m", "site 4kW admission-only", "site 5W anyway", "site
/// none".
ActionFunction cap_action;
/// Jobs by the first digits of their ids; if empty, the tagged jobs, else the selected one.
ActionFunction cancel_action;
/// "gpu-a/3 xid=79 for 30s".
ActionFunction inject_action;
/// "hot gpu-a/3", "hot" (all alerts of the rule), "all"; if empty, the selected alert.
ActionFunction acknowledge_action;
/// The name of a file.
ActionFunction policy_action;

/// Collects the replies to the requests of an action.
class PendingAction {
 public:
  void ask(Instant now, std::size_t requests, Duration timeout);
  /// Returns whether the message is a reply; then `text` has changed.
  bool receive(const Message& body);
  /// When missing replies count as failed; `never` if all have arrived.
  Instant deadline() const { return open_ > 0 ? deadline_ : never; }
  void tick(Instant now);
  /// "2 of 3 done: .."; empty if nothing was requested.
  std::string text() const;

 private:
  void settle(bool done, const std::string& what);

  std::size_t asked_ = 0, open_ = 0, done_ = 0;
  Instant deadline_ = never;
  std::string reached_, problem_;
};

}  // namespace drover::tui
