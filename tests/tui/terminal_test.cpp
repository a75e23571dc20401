// The terminal is left as it was found, whatever ends the program.
#include "tui/terminal.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <string>

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

/// Shows one frame, then waits for the key that ends it.
[[noreturn]] void run_on_terminal() {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  setenv("TERM", "xterm-256color", 1);
  auto terminal = Terminal::open({.colours = Colours::none});
  if (!terminal) _exit(9);
  Canvas canvas({40, 10});
  canvas.put(0, 0, "here I am");
  (*terminal)->show(canvas);
  for (bool ends = false; !ends;) {
    pollfd wait{(*terminal)->descriptor(), POLLIN, 0};
    poll(&wait, 1, patience_ms);
    for (const Key& key : (*terminal)->keys()) ends = ends || key.name == "Ctrl-C";
  }
  terminal->reset();
  _exit(0);
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

}  // namespace
}  // namespace drover::tui
