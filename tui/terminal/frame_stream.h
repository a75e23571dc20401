// Frames for a terminal that may be slow: one at a time, each of limited size. While a frame is not
// completely written, no other is made, as it would be out of date. It has no terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "tui/terminal/curses_screen.h"

namespace drover::tui {

/// Local terminals get whole frames. Over a network a repaint of 120x40 (some 10 KiB) is sent in
/// pieces, so that the response to a key waits for at most one piece.
inline constexpr std::size_t frame_bytes_remote = 4096;

/// What a terminal gets over a network while nobody presses a key: below 4 KiB a second, whatever
/// the fleet does. The rows of the screen then take turns.
inline constexpr std::size_t bytes_per_s_remote = 3584;
inline constexpr std::size_t bytes_per_s_unlimited = std::numeric_limits<std::size_t>::max();

struct FramePace {
  std::size_t bytes_per_frame = frame_bytes_unlimited;  // at least frame_bytes_min
  /// At least frame_bytes_min. It does not hold for a second after a key, and then until the screen
  /// is whole, for three seconds at most.
  std::size_t bytes_per_s = bytes_per_s_unlimited;
};

/// How the terminal keeps up.
struct TerminalStats {
  std::uint64_t frames_drawn = 0;            // frames with output; each piece counts as a frame
  std::uint64_t frames_skipped = 0;          // frames due while an earlier one was being written
  std::uint64_t bytes = 0;                   // that the terminal has taken
  std::size_t frame_bytes = 0;               // of the last frame
  std::chrono::milliseconds backlog_age{0};  // of the frame being written; 0 if there is none
};

class FrameStream {
 public:
  using SteadyTime = std::chrono::milliseconds;  // of any monotonic clock

  FrameStream(std::unique_ptr<CursesScreen> screen, FramePace pace);

  /// Whether the previous frame has been written.
  bool ready() const { return pending().empty(); }
  /// Whether the previous frame was cut or held back, and its piece has been written.
  bool cut() const { return ready() && (held_ || !screen_->whole()); }
  /// When to show the rest of a cut frame.
  SteadyTime rest_at() const;
  /// REQUIRES ready(). Shows nothing if too little of bytes_per_s is left: the frame is then cut.
  void show(const Canvas& canvas, SteadyTime now);
  /// A key was pressed: its answer does not wait for bytes_per_s.
  void hurry(SteadyTime now) { hurried_until_ = now + hurry_for; }
  /// Counts a due frame that has to wait, once per frame interval.
  void skip(SteadyTime now);

  /// Rings the terminal's bell with the next frame.
  void ring() { rings_ = true; }
  /// Sends a sequence that draws nothing with the next frame.
  void send_too(std::string_view sequence) { sequences_ += sequence; }
  /// Sends bytes before the next frame, which clears the screen.
  void begin_with(std::string_view bytes);
  std::string_view pending() const { return std::string_view(bytes_).substr(sent_); }
  void sent(std::size_t bytes);
  /// The next frame clears the screen.
  void forget() { screen_->forget(); }
  /// Uses another look from the next frame on. REQUIRES a terminal that could be opened before.
  void restyle(const std::string& terminal, const Look& look, FramePace pace);
  /// Discards unwritten bytes; returns whether the terminal may be left within a sequence.
  bool drop();

  TerminalStats stats(SteadyTime now) const;

 private:
  static constexpr SteadyTime hurry_for{1000};
  // A new screen is sent faster until it is whole; one that changes faster than that never is.
  static constexpr SteadyTime complete_for{3000};

  bool hurries(SteadyTime now) const;
  void refill(SteadyTime now);
  std::size_t bytes_now(SteadyTime now) const;

  std::unique_ptr<CursesScreen> screen_;
  FramePace pace_;
  std::size_t allowance_ = 0;  // what is left of bytes_per_s; of one second at most
  SteadyTime refilled_at_{0};
  SteadyTime hurried_until_{0};
  SteadyTime complete_until_{0};
  bool begins_ = true;  // the next frame is the first one of a screen
  bool held_ = false;   // a frame waits for bytes_per_s
  std::string bytes_;
  std::size_t sent_ = 0;
  bool rings_ = false;
  std::string sequences_;  // for the next frame
  SteadyTime shown_at_{0};
  SteadyTime skipped_at_{0};
  TerminalStats stats_;
};

}  // namespace drover::tui
