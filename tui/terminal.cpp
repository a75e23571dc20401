// Canvases to the screen, keys from it: curses knows the terminal and reads its keys, the painter
// writes the frames. Signals and key presses meet in one descriptor: an epoll set of standard input
// and of a pipe that signal handlers write to.
#include "tui/terminal.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <map>
#include <string>

#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define NCURSES_NOMACROS 1
#include <curses.h>
#include <term.h>
#undef columns  // term.h makes macros of such words
#undef lines

#include "tui/painter.h"
#include "tui/palette.h"

namespace drover::tui {
namespace {

constexpr int escape_delay_ms = 25;  // longer than the bytes of one key are ever apart locally
constexpr std::array crash_signals = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE,
                                      SIGILL,  SIGTRAP, SIGSYS, SIGXFSZ};

/// Signals for the loop: a new size, a stop, and all that others may send to end a process, which
/// end the dashboard in order: nobody wants a broken terminal.
std::vector<int> noted_signals() {
  std::vector<int> numbers = {SIGWINCH, SIGTSTP, SIGINT,  SIGTERM,   SIGHUP,  SIGQUIT, SIGUSR1,
                              SIGUSR2,  SIGALRM, SIGXCPU, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR};
  for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) numbers.push_back(number);
  return numbers;
}

// What handlers may touch: set before they are installed, never freed while they are.
volatile std::sig_atomic_t signal_pipe = -1;
std::array<char, 256> restore_bytes{};
volatile std::sig_atomic_t restore_length = 0;
termios modes_before{};
volatile std::sig_atomic_t modes_known = 0;

extern "C" void note_signal(int number) {
  const int saved = errno;
  const char letter = number == SIGWINCH ? 'w' : number == SIGTSTP ? 'z' : 'q';
  // A full pipe has told all there is to tell.
  if (signal_pipe >= 0 && write(signal_pipe, &letter, 1) < 0) errno = saved;
  errno = saved;
}

extern "C" void restore_and_crash(int number) {
  if (restore_length > 0) {
    const ssize_t written =
        write(STDOUT_FILENO, restore_bytes.data(), static_cast<std::size_t>(restore_length));
    (void)written;  // there is no way left to complain
  }
  if (modes_known) tcsetattr(STDIN_FILENO, TCSANOW, &modes_before);
  std::signal(number, SIG_DFL);
  raise(number);
}

std::string* gathered = nullptr;

int gather(int letter) {
  gathered->push_back(static_cast<char>(letter));
  return letter;
}

void install(int number, void (*handler)(int), int flags, struct sigaction* before) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, before);
}

/// What makes the terminal do something, padding and all; empty when it cannot.
std::string ability(const char* name, int first = 0, int second = 0) {
  const char* text = tigetstr(name);
  if (text == nullptr || text == reinterpret_cast<const char*>(-1)) return {};
  std::string bytes;
  gathered = &bytes;
  tputs(tiparm(text, first, second), 1, gather);
  gathered = nullptr;
  return bytes;
}

/// Waits where the terminal is slow; gives up where it is gone.
void write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd wait{STDOUT_FILENO, POLLOUT, 0};
      if (poll(&wait, 1, -1) < 0 && errno != EINTR) return;
    } else if (errno != EINTR) {
      return;
    }
  }
}

/// What leaves the alternate screen and shows the cursor, for handlers that cannot ask ncurses.
void prepare_restore() {
  std::string bytes = ability("sgr0") + ability("rmcup") + ability("cnorm") + ability("rmkx");
  bytes += "\r\n";
  const std::size_t length = std::min(bytes.size(), restore_bytes.size());
  std::memcpy(restore_bytes.data(), bytes.data(), length);
  restore_length = static_cast<std::sig_atomic_t>(length);
}

struct NamedKey {
  int code;
  const char* name;
};
constexpr std::array<NamedKey, 15> named_keys = {{{KEY_UP, "Up"},
                                                  {KEY_DOWN, "Down"},
                                                  {KEY_LEFT, "Left"},
                                                  {KEY_RIGHT, "Right"},
                                                  {KEY_PPAGE, "PgUp"},
                                                  {KEY_NPAGE, "PgDn"},
                                                  {KEY_HOME, "Home"},
                                                  {KEY_END, "End"},
                                                  {KEY_BTAB, "Shift-Tab"},
                                                  {KEY_ENTER, "Enter"},
                                                  {KEY_BACKSPACE, "Backspace"},
                                                  {KEY_DC, "Delete"},
                                                  {KEY_IC, "Insert"},
                                                  {KEY_FIND, "Home"},
                                                  {KEY_SELECT, "End"}}};

