// Replays a recording on the dashboard, for `top --replay` and `frame --replay`.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "commands/dashboard/dashboard_loop.h"
#include "commands/dashboard/dashboard_settings.h"
#include "commands/dashboard/frame_output.h"
#include "commands/dashboard/replay_timeline.h"
#include "commands/record/recording_file.h"
#include "commands/shell/options.h"
#include "commands/shell/outcome.h"

namespace drover::commands {

Option replay_option();
Option replay_at_option();

struct ReplayOptions {
  std::string file;
  double rate = 1;
  std::optional<TimeArgument> at;
};
/// Reads `--replay`, `--at` and `--replay-speed`; no value without --replay.
std::optional<ReplayOptions> read_replay(Arguments& arguments);

class Replay {
 public:
  /// The error says what is wrong with the file, or that it does not cover the time of --at.
  static Result<std::unique_ptr<Replay>> open(const ReplayOptions& options);

  tui::DashboardOptions dashboard(tui::DashboardOptions options, bool paused) const;
  /// What is unusual about the file; empty: nothing.
  std::string state() const { return state_text(recording_.input, recording_.reader.info()); }
  bool speed_known() const { return recording_.reader.info().start.speed_known; }
  const ReplayTimeline& timeline() const { return timeline_; }

 private:
  Replay(OpenRecording recording, const ReplayOptions& options);
  OpenRecording recording_;
  ReplayTimeline timeline_;
  ReplayOptions options_;
};

/// Shows the dashboard on this terminal, until q.
CommandOutcome show_replay(const ReplayOptions& options, const std::string& device,
                           DashboardSettings& settings);
/// Prints one frame, or a table.
CommandOutcome print_replay(const ReplayOptions& options, const tui::DashboardOptions& view,
                            const FrameOutput& form);

}  // namespace drover::commands
