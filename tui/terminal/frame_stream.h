// Frames on their way to a terminal that may be slow: one at a time, each at most so many bytes.
// While one has not gone whole no other is made of what would be old by then. No terminal here.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "tui/terminal/painter.h"

namespace drover::tui {

/// A local terminal takes whole frames; over a network a repaint of 120x40 (some 10 KiB) goes in
/// pieces, so that a key's answer never stands behind more than one of them.
inline constexpr std::size_t frame_bytes_remote = 4096;

/// How the terminal keeps up.
struct TerminalFigures {
  std::uint64_t frames_drawn = 0;            // that had anything to write, pieces counted as frames
  std::uint64_t frames_skipped = 0;          // that were due while an earlier one had not gone
  std::uint64_t bytes = 0;                   // that the terminal has taken
  std::size_t frame_bytes = 0;               // of the last frame
  std::chrono::milliseconds backlog_age{0};  // since when a frame has been on its way; 0: none is
};

class FrameStream {
 public:
  using Moment = std::chrono::milliseconds;  // of any clock that never goes back

  /// `bytes_per_frame`: at least frame_bytes_min.
  FrameStream(TerminalWords words, std::size_t bytes_per_frame);

  /// The frame before has gone.
  bool ready() const { return pending().empty(); }
  /// When to show the rest of a frame that was cut; none: it was not, or it has not gone.
  bool cut() const { return ready() && !painter_.whole(); }
  Moment rest_at() const;
  /// REQUIRES ready().
  void show(const Canvas& canvas, Moment now);
  /// A frame is due that has to wait: counted at the pace of frames.
  void skip(Moment now);

  /// The terminal's bell goes with the next frame.
  void ring() { rings_ = true; }
  /// Goes before the next frame, which begins with a cleared screen.
  void begin_with(std::string_view bytes);
  std::string_view pending() const { return std::string_view(bytes_).substr(sent_); }
  void sent(std::size_t bytes);
  /// Frames from here on begin with a cleared screen.
  void forget() { painter_.forget(); }
  /// Frames from here on in other words.
  void restyle(TerminalWords words, std::size_t bytes_per_frame);
  /// What has not gone will not; answers whether that leaves the terminal within a sequence.
  bool drop();

  TerminalFigures figures(Moment now) const;

 private:
  Painter painter_;
  std::size_t bytes_per_frame_;
  std::string bytes_;
  std::size_t sent_ = 0;
  bool rings_ = false;
  Moment shown_at_{0};
  Moment skipped_at_{0};
  TerminalFigures figures_;
};

}  // namespace drover::tui
