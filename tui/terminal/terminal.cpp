// The terminfo database has the terminal's capabilities; the key reader parses its input, the frame
// stream computes its output, and the tty transfers both.
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

#include "tui/canvas/style_sequences.h"
#include "tui/terminal/key_reader.h"
#include "tui/terminal/terminal_signals.h"
#include "tui/terminal/tty.h"

namespace drover::tui {
namespace {

using SteadyTime = Tty::SteadyTime;

// Limits the frames while a window is being resized by dragging.
constexpr SteadyTime resize_pause{33};

// A terminal that takes no output is not restored after this time, so that the program can end.
constexpr SteadyTime leave_timeout{300};

// CAN cancels a partly written sequence (ECMA-48 leaves that undefined; all terminals do so).
constexpr std::string_view cancel = "\x18";

// Reports of buttons and drags without a limit of columns; bracketed paste.
constexpr std::string_view mouse_on = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
constexpr std::string_view mouse_off = "\x1b[?1006l\x1b[?1002l\x1b[?1000l";
constexpr std::string_view paste_on = "\x1b[?2004h";
constexpr std::string_view paste_off = "\x1b[?2004l";

std::string* tputs_output = nullptr;

int append_output(int letter) {
  tputs_output->push_back(static_cast<char>(letter));
  return letter;
}

/// A sequence of the database with padding, ready to be written.
std::string padded(const char* text) {
  std::string bytes;
  tputs_output = &bytes;
  tputs(text, 1, append_output);
  tputs_output = nullptr;
  return bytes;
}

/// The string of the database with this name; null if the terminal has none.
const char* entry(const char* name) {
  const char* text = tigetstr(name);
  return text == reinterpret_cast<const char*>(-1) ? nullptr : text;
}

/// The bytes of a capability; empty if the terminal lacks it.
std::string capability(const char* name, int first = 0, int second = 0) {
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

TerminfoEntry described_terminal() {
  return {tigetnum("colors"),
          [](const char* name, int parameter) { return capability(name, parameter); }};
}

Colours colours_of(const TerminalOptions& options, const TerminfoEntry& terminal) {
  if (options.colours != Colours::detect) return options.colours;
  const char* no_colour = std::getenv("NO_COLOR");  // https://no-color.org: set and not empty
  return detected_colours(terminal, no_colour != nullptr && *no_colour != '\0');
}

TerminalSequences sequences_of(const TerminalOptions& options, bool utf8) {
  const TerminfoEntry described = described_terminal();
  const Colours colours = colours_of(options, described);
  TerminalSequences sequences;
  sequences.style = style_sequences(described, options.theme, colours);
  sequences.colours_rich = colours == Colours::many;
  sequences.unicode = utf8 || options.unicode;
  sequences.corner_scrolls = tigetflag("am") == 1 && tigetflag("xenl") != 1;
  sequences.cursor_shows = entry("civis") == nullptr;
  sequences.clear = capability("clear");
  sequences.clear_rest = capability("el");
  sequences.back = capability("cub1");
  // This may be a line feed, which returns to the first column unless our modes apply to the
  // output.
  if (Tty::is_one()) sequences.down = capability("cud1");
  sequences.move = [address = entry("cup")](int row, int column) {
    return padded(tiparm(address, row, column));
  };
  if (const char* right = entry("cuf")) {
    sequences.right = [right](int cells) { return padded(tiparm(right, cells)); };
  }
  return sequences;
}

std::size_t frame_bytes(const TerminalOptions& options) {
  const std::size_t usual =
      std::getenv("SSH_CONNECTION") == nullptr ? frame_bytes_unlimited : frame_bytes_remote;
  return std::max(options.bytes_per_frame.value_or(usual), frame_bytes_min);
}

/// Loads the entry of this kind of terminal; an error if it is unknown or too simple.
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
                             : "this kind of terminal is not in the database or is too simple");
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
        stream(sequences_of(chosen, is_utf8), frame_bytes(chosen)) {}

