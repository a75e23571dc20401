// How the dashboard's own frames come along: measured here, shown on its data plane.
#pragma once

#include "commands/shell/clock.h"
#include "tui/dashboard.h"
#include "tui/terminal/terminal.h"

namespace drover::commands {

class FrameWatch {
 public:
  /// One frame was drawn, and took so long.
  void drew(Wall took);
  /// As of `now`; rates are over the last second or so.
  tui::ShellFacts facts(const tui::TerminalFigures& figures, Wall now);

 private:
  double draw_s_ = absent;
  double bytes_per_s_ = absent;
  Wall window_{-1};  // its beginning; before: none yet
  std::uint64_t window_bytes_ = 0;
};

}  // namespace drover::commands
