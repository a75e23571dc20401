#include "tui/terminal/tty.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

namespace drover::tui {
namespace {

// More than anyone types between two reads; a flood of input must not delay frames.
constexpr std::size_t read_bytes_max = 4096;

// Over a blocking descriptor, so little is written at once that a writable terminal takes it all.
constexpr std::size_t waiting_write_bytes = 64;

bool same_terminal(int one, int other) {
  unsigned device = 0;
  unsigned other_device = 0;
  return ioctl(one, TIOCGDEV, &device) == 0 && ioctl(other, TIOCGDEV, &other_device) == 0 &&
         device == other_device;
}

/// Opens the terminal of a standard descriptor again; -1 if it may not be opened by its name (it
/// belongs to another user, after su) and is not this process's controlling terminal.
int open_again(int standard, int direction) {
  std::array<char, 256> name{};
  if (ttyname_r(standard, name.data(), name.size()) != 0) name[0] = '\0';
  for (const char* path : {static_cast<const char*>(name.data()), "/dev/tty"}) {
    const int opened = ::open(path, direction | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (opened >= 0 && same_terminal(opened, standard)) return opened;
    if (opened >= 0) ::close(opened);
  }
  return -1;
}

bool would_wait(int code) { return code == EAGAIN || code == EWOULDBLOCK || code == EINTR; }

Status cannot_wait(int code) {
  return error("terminal: cannot wait for keys: {}", std::strerror(code));
}

}  // namespace

Tty::SteadyTime Tty::now() {
  return std::chrono::duration_cast<SteadyTime>(
      std::chrono::steady_clock::now().time_since_epoch());
}

Status Tty::check() {
  if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) return {};
  return error("no terminal: the dashboard needs one as standard input and output; found {}",
               isatty(STDOUT_FILENO) ? "redirected standard input" : "a pipe or a file");
}

bool Tty::is_one() { return same_terminal(STDIN_FILENO, STDOUT_FILENO); }

Tty::~Tty() {
  for (const int descriptor : {input_, output_, waiting_, timer_}) {
    if (descriptor >= 0) ::close(descriptor);
  }
}

Status Tty::open() {
  input_ = open_again(STDIN_FILENO, O_RDONLY);
  output_ = open_again(STDOUT_FILENO, O_WRONLY);
  own_output_ = output_ >= 0;
  if (input_ < 0) input_ = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  if (output_ < 0) output_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  waiting_ = epoll_create1(EPOLL_CLOEXEC);
  timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (input_ < 0 || output_ < 0 || waiting_ < 0 || timer_ < 0) return cannot_wait(errno);
  modes_known_ = tcgetattr(input_, &original_modes_) == 0;
  DROVER_TRY(watch(timer_));
  DROVER_TRY(watch(input_));
  return set_events(EPOLL_CTL_ADD, output_, 0) ? Status{} : cannot_wait(errno);
}

void Tty::set_modes() {
  if (!modes_known_) return;
  termios modes = original_modes_;
  modes.c_iflag &= ~tcflag_t{BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON};
  modes.c_oflag &= ~tcflag_t{OPOST};  // a line feed keeps the column
  modes.c_lflag &= ~tcflag_t{ECHO | ECHONL | ICANON | ISIG | IEXTEN};
  modes.c_cc[VMIN] = 1;
  modes.c_cc[VTIME] = 0;
  tcsetattr(input_, TCSANOW, &modes);
}

void Tty::restore_modes() {
  if (modes_known_) tcsetattr(input_, TCSANOW, &original_modes_);
}

bool Tty::set_events(int operation, int descriptor, unsigned events) const {
  epoll_event event{};
  event.events = events;
  event.data.fd = descriptor;
  return epoll_ctl(waiting_, operation, descriptor, &event) == 0;
}

Status Tty::watch(int descriptor) {
  return set_events(EPOLL_CTL_ADD, descriptor, EPOLLIN) ? Status{} : cannot_wait(errno);
}

void Tty::listen(bool wanted) { set_events(EPOLL_CTL_MOD, input_, wanted ? unsigned{EPOLLIN} : 0); }

bool Tty::is_foreground() const {
  const pid_t front = tcgetpgrp(input_);
  return front < 0 || front == getpgrp();
}

void Tty::wake_at(std::optional<SteadyTime> moment) {
  itimerspec when{};
  if (moment) {
    // Zero would mean never.
    const auto at = std::max(*moment, SteadyTime{1});
    when.it_value.tv_sec = static_cast<time_t>(at.count() / 1000);
    when.it_value.tv_nsec = static_cast<long>(at.count() % 1000 * 1'000'000);
  }
  timerfd_settime(timer_, TFD_TIMER_ABSTIME, &when, nullptr);  // also clears an expired timer
}

void Tty::wake_when_writable(bool wanted) {
  if (wanted == writable_wanted_) return;
  writable_wanted_ = wanted;
  set_events(EPOLL_CTL_MOD, output_, wanted ? unsigned{EPOLLOUT} : 0);
}

Size Tty::size() const {
  winsize window{};
  if (ioctl(output_, TIOCGWINSZ, &window) != 0 || window.ws_col == 0 || window.ws_row == 0) {
    return {80, 24};
  }
  return {window.ws_col, window.ws_row};
}

std::string Tty::read() {
  std::string bytes;
  // The descriptor may be blocking, so poll it first.
  pollfd ready{input_, POLLIN, 0};
  if (poll(&ready, 1, 0) <= 0) return bytes;
  bytes.resize(read_bytes_max);
  const ssize_t count = ::read(input_, bytes.data(), bytes.size());
  const int code = errno;
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  if (count == 0) lose("standard input has ended", 0);
  if (count < 0 && !would_wait(code)) lose("cannot read keys", code);
  return bytes;
}

std::size_t Tty::write(std::string_view bytes) {
  std::size_t taken = 0;
  while (taken < bytes.size()) {
    std::size_t size = bytes.size() - taken;
    if (!own_output_) {
      pollfd ready{output_, POLLOUT, 0};
      if (poll(&ready, 1, 0) <= 0) break;
      size = std::min(size, waiting_write_bytes);
    }
    const ssize_t count = ::write(output_, bytes.data() + taken, size);
    if (count < 0) {
      if (would_wait(errno)) break;
      output_lost_ = true;
      lose("cannot write", errno);
      break;
    }
    taken += static_cast<std::size_t>(count);
  }
  return taken;
}

bool Tty::write_within(std::string_view bytes, SteadyTime timeout) {
  const SteadyTime end = now() + timeout;
  while (!output_lost_) {
    bytes.remove_prefix(write(bytes));
    if (bytes.empty()) return true;
    const SteadyTime left = end - now();
    if (left <= SteadyTime{0}) return false;
    pollfd wait{output_, POLLOUT, 0};
    (void)poll(&wait, 1, static_cast<int>(left.count()));
  }
  return false;
}

Status Tty::status() {
  pollfd output{output_, 0, 0};
  if (lost_.empty() && poll(&output, 1, 0) > 0) lose("it hung up", 0);
  return lost_.empty() ? Status{} : error("the terminal is gone: {}", lost_);
}

void Tty::lose(const char* what, int code) {
  if (!lost_.empty()) return;
  lost_ = what;
  if (code != 0) lost_ += std::string(": ") + std::strerror(code);
}

}  // namespace drover::tui
