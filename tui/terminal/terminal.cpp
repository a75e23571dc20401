// The terminal database says what the terminal can do; the key reader takes its bytes apart, the
// frame stream makes what it is sent, the port moves both.
#include "tui/terminal/terminal.h"

#include <algorithm>
#include <array>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include <langinfo.h>
#include <unistd.h>

#define NCURSES_NOMACROS 1
#include <curses.h>
#include <term.h>
#undef columns  // term.h makes macros of such words
#undef lines

#include "tui/canvas/role_words.h"
#include "tui/terminal/key_reader.h"
#include "tui/terminal/terminal_port.h"
#include "tui/terminal/terminal_signals.h"

namespace drover::tui {
namespace {

using Moment = TerminalPort::Moment;

// A window that is dragged larger asks for a new frame at every step.
constexpr Moment resize_pause{33};

// A terminal that takes nothing is left as it is after so long: who ends the program waits for it.
constexpr Moment leave_patience{300};

// Cancels whatever sequence was half written (ECMA-48 leaves it undefined; all terminals do so).
constexpr std::string_view cancel = "\x18";

// Buttons, drags while one is down, in reports that know no last column; pastes in brackets.
constexpr std::string_view mouse_on = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
constexpr std::string_view mouse_off = "\x1b[?1006l\x1b[?1002l\x1b[?1000l";
constexpr std::string_view paste_on = "\x1b[?2004h";
constexpr std::string_view paste_off = "\x1b[?2004l";

std::string* gathered = nullptr;

int gather(int letter) {
  gathered->push_back(static_cast<char>(letter));
  return letter;
}

/// The database's text with padding and all, ready to be written.
std::string padded(const char* text) {
  std::string bytes;
  gathered = &bytes;
  tputs(text, 1, gather);
  gathered = nullptr;
  return bytes;
}

/// What the database holds under this name; null when the terminal cannot.
const char* entry(const char* name) {
  const char* text = tigetstr(name);
  return text == reinterpret_cast<const char*>(-1) ? nullptr : text;
}

/// What makes the terminal do something; empty when it cannot.
std::string ability(const char* name, int first = 0, int second = 0) {
  const char* text = entry(name);
  return text == nullptr ? std::string() : padded(tiparm(text, first, second));
}

struct DatabaseKey {
  const char* entry;
  std::string_view name;
};
constexpr std::array database_keys = {
    DatabaseKey{"kcuu1", "Up"},       DatabaseKey{"kcud1", "Down"},
    DatabaseKey{"kcub1", "Left"},     DatabaseKey{"kcuf1", "Right"},
    DatabaseKey{"kpp", "PgUp"},       DatabaseKey{"knp", "PgDn"},
    DatabaseKey{"khome", "Home"},     DatabaseKey{"kend", "End"},
    DatabaseKey{"kcbt", "Shift-Tab"}, DatabaseKey{"kdch1", "Delete"},
    DatabaseKey{"kich1", "Insert"},   DatabaseKey{"kent", "Enter"},
    DatabaseKey{"kf1", "F1"},         DatabaseKey{"kf2", "F2"},
    DatabaseKey{"kf3", "F3"},         DatabaseKey{"kf4", "F4"},
    DatabaseKey{"kf5", "F5"},         DatabaseKey{"kf6", "F6"},
    DatabaseKey{"kf7", "F7"},         DatabaseKey{"kf8", "F8"},
    DatabaseKey{"kf9", "F9"},         DatabaseKey{"kf10", "F10"},
    DatabaseKey{"kf11", "F11"},       DatabaseKey{"kf12", "F12"},
};

std::vector<KeySequence> keys_of_database() {
  std::vector<KeySequence> keys;
  for (const DatabaseKey& key : database_keys) {
    if (const char* text = entry(key.entry)) keys.push_back({text, key.name});
  }
  return keys;
}

DescribedTerminal described_terminal() {
  return {tigetnum("colors"),
          [](const char* name, int parameter) { return ability(name, parameter); }};
}

Colours colours_of(const TerminalOptions& options, const DescribedTerminal& terminal) {
  if (options.colours != Colours::detect) return options.colours;
  const char* no_colour = std::getenv("NO_COLOR");  // https://no-color.org: set and not empty
  return detected_colours(terminal, no_colour != nullptr && *no_colour != '\0');
}

TerminalWords words_of(const TerminalOptions& options, bool utf8) {
  const DescribedTerminal described = described_terminal();
  const Colours colours = colours_of(options, described);
  TerminalWords words;
  words.role = role_words(described, options.theme, colours);
  words.colours_rich = colours == Colours::many;
  words.unicode = utf8 || options.unicode;
  words.corner_scrolls = tigetflag("am") == 1 && tigetflag("xenl") != 1;
  words.cursor_shows = entry("civis") == nullptr;
  words.clear = ability("clear");
  words.clear_rest = ability("el");
  words.back = ability("cub1");
  // A line feed, which another terminal than the one whose modes we set would begin a line with.
  if (TerminalPort::is_one()) words.down = ability("cud1");
  words.move = [address = entry("cup")](int row, int column) {
    return padded(tiparm(address, row, column));
  };
  if (const char* right = entry("cuf")) {
    words.right = [right](int cells) { return padded(tiparm(right, cells)); };
  }
  return words;
}

std::size_t frame_bytes(const TerminalOptions& options) {
  const std::size_t usual =
      std::getenv("SSH_CONNECTION") == nullptr ? frame_bytes_unlimited : frame_bytes_remote;
  return std::max(options.bytes_per_frame.value_or(usual), frame_bytes_min);
}

/// The kind of terminal, from here on the database's; an error when it is not one that will do.
Status choose_kind() {
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
  if (entry("cup") == nullptr) {
    return error("TERM={}: this terminal cannot move its cursor; try TERM=xterm-256color", name);
  }
  return {};
}

}  // namespace

struct Terminal::State {
  State(const TerminalOptions& chosen, bool is_utf8)
      : options(chosen),
        utf8(is_utf8),
        reader(keys_of_database()),
        stream(words_of(chosen, is_utf8), frame_bytes(chosen)) {}