std::string name_of_code(wint_t code) {
  for (const NamedKey& key : named_keys) {
    if (static_cast<wint_t>(key.code) == code) return key.name;
  }
  if (code >= static_cast<wint_t>(KEY_F(1)) && code <= static_cast<wint_t>(KEY_F(12))) {
    return "F" + std::to_string(code - static_cast<wint_t>(KEY_F(0)));
  }
  return {};
}

std::string name_of_character(wint_t character) {
  switch (character) {
    case '\t':
      return "Tab";
    case '\r':
    case '\n':
      return "Enter";
    case 0x1B:
      return "Esc";
    case 0x7F:
    case '\b':
      return "Backspace";
    case ' ':
      return "Space";
    default:
      break;
  }
  if (character < 0x20) return std::string("Ctrl-") + static_cast<char>('@' + character);
  std::array<char, 16> bytes{};
  std::mbstate_t state{};
  const std::size_t length = std::wcrtomb(bytes.data(), static_cast<wchar_t>(character), &state);
  if (length == static_cast<std::size_t>(-1)) return {};
  return std::string(bytes.data(), length);
}

Size window_size() {
  winsize window{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0 || window.ws_row == 0) {
    return {80, 24};
  }
  return {window.ws_col, window.ws_row};
}

}  // namespace

struct Terminal::State {
  SCREEN* screen = nullptr;
  int waiting = -1;  // the epoll set
  int pipe_read = -1, pipe_write = -1;
  std::map<int, struct sigaction> before;  // by signal, while ours are installed
  bool utf8 = false;
  WINDOW* input = nullptr;  // a pad: reading from it never draws
  TerminalWords words;
  Canvas shown{Size{0, 0}};
  bool repaint = true;

  Status watch();
  void install_handlers();
  void remove_handlers();
  void choose_words(Colours wanted);
  void suspend();
  void close_all();
};

Status Terminal::State::watch() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    return error("terminal: cannot make a pipe: {}", std::strerror(errno));
  }
  pipe_read = ends[0];
  pipe_write = ends[1];
  waiting = epoll_create1(EPOLL_CLOEXEC);
  if (waiting < 0) return error("terminal: cannot wait for keys: {}", std::strerror(errno));
  for (const int source : {STDIN_FILENO, pipe_read}) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = source;
    if (epoll_ctl(waiting, EPOLL_CTL_ADD, source, &event) != 0) {
      return error("terminal: cannot wait for keys on standard input: {}", std::strerror(errno));
    }
  }
  return {};
}

void Terminal::State::install_handlers() {
  signal_pipe = pipe_write;
  for (const int number : noted_signals()) {
    install(number, note_signal, SA_RESTART, &before[number]);
  }
  for (const int number : crash_signals) install(number, restore_and_crash, 0, &before[number]);
}

void Terminal::State::remove_handlers() {
  if (before.empty()) return;
  for (const auto& [number, found] : before) sigaction(number, &found, nullptr);
  before.clear();
  signal_pipe = -1;
  restore_length = 0;
}

void Terminal::State::choose_words(Colours wanted) {
  int colours = 0;
  const char* no_colour = std::getenv("NO_COLOR");  // https://no-color.org: set and not empty
  const bool refused = no_colour != nullptr && *no_colour != '\0';
  if (wanted == Colours::detect && !refused && tigetnum("colors") >= 8 &&
      !ability("setaf").empty()) {
    colours = tigetnum("colors") >= 256 ? 256 : 8;
  }
  words.colours_rich = colours == 256;
  words.unicode = utf8;
  words.corner_scrolls = tigetflag("am") == 1 && tigetflag("xenl") != 1;
  words.cursor_shows = ability("civis").empty();
  words.clear = ability("clear");
  words.move = [](int row, int column) { return ability("cup", row, column); };
  for (int i = 0; i < role_count; ++i) {
    const RoleFacts& role = facts(static_cast<Role>(i));
    const std::uint8_t look = colours > 0 ? role.look : role.look_mono;
    std::string text = ability("sgr0");
    // No line-drawing characters are ever switched on, so they need not be switched off.
    if (text.starts_with("\x1b(B")) text.erase(0, 3);
    if (look & look_bold) text += ability("bold");
    if (look & look_dim) text += ability("dim");
    if (look & look_reverse) text += ability("rev");
    const std::int16_t ink = colours == 256 ? role.ink_256 : role.ink_8;
    const std::int16_t ground = colours == 256 ? role.ground_256 : role.ground_8;
    if (colours > 0 && ink >= 0) text += ability("setaf", ink);
    if (colours > 0 && ground >= 0) text += ability("setab", ground);
    words.role[static_cast<std::size_t>(i)] = std::move(text);
  }
}

/// Stopped by the job control of the shell, which must find its terminal as it left it.
void Terminal::State::suspend() {
  endwin();
  std::signal(SIGTSTP, SIG_DFL);
  raise(SIGTSTP);  // goes on here after `fg`; at once where no shell could wake us
  install(SIGTSTP, note_signal, SA_RESTART, nullptr);
  refresh();
  repaint = true;
}

