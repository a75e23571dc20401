// The terminal as a device: bytes in and out without ever waiting, its modes, its size. The
// descriptors are opened anew, because one that is shared with the shell must not be made
// non-blocking: the flag would be the shell's too.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <termios.h>

#include "fleet/base/result.h"
#include "tui/canvas/canvas.h"

namespace drover::tui {

class TerminalPort {
 public:
  using Moment = std::chrono::milliseconds;
  static Moment now();

  /// The error: standard input or output is no terminal.
  static Status check();
  /// Input and output are the same terminal, so that modes set for one hold for the other.
  static bool is_one();

  TerminalPort() = default;
  ~TerminalPort();
  TerminalPort(const TerminalPort&) = delete;
  TerminalPort& operator=(const TerminalPort&) = delete;

  Status open();
  /// Keys come one by one, as they are: Ctrl-C is a key like others. The modes that were found are
  /// those `restore_modes` brings back.
  void set_modes();
  void restore_modes();
  const termios& modes_found() const { return modes_found_; }

  /// Can be read when there is input, when what waits can be written, at `wake_at`, when the
  /// terminal is gone, or when `descriptor` (see `watch`) can be read.
  int descriptor() const { return waiting_; }
  Status watch(int descriptor);
  /// Whether input wakes the loop: not while it is another's.
  void listen(bool wanted);
  void wake_at(std::optional<Moment> moment);
  void wake_when_writable(bool wanted);

  /// This process is the one that the terminal's shell has put in front, or there is no such shell.
  bool in_front() const;
  /// 80x24 where the terminal does not say.
  Size size() const;
  int output() const { return output_; }
  /// What has come, a few kilobytes at most; empty when nothing has.
  std::string read();
  /// Takes as many bytes as the terminal does now, and answers their number.
  std::size_t write(std::string_view bytes);
  /// Waits for it, no longer than this; false when not all could go.
  bool write_within(std::string_view bytes, Moment patience);

  /// Whether the terminal is still there.
  Status status();

 private:
  void lose(const char* what, int code);

  int input_ = -1, output_ = -1;
  bool own_output_ = false;
  int waiting_ = -1;  // the epoll set
  int timer_ = -1;
  bool writable_wanted_ = false;
  bool modes_known_ = false;
  termios modes_found_{};
  bool output_lost_ = false;
  std::string lost_;  // why there is no terminal any more
};

}  // namespace drover::tui
