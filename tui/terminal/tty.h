// The terminal device: non-blocking input and output, modes, size. It opens its own descriptors,
// because a descriptor shared with the shell must not be made non-blocking: the flag would apply to
// the shell, too.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <termios.h>

#include "fleet/base/result.h"
#include "tui/canvas/canvas.h"

namespace drover::tui {

class Tty {
 public:
  using SteadyTime = std::chrono::milliseconds;
  static SteadyTime now();

  /// Fails if standard input or output is no terminal.
  static Status check();
  /// Whether input and output are the same terminal, so that modes set for one apply to the other.
  static bool is_one();

  Tty() = default;
  ~Tty();
  Tty(const Tty&) = delete;
  Tty& operator=(const Tty&) = delete;

  Status open();
  /// Switches to raw input: keys arrive one by one, and Ctrl-C is an ordinary key. `restore_modes`
  /// restores the original modes.
  void set_modes();
  void restore_modes();
  const termios& original_modes() const { return original_modes_; }

  /// Readable when there is input, pending output can be written, `wake_at` is reached, the
  /// terminal is gone, or the descriptor given to `watch` is readable.
  int descriptor() const { return waiting_; }
  Status watch(int descriptor);
  /// Whether input wakes the loop; off while another process reads it.
  void listen(bool wanted);
  void wake_at(std::optional<SteadyTime> moment);
  void wake_when_writable(bool wanted);

  /// Whether this process is in the terminal's foreground process group, or there is none.
  bool is_foreground() const;
  /// 80x24 if the terminal does not report its size.
  Size size() const;
  int output() const { return output_; }
  /// Available input, a few kilobytes at most; or empty.
  std::string read();
  /// Writes as many bytes as the terminal takes now and returns their number.
  std::size_t write(std::string_view bytes);
  /// Writes all bytes, waiting at most `timeout`; returns false if not all could be written.
  bool write_within(std::string_view bytes, SteadyTime timeout);

  /// Whether the terminal is still there.
  Status status();

 private:
  /// Adds a descriptor to the epoll set or changes what wakes the loop.
  bool set_events(int operation, int descriptor, unsigned events) const;
  void lose(const char* what, int code);

  int input_ = -1, output_ = -1;
  bool own_output_ = false;
  int waiting_ = -1;  // the epoll set
  int timer_ = -1;
  bool writable_wanted_ = false;
  bool modes_known_ = false;
  termios original_modes_{};
  bool output_lost_ = false;
  std::string lost_;  // why the terminal is gone
};

}  // namespace drover::tui