void Terminal::State::close_all() {
  if (screen != nullptr) {
    if (input != nullptr) delwin(input);
    endwin();
    delscreen(screen);
  }
  remove_handlers();  // last: a signal until here finds its handler
  for (const int descriptor : {waiting, pipe_read, pipe_write}) {
    if (descriptor >= 0) close(descriptor);
  }
}

Terminal::Terminal(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<Terminal>> Terminal::open(Colours colours) {
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
    return error("no terminal: the dashboard needs one as standard input and output; found {}",
                 isatty(STDOUT_FILENO) ? "standard input from elsewhere" : "a pipe or a file");
  }
  const char* name = std::getenv("TERM");
  if (name == nullptr || *name == '\0') {
    return error(
        "TERM is not set: the dashboard needs to know the kind of terminal; "
        "try TERM=xterm-256color");
  }
  int known = 0;
  if (setupterm(name, STDOUT_FILENO, &known) != OK) {
    return error("TERM={}: {}; try TERM=xterm-256color", name,
                 known == -1 ? "the terminal database was not found"
                             : "this kind of terminal is not in the database, or too simple");
  }
  // Without cursor addressing ncurses would write line after line for ever.
  const char* address = tigetstr("cup");
  if (address == nullptr || address == reinterpret_cast<const char*>(-1)) {
    return error("TERM={}: this terminal cannot move its cursor; try TERM=xterm-256color", name);
  }
  std::setlocale(LC_ALL, "");
  auto state = std::make_unique<State>();
  state->utf8 = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  set_escdelay(escape_delay_ms);
  modes_known = tcgetattr(STDIN_FILENO, &modes_before) == 0 ? 1 : 0;
  state->screen = newterm(name, stdout, stdin);
  if (state->screen == nullptr) {
    return error("TERM={}: this terminal cannot move its cursor; try TERM=xterm-256color", name);
  }
  std::unique_ptr<Terminal> terminal(new Terminal(std::move(state)));
  if (Status watched = terminal->state_->watch(); !watched) return watched.error();
  set_term(terminal->state_->screen);
  raw();  // Ctrl-C is a key like others
  noecho();
  nonl();
  curs_set(0);
  refresh();  // enters the alternate screen; from now on curses writes nothing by itself
  terminal->state_->input = newpad(1, 1);
  if (terminal->state_->input == nullptr) return error("terminal: no memory for reading keys");
  keypad(terminal->state_->input, TRUE);
  nodelay(terminal->state_->input, TRUE);
  terminal->state_->choose_words(colours);
  prepare_restore();
  terminal->state_->install_handlers();
  return terminal;
}

Terminal::~Terminal() { state_->close_all(); }

Size Terminal::size() const { return window_size(); }

int Terminal::descriptor() const { return state_->waiting; }

bool Terminal::unicode() const { return state_->utf8; }

std::vector<Key> Terminal::keys() {
  std::vector<Key> keys;
  std::array<char, 64> letters{};
  bool resized = false;
  bool suspended = false;
  ssize_t length = 0;
  while ((length = read(state_->pipe_read, letters.data(), letters.size())) > 0) {
    const std::string_view noted(letters.data(), static_cast<std::size_t>(length));
    if (noted.find('w') != std::string_view::npos) resized = true;
    if (noted.find('z') != std::string_view::npos) suspended = true;
    if (noted.find('q') != std::string_view::npos) keys.push_back({"Ctrl-C"});
  }
  wint_t code = 0;
  for (int status = wget_wch(state_->input, &code); status != ERR;
       status = wget_wch(state_->input, &code)) {
    std::string name = status == KEY_CODE_YES ? name_of_code(code) : name_of_character(code);
    if (name == "Ctrl-L") state_->repaint = true;
    if (name == "Ctrl-Z") suspended = true;
    if (!name.empty()) keys.push_back({std::move(name)});
  }
  if (suspended) {
    state_->suspend();
    resized = true;
  }
  // A terminal that has gone away reads as the end of input: there is nobody left to show to.
  if (keys.empty() && !resized) {
    epoll_event event{};
    if (epoll_wait(state_->waiting, &event, 1, 0) == 1 && (event.events & (EPOLLHUP | EPOLLERR))) {
      keys.push_back({"Ctrl-C"});
    }
  }
  if (resized) {
    state_->repaint = true;  // some terminals reflow what they show
    keys.push_back({"Resize"});
  }
  return keys;
}

void Terminal::show(const Canvas& canvas) {
  State& state = *state_;
  const std::string bytes = paint(state.words, state.repaint ? nullptr : &state.shown, canvas);
  state.shown = canvas;
  state.repaint = false;
  write_all(bytes);
}

}  // namespace drover::tui
