#include "commands/dashboard/frame_watch.h"

#include <cmath>

namespace drover::commands {
namespace {

constexpr double newest_share = 0.2;  // of one frame in the mean of the last ones
constexpr Wall window_least = std::chrono::seconds(1);

double seconds_of(Wall span) { return std::chrono::duration<double>(span).count(); }

}  // namespace

void FrameWatch::drew(Wall took) {
  const double s = seconds_of(took);
  draw_s_ = std::isnan(draw_s_) ? s : draw_s_ + newest_share * (s - draw_s_);
}

tui::ShellFacts FrameWatch::facts(const tui::TerminalFigures& figures, Wall now) {
  if (window_ < Wall{0}) {
    window_ = now;
    window_bytes_ = figures.bytes;
  } else if (now - window_ >= window_least) {
    bytes_per_s_ = static_cast<double>(figures.bytes - window_bytes_) / seconds_of(now - window_);
    window_ = now;
    window_bytes_ = figures.bytes;
  }
  return {.draw_s = draw_s_,
          .bytes_per_s = bytes_per_s_,
          .drawn = figures.frames_drawn,
          .skipped = figures.frames_skipped,
          .backlog_s = std::chrono::duration<double>(figures.backlog_age).count()};
}

}  // namespace drover::commands
