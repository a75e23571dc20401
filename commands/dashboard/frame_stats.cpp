#include "commands/dashboard/frame_stats.h"

#include <cmath>

namespace drover::commands {
namespace {

constexpr double newest_share = 0.2;  // weight of the newest frame in the moving mean
constexpr Wall window_min = std::chrono::seconds(1);

double seconds_of(Wall span) { return std::chrono::duration<double>(span).count(); }

}  // namespace

void FrameStats::record_frame(Wall took) {
  const double s = seconds_of(took);
  draw_s_ = std::isnan(draw_s_) ? s : draw_s_ + newest_share * (s - draw_s_);
}

tui::ShellStats FrameStats::shell_stats(const tui::TerminalStats& stats, Wall now) {
  if (window_ < Wall{0}) {
    window_ = now;
    window_bytes_ = stats.bytes;
  } else if (now - window_ >= window_min) {
    bytes_per_s_ = static_cast<double>(stats.bytes - window_bytes_) / seconds_of(now - window_);
    window_ = now;
    window_bytes_ = stats.bytes;
  }
  return {.draw_s = draw_s_,
          .bytes_per_s = bytes_per_s_,
          .drawn = stats.frames_drawn,
          .skipped = stats.frames_skipped,
          .backlog_s = std::chrono::duration<double>(stats.backlog_age).count()};
}

}  // namespace drover::commands
