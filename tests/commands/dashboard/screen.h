// What a terminal would show: a program on a pseudo-terminal, and the screen it draws.
#pragma once

#include <sys/types.h>
#include <termios.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/commands/folder.h"
#include "tests/commands/program.h"

namespace drover::commands {

/// Understands what ncurses sends to an xterm: enough to read words off the screen.
class Screen {
 public:
  Screen(int columns, int rows);
  void write(const std::string& bytes);
  void clear();
  std::string text() const;  // rows, each ended by a newline

 private:
  void put(const std::string& character);
  void control(char final, const std::string& parameters);
  void feed_line();

  int columns_, rows_;
  std::vector<std::vector<std::string>> cells_;
  int column_ = 0, row_ = 0;
  std::string pending_;  // an escape sequence or character that is not whole yet
  std::string last_ = " ";
};

struct PseudoTerminalOptions {
  std::string name = "xterm-256color";  // TERM
  std::string err_path = {};            // where standard error goes; empty: to the terminal
  bool input_apart = false;             // standard input is a terminal of its own
  std::string colour_term = {};         // COLORTERM; empty: not set
  std::string state_home = {};          // XDG_STATE_HOME; empty: a folder of its own
};

class PseudoTerminal {
 public:
  PseudoTerminal(const std::vector<std::string>& words, int columns, int rows,
                 const PseudoTerminalOptions& options = {});
  ~PseudoTerminal();
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  void type(const std::string& keys);
  /// From now on nothing of what the program writes is taken, or all of it again.
  void set_deaf(bool deaf) { deaf_ = deaf; }
  /// What another program would have left: another screen, and the modes of a shell.
  void give_to_shell();
  /// The line is cut: the terminal is gone, or its input alone.
  void hang_up();
  void hang_up_input();
  void resize(int columns, int rows);
  /// True when the text comes to stand on the screen.
  bool shows(const std::string& text, std::chrono::seconds patience = default_timeout);
  bool ends(std::chrono::seconds patience = default_timeout);
  int exit_code() const;
  pid_t pid() const { return pid_; }
  std::string screen() const { return screen_.text(); }
  const std::string& output() const { return output_; }
  /// The terminal's settings are those that the program found, and each mode of its own that it
  /// has switched is back.
  bool restored() const;
  /// Keys come one by one.
  bool raw() const;

 private:
  void read_some();
  bool mode_is_back(const std::string& number, char usual) const;

  TestFolder state_;  // what it keeps for its next start
  int master_ = -1;
  int input_ = -1;  // apart from `master_`
  bool deaf_ = false;
  pid_t pid_ = -1;
  bool ended_ = false;
  int status_ = 0;
  termios before_{};
  Screen screen_;
  std::string output_;
};

}  // namespace drover::commands
