#include "tui/terminal/frame_stream.h"

#include <utility>

#include "fleet/base/result.h"

namespace drover::tui {
namespace {

// The dashboard draws a frame so often: so many are lost while one waits.
constexpr FrameStream::Moment frame_pace{250};

// Between two pieces of a frame. With frame_bytes_remote that is 80 KiB/s at most, and a repaint of
// 120x40 takes a tenth of a second.
constexpr FrameStream::Moment rest_pause{50};

constexpr char bell = '\a';  // ECMA-48 BEL, what every terminal's description has as its bell

}  // namespace

FrameStream::FrameStream(TerminalWords words, std::size_t bytes_per_frame)
    : painter_(std::move(words)), bytes_per_frame_(bytes_per_frame) {}

FrameStream::Moment FrameStream::rest_at() const { return shown_at_ + rest_pause; }

void FrameStream::show(const Canvas& canvas, Moment now) {
  DROVER_REQUIRE(ready());
  bytes_ = painter_.paint(canvas, bytes_per_frame_);
  if (std::exchange(rings_, false)) bytes_ += bell;
  sent_ = 0;
  shown_at_ = now;
  if (bytes_.empty()) return;
  ++figures_.frames_drawn;
  figures_.frame_bytes = bytes_.size();
}

void FrameStream::begin_with(std::string_view bytes) {
  bytes_ += bytes;
  painter_.forget();
}

void FrameStream::restyle(TerminalWords words, std::size_t bytes_per_frame) {
  painter_ = Painter(std::move(words));
  bytes_per_frame_ = bytes_per_frame;
}

void FrameStream::skip(Moment now) {
  const bool first = skipped_at_ < shown_at_;
  if (!first && now - skipped_at_ < frame_pace) return;
  skipped_at_ = now;
  ++figures_.frames_skipped;
}

void FrameStream::sent(std::size_t bytes) {
  DROVER_REQUIRE(bytes <= pending().size());
  sent_ += bytes;
  figures_.bytes += bytes;
}

bool FrameStream::drop() {
  const bool within = sent_ > 0 && !ready();
  bytes_.clear();
  sent_ = 0;
  painter_.forget();
  return within;
}

TerminalFigures FrameStream::figures(Moment now) const {
  TerminalFigures figures = figures_;
  if (!ready()) figures.backlog_age = now - shown_at_;
  return figures;
}

}  // namespace drover::tui
