// The key reader parses the terminal's input, ncurses draws its output, the frame stream divides
// that into frames, and the tty transfers both.
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

#include "tui/terminal/clipboard.h"
#include "tui/terminal/colour_support.h"
#include "tui/terminal/curses_screen.h"
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

std::vector<KeySequence> keys_of(const TerminfoEntry& entry) {
  std::vector<KeySequence> keys;
  for (const DatabaseKey& key : database_keys) {
    keys.push_back({entry.capability(key.entry), key.name});
  }
  return keys;
}

Look look_of(const TerminalOptions& options, bool utf8) {
  const char* no_colour = std::getenv("NO_COLOR");  // https://no-color.org: set and not empty
  const bool refused = no_colour != nullptr && *no_colour != '\0';
  const bool detects = options.colours == Colours::detect;
  return {options.theme, detects && refused ? Colours::none : options.colours,
          utf8 || options.unicode, environment_tells_direct_colour()};
}

/// A user who has chosen a size of frames knows the link.
FramePace pace_of(const TerminalOptions& options) {
  if (const auto bytes = options.bytes_per_frame) return {std::max(*bytes, frame_bytes_min)};
  if (std::getenv("SSH_CONNECTION") == nullptr) return {};
  return {frame_bytes_remote, bytes_per_s_remote};
}

}  // namespace

struct Terminal::State {
  State(const TerminalOptions& chosen, bool is_utf8, const std::string& name,
        const TerminfoEntry& entry)
      : options(chosen), utf8(is_utf8), kind(name), reader(keys_of(entry)) {
    choose_bytes(entry);
  }

  TerminalOptions options;
  bool utf8 = false;
  std::string kind;  // TERM
  Tty port;
  TerminalSignals signals;
  KeyReader reader;
  std::optional<FrameStream> stream;  // once started
  std::string enter_bytes, leave_bytes;
  std::string_view mouse_on_bytes, mouse_off_bytes;  // empty if the terminal has no mouse
  bool away = true;          // the shell or another program uses the terminal
  bool resized = false;      // a key "Resize" is due
  SteadyTime resized_at{0};  // of the last key "Resize"

  void choose_bytes(const TerminfoEntry& entry);
  Status start();
  void enter();
  void leave();
  void suspend();
  void take_signals(std::vector<Key>& keys);
  void take_input(std::vector<Key>& keys);
  void write_on();
  void set_timer();
};

void Terminal::State::choose_bytes(const TerminfoEntry& entry) {
  // Terminals with a mouse in the database support these modes or ignore them.
  const bool modern = !entry.capability("kmous").empty();
  enter_bytes = entry.capability("smcup") + entry.capability("smkx") + entry.capability("civis");
  if (modern) enter_bytes += paste_on;
  mouse_on_bytes = modern ? mouse_on : "";
  mouse_off_bytes = modern ? mouse_off : "";
  // Always switch off: it may be switched on later, and a crash uses the bytes from the start.
  leave_bytes = mouse_off_bytes;
  if (modern) leave_bytes += paste_off;
  // ncurses switches automatic margins off around the last cell of the screen.
  for (const char* name : {"smam", "sgr0", "rmkx", "cnorm"}) leave_bytes += entry.capability(name);
  const std::string back = entry.capability("rmcup");
  leave_bytes += back.empty() ? "\r\n" : back;
}

Status Terminal::State::start() {
  DROVER_TRY(port.open());
  DROVER_TRY(signals.open());
  DROVER_TRY(port.watch(signals.descriptor()));
  // The message of a crash begins on a new line.
  signals.install(port.output(), std::string(cancel) + leave_bytes + "\r\n", port.original_modes());
  // After the signals: ncurses handles those that nobody handles.
  DROVER_ASSIGN(auto screen, CursesScreen::open(kind, look_of(options, utf8)));
  stream.emplace(std::move(screen), pace_of(options));
  enter();
  return port.status();
}

/// Does nothing in the background: the shell has set its own modes and would stop this process.
void Terminal::State::enter() {
  away = !port.is_foreground();
  port.listen(!away);
  if (away) return;
  port.set_modes();
  stream->begin_with(enter_bytes);
  if (options.mouse) stream->begin_with(mouse_on_bytes);
  write_on();
  resized = true;  // the size may have changed in the meantime
}

void Terminal::State::leave() {
  if (away || !port.is_foreground()) return;
  const bool gone = port.write_within(stream->pending(), leave_timeout);
  if (!gone && stream->drop()) port.write_within(cancel, leave_timeout);
  stream->drop();
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
    if (key.name == "Ctrl-L") stream->forget();
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
  if (!stream->ready()) stream->sent(port.write(stream->pending()));
  port.wake_when_writable(!stream->ready());
}

/// Wakes the loop for events that depend on time only.
void Terminal::State::set_timer() {
  std::optional<SteadyTime> next;
  const auto add = [&next](SteadyTime moment) { next = next ? std::min(*next, moment) : moment; };
  if (reader.waiting()) add(reader.deadline());
  if (resized) add(resized_at + resize_pause);
  if (stream->cut()) add(stream->rest_at());
  port.wake_at(next);
}

Terminal::Terminal(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<Terminal>> Terminal::open(const TerminalOptions& options) {
  DROVER_TRY(Tty::check());
  const char* kind = std::getenv("TERM");
  if (kind == nullptr || *kind == '\0') {
    return error(
        "TERM is not set: the dashboard needs to know the kind of terminal; "
        "try TERM=xterm-256color");
  }
  std::setlocale(LC_ALL, "");
  const bool utf8 = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  std::unique_ptr<Terminal> terminal;
  {
    TerminfoEntry entry;
    DROVER_TRY(entry.load(kind));
    terminal.reset(new Terminal(std::make_unique<State>(options, utf8, kind, entry)));
  }
  DROVER_TRY(terminal->state_->start());
  return terminal;
}

Terminal::~Terminal() {
  state_->leave();
  state_->signals.remove();  // last, so that handlers are installed until here
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
    state.stream->forget();  // some terminals reflow what they show
    keys.push_back({"Resize"});
  }
  if (!keys.empty()) state.stream->hurry(now);
  state.set_timer();
  return keys;
}

bool Terminal::ready() const { return !state_->away && state_->stream->ready(); }

void Terminal::skip() { state_->stream->skip(Tty::now()); }

bool Terminal::wants_rest() const {
  return ready() && state_->stream->cut() && Tty::now() >= state_->stream->rest_at();
}

void Terminal::restyle(const TerminalOptions& options) {
  state_->options.theme = options.theme;
  state_->options.colours = options.colours;
  state_->options.unicode = options.unicode;
  state_->options.bytes_per_frame = options.bytes_per_frame;
  state_->stream->restyle(state_->kind, look_of(state_->options, state_->utf8),
                          pace_of(state_->options));
  if (std::exchange(state_->options.mouse, options.mouse) == options.mouse || state_->away) return;
  state_->stream->begin_with(options.mouse ? state_->mouse_on_bytes : state_->mouse_off_bytes);
}

void Terminal::show(const Canvas& canvas) {
  state_->stream->show(canvas, Tty::now());
  state_->write_on();
  state_->set_timer();
}

void Terminal::ring() { state_->stream->ring(); }

void Terminal::copy(std::string_view text) { state_->stream->send_too(clipboard_sequence(text)); }

TerminalStats Terminal::stats() const { return state_->stream->stats(Tty::now()); }

}  // namespace drover::tui
