// The option --watch: a command prints its answer again and again.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "commands/connection/session.h"
#include "commands/shell/clock.h"
#include "commands/shell/options.h"
#include "commands/shell/outcome.h"

namespace drover::commands {

Option watch_option();
/// How often; no value without --watch. Adds a problem for a wrong duration.
std::optional<WallSpan> read_watch(Arguments& arguments);

/// Prints the text once. With `every` it does so again until a signal arrives or the output is
/// closed: on a terminal each text replaces the one before, else they follow each other. Make it
/// before the session, because it blocks signals.
class RepeatedOutput {
 public:
  explicit RepeatedOutput(std::optional<WallSpan> every);
  ~RepeatedOutput();
  RepeatedOutput(const RepeatedOutput&) = delete;
  RepeatedOutput& operator=(const RepeatedOutput&) = delete;

  using Text = std::function<Result<std::string>()>;
  CommandOutcome print(Session& session, const Text& text);

 private:
  struct Signals;
  std::optional<WallSpan> every_;
  std::unique_ptr<Signals> signals_;  // null: prints once
};

}  // namespace drover::commands
