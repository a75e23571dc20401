// Statistics of the dashboard's frames, which its data-plane view shows.
#pragma once

#include "commands/shell/clock.h"
#include "tui/dashboard.h"
#include "tui/terminal/terminal.h"

namespace drover::commands {

class FrameStats {
 public:
  /// Records the time that drawing one frame took.
  void record_frame(Wall took);
  /// The statistics at `now`; rates are over about the last second.
  tui::ShellStats shell_stats(const tui::TerminalStats& stats, Wall now);

 private:
  double draw_s_ = absent;
  double bytes_per_s_ = absent;
  Wall window_{-1};  // its start; negative: none yet
  std::uint64_t window_bytes_ = 0;
};

}  // namespace drover::commands