  TerminalOptions options;
  bool utf8 = false;
  TerminalPort port;
  TerminalSignals signals;
  KeyReader reader;
  FrameStream stream;
  std::string enter_bytes, leave_bytes;
  std::string_view mouse_on_bytes, mouse_off_bytes;  // empty where the terminal knows no mouse
  bool away = true;      // the terminal is the shell's, or another program's
  bool resized = false;  // to be told
  Moment resized_at{0};  // when it was told last

  void choose_bytes();
  Status start();
  void enter();
  void leave();
  void suspend();
  void take_signals(std::vector<Key>& keys);
  void take_input(std::vector<Key>& keys);
  void write_on();
  void set_timer();
};

void Terminal::State::choose_bytes() {
  // Terminals that the database gives a mouse know these modes, or leave them be.
  const bool modern = entry("kmous") != nullptr;
  enter_bytes = ability("smcup") + ability("smkx") + ability("civis");
  if (modern) enter_bytes += paste_on;
  mouse_on_bytes = modern ? mouse_on : "";
  mouse_off_bytes = modern ? mouse_off : "";
  // Off in any case: it may have been on for a while, and a crash says what was so at the start.
  leave_bytes = mouse_off_bytes;
  if (modern) leave_bytes += paste_off;
  leave_bytes += ability("sgr0") + ability("rmkx") + ability("cnorm");
  const std::string back = ability("rmcup");
  leave_bytes += back.empty() ? "\r\n" : back;
}

Status Terminal::State::start() {
  if (const Status opened = port.open(); !opened) return opened;
  if (const Status opened = signals.open(); !opened) return opened;
  if (const Status watched = port.watch(signals.descriptor()); !watched) return watched;
  choose_bytes();
  // What a crash has to say begins on a line of its own.
  signals.install(port.output(), std::string(cancel) + leave_bytes + "\r\n", port.modes_found());
  enter();
  return port.status();
}

/// From the background nothing is touched: the shell has its own modes on, and would stop us.
void Terminal::State::enter() {
  away = !port.in_front();
  port.listen(!away);
  if (away) return;
  port.set_modes();
  stream.begin_with(enter_bytes);
  if (options.mouse) stream.begin_with(mouse_on_bytes);
  write_on();
  resized = true;  // there may have been another size in the meantime
}

void Terminal::State::leave() {
  if (away || !port.in_front()) return;
  const bool gone = port.write_within(stream.pending(), leave_patience);
  if (!gone && stream.drop()) port.write_within(cancel, leave_patience);
  stream.drop();
  port.write_within(leave_bytes, leave_patience);
  port.restore_modes();
}

/// Stopped by the job control of the shell, which must find its terminal as it left it.
void Terminal::State::suspend() {
  leave();
  signals.stop_here();
  enter();
}

void Terminal::State::take_signals(std::vector<Key>& keys) {
  const NotedSignals noted = signals.take();
  if (noted.end) keys.push_back({"Ctrl-C"});
  if (noted.resized) resized = true;
  if (noted.stop) {
    suspend();
  } else if (noted.went_on || away) {
    enter();  // the shell has had the terminal
  }
}

void Terminal::State::take_input(std::vector<Key>& keys) {
  const Moment now = TerminalPort::now();
  const std::string bytes = port.read();
  std::vector<Key> taken;
  if (!bytes.empty()) {
    taken = reader.read(bytes, now);
  } else if (reader.waiting() && now >= reader.deadline()) {
    taken = reader.give_up();
  }
  bool stop = false;
  for (Key& key : taken) {
    if (key.name == "Ctrl-L") stream.forget();
    if (key.name == "Ctrl-Z") {
      stop = true;
    } else {
      keys.push_back(std::move(key));
    }
  }
  if (stop) suspend();
}

void Terminal::State::write_on() {
  if (away) return port.wake_when_writable(false);
  if (!stream.ready()) stream.sent(port.write(stream.pending()));
  port.wake_when_writable(!stream.ready());
}

/// Wakes the loop for what comes of time alone.
void Terminal::State::set_timer() {
  std::optional<Moment> next;
  const auto add = [&next](Moment moment) { next = next ? std::min(*next, moment) : moment; };
  if (reader.waiting()) add(reader.deadline());
  if (resized) add(resized_at + resize_pause);
  if (stream.cut()) add(stream.rest_at());
  port.wake_at(next);
}

Terminal::Terminal(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<Terminal>> Terminal::open(const TerminalOptions& options) {
  if (const Status found = TerminalPort::check(); !found) return found.error();
  if (const Status known = choose_kind(); !known) return known.error();
  std::setlocale(LC_ALL, "");
  const bool utf8 = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  std::unique_ptr<Terminal> terminal(new Terminal(std::make_unique<State>(options, utf8)));
  if (const Status started = terminal->state_->start(); !started) return started.error();
  return terminal;
}

Terminal::~Terminal() {
  state_->leave();
  state_->signals.remove();  // last: a signal until here finds its handler
  del_curterm(cur_term);
}

Size Terminal::size() const { return state_->port.size(); }

int Terminal::descriptor() const { return state_->port.descriptor(); }

bool Terminal::unicode() const { return state_->utf8; }

Status Terminal::status() { return state_->port.status(); }

std::vector<Key> Terminal::keys() {
  State& state = *state_;
  std::vector<Key> keys;
  state.take_signals(keys);
  if (!state.away) state.take_input(keys);
  state.write_on();
  if (!state.port.status()) keys.push_back({"Ctrl-C"});
  const Moment now = TerminalPort::now();
  if (state.resized && now >= state.resized_at + resize_pause) {
    state.resized = false;
    state.resized_at = now;
    state.stream.forget();  // some terminals reflow what they show
    keys.push_back({"Resize"});
  }
  state.set_timer();
  return keys;
}

bool Terminal::ready() const { return !state_->away && state_->stream.ready(); }

void Terminal::skip() { state_->stream.skip(TerminalPort::now()); }

bool Terminal::wants_rest() const {
  return ready() && state_->stream.cut() && TerminalPort::now() >= state_->stream.rest_at();
}

void Terminal::restyle(const TerminalOptions& options) {
  state_->options.theme = options.theme;
  state_->options.colours = options.colours;
  state_->options.unicode = options.unicode;
  state_->options.bytes_per_frame = options.bytes_per_frame;
  state_->stream.restyle(words_of(state_->options, state_->utf8), frame_bytes(state_->options));
  if (std::exchange(state_->options.mouse, options.mouse) == options.mouse || state_->away) return;
  state_->stream.begin_with(options.mouse ? state_->mouse_on_bytes : state_->mouse_off_bytes);
}

void Terminal::show(const Canvas& canvas) {
  state_->stream.show(canvas, TerminalPort::now());
  state_->write_on();
  state_->set_timer();
}

void Terminal::ring() { state_->stream.ring(); }

TerminalFigures Terminal::figures() const { return state_->stream.figures(TerminalPort::now()); }

}  // namespace drover::tui
