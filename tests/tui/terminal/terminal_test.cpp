// The terminal is left as it was found, whatever ends the program.
#include "tui/terminal/terminal.h"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

namespace drover::tui {
namespace {

constexpr int patience_ms = 10'000;

/// Shows one frame as soon as it may, then waits for the key that ends it.
[[noreturn]] void run_on_terminal() {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  setenv("TERM", "xterm-256color", 1);
  auto terminal = Terminal::open({.colours = Colours::none});
  if (!terminal) _exit(9);
  Canvas canvas({40, 10});
  canvas.put(0, 0, "here I am");
  bool shown = false;
  for (bool ends = false; !ends;) {
    if ((*terminal)->ready() && !std::exchange(shown, true)) (*terminal)->show(canvas);
    pollfd wait{(*terminal)->descriptor(), POLLIN, 0};
    poll(&wait, 1, shown ? patience_ms : 20);
    for (const Key& key : (*terminal)->keys()) ends = ends || key.name == "Ctrl-C";
  }
  terminal->reset();
  _exit(0);
}

/// Answers by its exit whether 300 changes of size, as fast as they can come, were told at their
/// pace.
[[noreturn]] void run_in_a_storm() {
  setenv("TERM", "xterm-256color", 1);
  auto terminal = Terminal::open({.colours = Colours::none});
  if (!terminal) _exit(9);
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  int told = 0;
  bool last = false;
  for (int i = 0; i < 300; ++i) {
    raise(SIGWINCH);
    last = !(*terminal)->keys().empty();
    told += last ? 1 : 0;
  }
  const std::chrono::duration<double> took = Clock::now() - begin;
  const bool paced = told <= 2 + 31 * took.count();
  // The last one is told too, a moment later.
  pollfd wait{(*terminal)->descriptor(), POLLIN, 0};
  while (!last && poll(&wait, 1, patience_ms) > 0) {
    for (const Key& key : (*terminal)->keys()) last = last || key.name == "Resize";
  }
  terminal->reset();
  _exit(!paced ? 1 : last ? 0 : 2);
}

/// What the program wrote, up to `text` or its end.
std::string read_until(int master, const std::string& text) {
  std::string seen;
  std::array<char, 4096> bytes{};
  while (seen.find(text) == std::string::npos) {
    pollfd wait{master, POLLIN, 0};
    if (poll(&wait, 1, patience_ms) <= 0) break;
    const ssize_t length = read(master, bytes.data(), bytes.size());
    if (length <= 0) break;
    seen.append(bytes.data(), static_cast<std::size_t>(length));
  }
  return seen;
}

TEST(Terminal, IsRestoredWhateverSignalEndsTheProgram) {
  struct Case {
    int number;
    bool kills;  // restored first, then the program dies of it
  };
  for (const Case& c :
       {Case{SIGTERM, false}, Case{SIGQUIT, false}, Case{SIGUSR1, false}, Case{SIGUSR2, false},
        Case{SIGALRM, false}, Case{SIGXCPU, false}, Case{SIGRTMIN + 3, false}, Case{SIGABRT, true},
        Case{SIGTRAP, true}, Case{SIGSYS, true}}) {
    int master = -1;
    int slave = -1;
    winsize window{10, 40, 0, 0};
    ASSERT_EQ(openpty(&master, &slave, nullptr, nullptr, &window), 0);
    termios before{};
    ASSERT_EQ(tcgetattr(slave, &before), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      close(master);
      login_tty(slave);
      run_on_terminal();
    }
    ASSERT_NE(read_until(master, "here I am").find("here I am"), std::string::npos);
    kill(child, c.number);
    const std::string left = read_until(master, "\x1b[?1049l");
    EXPECT_NE(left.find("\x1b[?1049l"), std::string::npos)
        << "signal " << c.number << " left the alternate screen on";
    int status = 0;
    if (HasFailure()) kill(child, SIGKILL);
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(WIFSIGNALED(status), c.kills) << c.number;
    termios after{};
    ASSERT_EQ(tcgetattr(slave, &after), 0);
    EXPECT_EQ(after.c_lflag, before.c_lflag) << "signal " << c.number;
    EXPECT_EQ(after.c_iflag, before.c_iflag) << "signal " << c.number;
    close(slave);
    close(master);
  }
}

TEST(Terminal, ReportsResizesAtALimitedRate) {
  int master = -1;
  int slave = -1;
  winsize window{10, 40, 0, 0};
  ASSERT_EQ(openpty(&master, &slave, nullptr, nullptr, &window), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    close(master);
    login_tty(slave);
    run_in_a_storm();
  }
  close(slave);
  int status = 0;
  read_until(master, "no such text: all there is");
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  close(master);
}

/// A shell that starts the program in the background, and puts it in front once `go` says so.
[[noreturn]] void run_as_shell(int go) {
  std::signal(SIGTTOU, SIG_IGN);
  const pid_t program = fork();
  if (program == 0) {
    setpgid(0, 0);
    std::signal(SIGTTOU, SIG_DFL);
    run_on_terminal();
  }
  setpgid(program, program);
  char word = 0;
  if (read(go, &word, 1) == 1) tcsetpgrp(STDIN_FILENO, program);
  int status = 0;
  // A program that was stopped has touched a terminal that was not its own.
  waitpid(program, &status, WUNTRACED);
  kill(program, SIGKILL);
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 8);
}

TEST(Terminal, IsLeftToTheShellWhileInTheBackground) {
  int master = -1;
  int slave = -1;
  std::array<int, 2> go{};
  winsize window{10, 40, 0, 0};
  ASSERT_EQ(openpty(&master, &slave, nullptr, nullptr, &window), 0);
  ASSERT_EQ(pipe(go.data()), 0);
  termios before{};
  ASSERT_EQ(tcgetattr(slave, &before), 0);
  const pid_t shell = fork();
  ASSERT_GE(shell, 0);
  if (shell == 0) {
    close(master);
    close(go[1]);
    login_tty(slave);
    run_as_shell(go[0]);
  }
  pollfd quiet{master, POLLIN, 0};
  EXPECT_EQ(poll(&quiet, 1, 500), 0) << read_until(master, "here I am");
  termios meanwhile{};
  ASSERT_EQ(tcgetattr(slave, &meanwhile), 0);
  EXPECT_EQ(meanwhile.c_lflag, before.c_lflag);
  ASSERT_EQ(write(go[1], "g", 1), 1);
  EXPECT_NE(read_until(master, "here I am").find("here I am"), std::string::npos);
  ASSERT_EQ(write(master, "\x03", 1), 1);
  EXPECT_NE(read_until(master, "\x1b[?1049l").find("\x1b[?1049l"), std::string::npos);
  if (HasFailure()) kill(shell, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(shell, &status, 0), shell);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  for (const int descriptor : {master, slave, go[0], go[1]}) close(descriptor);
}

}  // namespace
}  // namespace drover::tui
