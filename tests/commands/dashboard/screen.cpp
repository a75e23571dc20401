#include "tests/commands/dashboard/screen.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utmp.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace drover::commands {

namespace {

std::size_t character_bytes(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}

}  // namespace

Screen::Screen(int columns, int rows)
    : columns_(columns),
      rows_(rows),
      cells_(static_cast<std::size_t>(rows),
             std::vector<std::string>(static_cast<std::size_t>(columns), " ")) {}

void Screen::feed_line() {
  if (row_ + 1 < rows_) {
    ++row_;
    return;
  }
  cells_.erase(cells_.begin());
  cells_.emplace_back(static_cast<std::size_t>(columns_), " ");
}

void Screen::put(const std::string& character) {
  if (column_ >= columns_) {
    column_ = 0;
    feed_line();
  }
  cells_[static_cast<std::size_t>(row_)][static_cast<std::size_t>(column_++)] = character;
  last_ = character;
}

void Screen::control(char final, const std::string& parameters) {
  std::vector<int> numbers;
  int number = 0;
  bool any = false;
  for (const char c : parameters + ";") {
    if (c == ';') {
      numbers.push_back(any ? number : 0);
      number = 0;
      any = false;
    } else if (c >= '0' && c <= '9') {
      number = number * 10 + (c - '0');
      any = true;
    }
  }
  const int first = numbers[0];
  const int count = std::max(1, first);
  auto& line = cells_[static_cast<std::size_t>(row_)];
  const auto blank = [](std::vector<std::string>& cells, int from, int to) {
    for (int i = from; i < to; ++i) cells[static_cast<std::size_t>(i)] = " ";
  };
  const int here = std::min(column_, columns_ - 1);
  switch (final) {
    case 'H':
    case 'f':
      row_ = std::clamp(first - 1, 0, rows_ - 1);
      column_ = std::clamp((numbers.size() > 1 ? numbers[1] : 1) - 1, 0, columns_ - 1);
      break;
    case 'A':
      row_ = std::max(0, row_ - count);
      break;
    case 'B':
      row_ = std::min(rows_ - 1, row_ + count);
      break;
    case 'C':
      column_ = std::min(columns_ - 1, column_ + count);
      break;
    case 'D':
      column_ = std::max(0, column_ - count);
      break;
    case 'G':
      column_ = std::clamp(count - 1, 0, columns_ - 1);
      break;
    case 'd':
      row_ = std::clamp(count - 1, 0, rows_ - 1);
      break;
    case 'K':
      if (first == 0) blank(line, here, columns_);
      if (first == 1) blank(line, 0, here + 1);
      if (first == 2) blank(line, 0, columns_);
      break;
    case 'J':
      if (first == 0) {
        blank(line, here, columns_);
        for (int i = row_ + 1; i < rows_; ++i)
          blank(cells_[static_cast<std::size_t>(i)], 0, columns_);
      } else {
        for (auto& each : cells_) blank(each, 0, columns_);
      }
      break;
    case 'X':
      blank(line, here, std::min(columns_, here + count));
      break;
    case 'b':
      for (int i = 0; i < count; ++i) put(last_);
      break;
    case 'P':
      line.erase(line.begin() + here, line.begin() + std::min(columns_, here + count));
      line.resize(static_cast<std::size_t>(columns_), " ");
      break;
    case '@':
      line.insert(line.begin() + here, static_cast<std::size_t>(count), " ");
      line.resize(static_cast<std::size_t>(columns_));
      break;
    default:
      break;  // colours, modes, regions: they move no text that tests read
  }
}

void Screen::write(const std::string& bytes) {
  pending_ += bytes;
  std::size_t at = 0;
  while (at < pending_.size()) {
    const char c = pending_[at];
    const std::size_t left = pending_.size() - at;
    if (c == '\x1b') {
      if (left < 2) break;
      const char kind = pending_[at + 1];
      if (kind == '[') {
        std::size_t end = at + 2;
        while (end < pending_.size() && (pending_[end] < 0x40 || pending_[end] > 0x7e)) ++end;
        if (end == pending_.size()) break;
        control(pending_[end], pending_.substr(at + 2, end - at - 2));
        at = end + 1;
      } else if (kind == ']') {  // the clipboard: up to BEL or ST
        const std::size_t end = pending_.find_first_of("\a\x1b", at + 2);
        const std::size_t size = end == std::string::npos || pending_[end] == '\a' ? 1 : 2;
        if (end == std::string::npos || end + size > pending_.size()) break;
        at = end + size;
      } else {
        const std::size_t size = kind == '(' || kind == ')' ? 3 : 2;
        if (left < size) break;
        at += size;
      }
    } else if (c == '\r') {
      column_ = 0;
      ++at;
    } else if (c == '\n') {
      feed_line();
      ++at;
    } else if (c == '\b') {
      column_ = std::max(0, column_ - 1);
      ++at;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      ++at;
    } else {
      const std::size_t size = character_bytes(static_cast<unsigned char>(c));
      if (left < size) break;
      put(pending_.substr(at, size));
      at += size;
    }
  }
  pending_.erase(0, at);
}

void Screen::clear() { *this = Screen(columns_, rows_); }

