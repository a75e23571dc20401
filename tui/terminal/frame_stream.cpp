#include "tui/terminal/frame_stream.h"

#include <algorithm>
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

FrameStream::FrameStream(std::unique_ptr<CursesScreen> screen, FramePace pace)
    : screen_(std::move(screen)), pace_(pace) {}

bool FrameStream::hurries(SteadyTime now) const {
  return pace_.bytes_per_s == bytes_per_s_unlimited || begins_ ||
         now < std::max(hurried_until_, complete_until_);
}

FrameStream::SteadyTime FrameStream::rest_at() const {
  const SteadyTime soon = shown_at_ + rest_pause;
  return hurries(soon) ? soon : std::max(soon, refilled_at_ + frame_pace);
}

void FrameStream::refill(SteadyTime now) {
  if (pace_.bytes_per_s == bytes_per_s_unlimited) return;
  const auto passed = std::clamp(now - refilled_at_, SteadyTime{0}, SteadyTime{1000});
  const std::size_t more = pace_.bytes_per_s * static_cast<std::size_t>(passed.count()) / 1000;
  allowance_ = std::min(pace_.bytes_per_s, allowance_ + more);
  refilled_at_ = now;
}

/// How many bytes a frame may have now.
std::size_t FrameStream::bytes_now(SteadyTime now) const {
  return hurries(now) ? pace_.bytes_per_frame : std::min(pace_.bytes_per_frame, allowance_);
}

void FrameStream::show(const Canvas& canvas, SteadyTime now) {
  DROVER_REQUIRE(ready());
  refill(now);
  const std::size_t room = bytes_now(now);
  held_ = room < frame_bytes_min;
  if (held_) return;
  if (std::exchange(begins_, false) || now < hurried_until_) complete_until_ = now + complete_for;
  bytes_ = screen_->paint(canvas, room);
  if (screen_->whole()) complete_until_ = SteadyTime{0};
  allowance_ -= std::min(allowance_, bytes_.size());
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
  begins_ = true;
}

void FrameStream::restyle(const std::string& terminal, const Look& look, FramePace pace) {
  screen_.reset();
  auto opened = CursesScreen::open(terminal, look);
  DROVER_REQUIRE(opened);
  screen_ = std::move(*opened);
  pace_ = pace;
  begins_ = true;
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
