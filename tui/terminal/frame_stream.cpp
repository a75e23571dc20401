#include "tui/terminal/frame_stream.h"

#include <utility>

#include "fleet/base/result.h"

namespace drover::tui {
namespace {

// The dashboard's usual frame interval, by which skipped frames are counted.
constexpr FrameStream::SteadyTime frame_pace{250};

// Between two pieces of a frame. With frame_bytes_remote that is at most 80 KiB/s, and a repaint of
// 120x40 takes a tenth of a second.
constexpr FrameStream::SteadyTime rest_pause{50};

constexpr char bell = '\a';  // ECMA-48 BEL, the bell of every terminfo entry

}  // namespace

FrameStream::FrameStream(std::unique_ptr<CursesScreen> screen, std::size_t bytes_per_frame)
    : screen_(std::move(screen)), bytes_per_frame_(bytes_per_frame) {}

FrameStream::SteadyTime FrameStream::rest_at() const { return shown_at_ + rest_pause; }

void FrameStream::show(const Canvas& canvas, SteadyTime now) {
  DROVER_REQUIRE(ready());
  bytes_ = screen_->paint(canvas, bytes_per_frame_);
  if (std::exchange(rings_, false)) bytes_ += bell;
  bytes_ += std::exchange(sequences_, {});
  sent_ = 0;
  shown_at_ = now;
  if (bytes_.empty()) return;
  ++stats_.frames_drawn;
  stats_.frame_bytes = bytes_.size();
}

void FrameStream::begin_with(std::string_view bytes) {
  bytes_ += bytes;
  screen_->forget();
}

void FrameStream::restyle(const std::string& terminal, const Look& look,
                          std::size_t bytes_per_frame) {
  screen_.reset();
  auto opened = CursesScreen::open(terminal, look);
  DROVER_REQUIRE(opened);
  screen_ = std::move(*opened);
  bytes_per_frame_ = bytes_per_frame;
}

void FrameStream::skip(SteadyTime now) {
  const bool first = skipped_at_ < shown_at_;
  if (!first && now - skipped_at_ < frame_pace) return;
  skipped_at_ = now;
  ++stats_.frames_skipped;
}

void FrameStream::sent(std::size_t bytes) {
  DROVER_REQUIRE(bytes <= pending().size());
  sent_ += bytes;
  stats_.bytes += bytes;
}

bool FrameStream::drop() {
  const bool within = sent_ > 0 && !ready();
  bytes_.clear();
  sent_ = 0;
  screen_->forget();
  return within;
}

TerminalStats FrameStream::stats(SteadyTime now) const {
  TerminalStats stats = stats_;
  if (!ready()) stats.backlog_age = now - shown_at_;
  return stats;
}

}  // namespace drover::tui
