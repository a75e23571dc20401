// What a person can change in the fleet from here: each as words that say what will happen, and the
// requests that ask the router for it. Nothing is sent here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/messages.h"
#include "tui/model/model.h"
#include "tui/state/choices.h"

namespace drover::tui {

struct Action {
  std::string question;           // what will happen; without a question mark
  std::vector<Message> requests;  // sent when the answer is yes
  std::string policy_file;        // else: this file's policy is to be applied
};

/// No new work for targets, or work again: "gpu-a/3 host:gpu-b within 10m". Targets as
/// fleet/target.h writes them; none: what is tagged, else what is selected. Here and below `speed`
/// is that of fleet time, and spans are as fleet/action_span.h has them.
Result<Action> drain_action(const Model& model, const Choices& choices, double speed,
                            std::string_view words, bool drained);
/// "pool:h100 4.5kW", "site 20kW for 10m", "site 4kW admission-only", "site 5W anyway", "site
/// none".
Result<Action> cap_action(const Model& model, double speed, std::string_view words);
/// Jobs by the first digits of their ids; empty: what is tagged, else what is selected.
Result<Action> cancel_action(const Model& model, const Choices& choices, std::string_view jobs);
/// "gpu-a/3 xid=79 for 30s"; without a target what is tagged, else what is selected.
Result<Action> inject_action(const Model& model, const Choices& choices, double speed,
                             std::string_view words);
/// "hot gpu-a/3", "hot" (all that this rule has raised), "all"; empty: the selected alert.
Result<Action> acknowledge_action(const Model& model, const Choices& choices,
                                  std::string_view words);
Result<Action> policy_action(std::string_view file);

/// What comes of an action that was asked for: replies until all are there.
class AskedAction {
 public:
  void ask(Instant now, std::size_t requests, Duration patience);
  /// Whether the message answers; then `text` tells anew.
  bool receive(const Message& body);
  /// When silence becomes an answer; `never` while nothing is asked.
  Instant deadline() const { return open_ > 0 ? deadline_ : never; }
  void tick(Instant now);
  /// "2 of 3 done: .."; empty: nothing was asked.
  std::string text() const;

 private:
  void settle(bool done, const std::string& what);

  std::size_t asked_ = 0, open_ = 0, done_ = 0;
  Instant deadline_ = never;
  std::string reached_, problem_;
};

}  // namespace drover::tui