std::string Screen::text() const {
  std::string text;
  for (const auto& line : cells_) {
    for (const std::string& cell : line) text += cell;
    text += '\n';
  }
  return text;
}

PseudoTerminal::PseudoTerminal(const std::vector<std::string>& words, int columns, int rows,
                               const PseudoTerminalOptions& options)
    : screen_(columns, rows) {
  std::vector<std::string> all = {"drover"};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  winsize size{static_cast<unsigned short>(rows), static_cast<unsigned short>(columns), 0, 0};
  const std::string state_home = options.state_home.empty() ? state_.path() : options.state_home;
  int slave = -1;
  if (openpty(&master_, &slave, nullptr, nullptr, &size) != 0) return;
  tcgetattr(slave, &before_);
  int input_slave = -1;
  if (options.input_apart && openpty(&input_, &input_slave, nullptr, nullptr, &size) != 0) {
    return;
  }
  pid_ = fork();
  if (pid_ == 0) {
    close(master_);
    login_tty(slave);
    if (input_slave >= 0) dup2(input_slave, STDIN_FILENO);
    for (const int descriptor : {input_, input_slave}) close(descriptor);
    if (!options.err_path.empty()) {
      const int err = open(options.err_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      dup2(err, STDERR_FILENO);
      close(err);
    }
    setenv("TERM", options.name.c_str(), 1);
    unsetenv("SSH_CONNECTION");
    unsetenv("COLORTERM");
    if (!options.colour_term.empty()) setenv("COLORTERM", options.colour_term.c_str(), 1);
    setenv("XDG_STATE_HOME", state_home.c_str(), 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    unsetenv("DROVER_CONNECT");
    setenv("XDG_CONFIG_HOME", "/dev/null", 0);  // nobody's own settings, unless a test has some
    execv(DROVER_BINARY, arguments.data());
    _exit(127);
  }
  close(slave);
  if (input_slave >= 0) close(input_slave);
}

PseudoTerminal::~PseudoTerminal() {
  if (!ended_ && pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, &status_, 0);
  }
  hang_up();
  hang_up_input();
}

void PseudoTerminal::hang_up() {
  if (master_ >= 0) close(master_);
  master_ = -1;
}

void PseudoTerminal::hang_up_input() {
  if (input_ >= 0) close(input_);
  input_ = -1;
}

void PseudoTerminal::give_to_shell() {
  screen_.clear();
  tcsetattr(master_, TCSANOW, &before_);
}

void PseudoTerminal::read_some() {
  if (deaf_ || master_ < 0) return;
  pollfd watched{master_, POLLIN, 0};
  while (poll(&watched, 1, 0) > 0) {
    char block[8192];
    const ssize_t count = read(master_, block, sizeof block);
    if (count <= 0) return;
    const std::string bytes(block, static_cast<std::size_t>(count));
    output_ += bytes;
    screen_.write(bytes);
  }
}

void PseudoTerminal::type(const std::string& keys) {
  for (std::size_t sent = 0; sent < keys.size();) {
    const ssize_t count = write(master_, keys.data() + sent, keys.size() - sent);
    if (count <= 0) return;
    sent += static_cast<std::size_t>(count);
  }
}

void PseudoTerminal::resize(int columns, int rows) {
  screen_ = Screen(columns, rows);
  winsize size{static_cast<unsigned short>(rows), static_cast<unsigned short>(columns), 0, 0};
  ioctl(master_, TIOCSWINSZ, &size);
}

bool PseudoTerminal::shows(const std::string& text, std::chrono::seconds patience) {
  return eventually(
      [&] {
        read_some();
        return screen_.text().find(text) != std::string::npos;
      },
      patience);
}

bool PseudoTerminal::ends(std::chrono::seconds patience) {
  return eventually(
      [&] {
        read_some();
        if (!ended_) ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
        if (ended_) read_some();
        return ended_;
      },
      patience);
}

int PseudoTerminal::exit_code() const {
  return ended_ && WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
}

bool PseudoTerminal::mode_is_back(const std::string& number, char usual) const {
  const auto last = [&](char letter) {
    const std::size_t at = output_.rfind("\x1b[?" + number + letter);
    return at == std::string::npos ? -1 : static_cast<std::ptrdiff_t>(at);
  };
  const char other = usual == 'l' ? 'h' : 'l';
  return last(other) < 0 || last(usual) > last(other);
}

bool PseudoTerminal::restored() const {
  termios now{};
  if (tcgetattr(master_, &now) != 0) return false;
  // The alternate screen, the mouse, pastes in brackets; and the cursor, which is usually there.
  for (const char* number : {"1049", "1000", "1002", "1006", "2004"}) {
    if (!mode_is_back(number, 'l')) return false;
  }
  return mode_is_back("25", 'h') && now.c_lflag == before_.c_lflag &&
         now.c_iflag == before_.c_iflag && now.c_oflag == before_.c_oflag;
}

bool PseudoTerminal::raw() const {
  termios now{};
  return tcgetattr(master_, &now) == 0 && (now.c_lflag & (ICANON | ECHO | ISIG)) == 0;
}

}  // namespace drover::commands
