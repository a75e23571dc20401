// Handlers write a letter for each signal into a pipe, which the terminal's loop waits for.
#include "tui/terminal/terminal_signals.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace drover::tui {
namespace {

constexpr std::array crash_signals = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE,
                                      SIGILL,  SIGTRAP, SIGSYS, SIGXFSZ};

/// Signals for the loop: a new size, a stop and its end, and all signals that end a process, so
/// that the dashboard exits cleanly and restores the terminal.
std::vector<int> handled_signals() {
  std::vector<int> numbers = {SIGWINCH, SIGTSTP,   SIGCONT, SIGINT,  SIGTERM,
                              SIGHUP,   SIGQUIT,   SIGUSR1, SIGUSR2, SIGALRM,
                              SIGXCPU,  SIGVTALRM, SIGPROF, SIGIO,   SIGPWR};
  for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) numbers.push_back(number);
  return numbers;
}

// Data for the handlers: set before they are installed, never freed while they are.
volatile std::sig_atomic_t signal_pipe = -1;
volatile std::sig_atomic_t restore_output = -1;
std::array<char, 256> restore_bytes{};
volatile std::sig_atomic_t restore_length = 0;
termios restore_modes{};

char letter_of(int number) {
  switch (number) {
    case SIGWINCH:
      return 'w';
    case SIGTSTP:
      return 'z';
    case SIGCONT:
      return 'c';
    default:
      return 'q';
  }
}

extern "C" void note_signal(int number) {
  const int saved = errno;
  const char letter = letter_of(number);
  // A full pipe already wakes the loop.
  if (signal_pipe >= 0 && write(signal_pipe, &letter, 1) < 0) errno = saved;
  errno = saved;
}

extern "C" void restore_and_crash(int number) {
  const ssize_t written =
      write(restore_output, restore_bytes.data(), static_cast<std::size_t>(restore_length));
  (void)written;  // an error cannot be reported here
  tcsetattr(STDIN_FILENO, TCSANOW, &restore_modes);
  std::signal(number, SIG_DFL);
  raise(number);
}

void install_one(int number, void (*handler)(int), int flags, struct sigaction* before) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, before);
}

}  // namespace

TerminalSignals::~TerminalSignals() {
  remove();
  for (const int descriptor : {pipe_read_, pipe_write_}) {
    if (descriptor >= 0) close(descriptor);
  }
}

Status TerminalSignals::open() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    return error("terminal: cannot make a pipe: {}", std::strerror(errno));
  }
  pipe_read_ = ends[0];
  pipe_write_ = ends[1];
  return {};
}

void TerminalSignals::install(int output, const std::string& restore, const termios& modes) {
  const std::size_t length = std::min(restore.size(), restore_bytes.size());
  std::memcpy(restore_bytes.data(), restore.data(), length);
  restore_length = static_cast<std::sig_atomic_t>(length);
  restore_modes = modes;
  restore_output = output;
  signal_pipe = pipe_write_;
  for (const int number : handled_signals()) {
    install_one(number, note_signal, SA_RESTART, &before_[number]);
  }
  for (const int number : crash_signals) {
    install_one(number, restore_and_crash, 0, &before_[number]);
  }
}

void TerminalSignals::remove() {
  if (before_.empty()) return;
  for (const auto& [number, found] : before_) sigaction(number, &found, nullptr);
  before_.clear();
  signal_pipe = -1;
}

PendingSignals TerminalSignals::take() {
  PendingSignals noted;
  std::array<char, 256> letters{};
  ssize_t length = 0;
  while ((length = ::read(pipe_read_, letters.data(), letters.size())) > 0) {
    const std::string_view some(letters.data(), static_cast<std::size_t>(length));
    const auto has = [&](char letter) { return some.find(letter) != std::string_view::npos; };
    noted.resized = noted.resized || has('w');
    noted.stop = noted.stop || has('z');
    noted.continued = noted.continued || has('c');
    noted.end = noted.end || has('q');
  }
  return noted;
}

void TerminalSignals::suspend_self() {
  std::signal(SIGTSTP, SIG_DFL);
  raise(SIGTSTP);
  install_one(SIGTSTP, note_signal, SA_RESTART, nullptr);
}

}  // namespace drover::tui