  TerminalOptions options;
  bool utf8 = false;
  Tty port;
  TerminalSignals signals;
  KeyReader reader;
  FrameStream stream;
  std::string enter_bytes, leave_bytes;
  std::string_view mouse_on_bytes, mouse_off_bytes;  // empty if the terminal has no mouse
  bool away = true;          // the shell or another program uses the terminal
  bool resized = false;      // a key "Resize" is due
  SteadyTime resized_at{0};  // of the last key "Resize"

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
  // Terminals with a mouse in the database support these modes or ignore them.
  const bool modern = entry("kmous") != nullptr;
  enter_bytes = capability("smcup") + capability("smkx") + capability("civis");
  if (modern) enter_bytes += paste_on;
  mouse_on_bytes = modern ? mouse_on : "";
  mouse_off_bytes = modern ? mouse_off : "";
  // Always switch off: it may be switched on later, and a crash uses the bytes from the start.
  leave_bytes = mouse_off_bytes;
  if (modern) leave_bytes += paste_off;
  leave_bytes += capability("sgr0") + capability("rmkx") + capability("cnorm");
  const std::string back = capability("rmcup");
  leave_bytes += back.empty() ? "\r\n" : back;
}

Status Terminal::State::start() {
  if (const Status opened = port.open(); !opened) return opened;
  if (const Status opened = signals.open(); !opened) return opened;
  if (const Status watched = port.watch(signals.descriptor()); !watched) return watched;
  choose_bytes();
  // The message of a crash begins on a new line.
  signals.install(port.output(), std::string(cancel) + leave_bytes + "\r\n", port.original_modes());
  enter();
  return port.status();
}

/// Does nothing in the background: the shell has set its own modes and would stop this process.
void Terminal::State::enter() {
  away = !port.is_foreground();
  port.listen(!away);
  if (away) return;
  port.set_modes();
  stream.begin_with(enter_bytes);
  if (options.mouse) stream.begin_with(mouse_on_bytes);
  write_on();
  resized = true;  // the size may have changed in the meantime
}

void Terminal::State::leave() {
  if (away || !port.is_foreground()) return;
  const bool gone = port.write_within(stream.pending(), leave_timeout);
  if (!gone && stream.drop()) port.write_within(cancel, leave_timeout);
  stream.drop();
  port.write_within(leave_bytes, leave_timeout);
  port.restore_modes();
}

/// Restores the terminal and stops this process, as the shell's job control requires.
void Terminal::State::suspend() {
  leave();
  signals.suspend_self();
  enter();
}

void Terminal::State::take_signals(std::vector<Key>& keys) {
  const PendingSignals noted = signals.take();
  if (noted.end) keys.push_back({"Ctrl-C"});
  if (noted.resized) resized = true;
  if (noted.stop) {
    suspend();
  } else if (noted.continued || away) {
    enter();  // the shell used the terminal
  }
}

void Terminal::State::take_input(std::vector<Key>& keys) {
  const SteadyTime now = Tty::now();
  const std::string bytes = port.read();
  std::vector<Key> taken;
  if (!bytes.empty()) {
    taken = reader.read(bytes, now);
  } else if (reader.waiting() && now >= reader.deadline()) {
    taken = reader.flush_incomplete();
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

/// Wakes the loop for events that depend on time only.
void Terminal::State::set_timer() {
  std::optional<SteadyTime> next;
  const auto add = [&next](SteadyTime moment) { next = next ? std::min(*next, moment) : moment; };
  if (reader.waiting()) add(reader.deadline());
  if (resized) add(resized_at + resize_pause);
  if (stream.cut()) add(stream.rest_at());
  port.wake_at(next);
}

Terminal::Terminal(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<Terminal>> Terminal::open(const TerminalOptions& options) {
  if (const Status found = Tty::check(); !found) return found.error();
  if (const Status known = choose_kind(); !known) return known.error();
  std::setlocale(LC_ALL, "");
  const bool utf8 = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  std::unique_ptr<Terminal> terminal(new Terminal(std::make_unique<State>(options, utf8)));
  if (const Status started = terminal->state_->start(); !started) return started.error();
  return terminal;
}

Terminal::~Terminal() {
  state_->leave();
  state_->signals.remove();  // last, so that handlers are installed until here
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
  const SteadyTime now = Tty::now();
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

void Terminal::skip() { state_->stream.skip(Tty::now()); }

bool Terminal::wants_rest() const {
  return ready() && state_->stream.cut() && Tty::now() >= state_->stream.rest_at();
}

void Terminal::restyle(const TerminalOptions& options) {
  state_->options.theme = options.theme;
  state_->options.colours = options.colours;
  state_->options.unicode = options.unicode;
  state_->options.bytes_per_frame = options.bytes_per_frame;
  state_->stream.restyle(sequences_of(state_->options, state_->utf8), frame_bytes(state_->options));
  if (std::exchange(state_->options.mouse, options.mouse) == options.mouse || state_->away) return;
  state_->stream.begin_with(options.mouse ? state_->mouse_on_bytes : state_->mouse_off_bytes);
}

void Terminal::show(const Canvas& canvas) {
  state_->stream.show(canvas, Tty::now());
  state_->write_on();
  state_->set_timer();
}

void Terminal::ring() { state_->stream.ring(); }

TerminalStats Terminal::stats() const { return state_->stream.stats(Tty::now()); }

}  // namespace drover::tui
