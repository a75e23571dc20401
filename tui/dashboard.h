// The dashboard core: model, update and views behind one door. A state machine without clock,
// socket, file, thread or terminal: messages and keys come in, frames and requests go out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/messages.h"
#include "fleet/outbox.h"
#include "fleet/result.h"
#include "fleet/time.h"
#include "tui/canvas.h"
#include "tui/settings.h"

namespace drover::tui {

class Timeline;
struct TableRows;

/// A key as a person thinks of it: "q", "Tab", "Shift-Tab", "Enter", "Esc", "Up", "PgDn", "Ctrl-L".
/// Or what was done with the mouse, and in which cell: "Click", "DoubleClick", "MiddleClick",
/// "RightClick", "Drag", "WheelUp", "WheelDown", "WheelLeft", "WheelRight"; with a modifier
/// "Ctrl-Click". Or "Paste", of a text as it came: it is no keys, and may hold anything.
struct Key {
  std::string name;
  int column = -1, row = -1;  // of the mouse, from 0; it may be older than a resize
  std::string text{};         // of a paste
  bool operator==(const Key&) const = default;
};

/// How the shell that shows the frames keeps up; NaN: not told.
struct ShellFacts {
  double draw_s = absent;       // one frame, from choices to cells: the mean of late
  double bytes_per_s = absent;  // to the terminal, wall time
  std::uint64_t drawn = 0;      // frames
  std::uint64_t skipped = 0;    // because the terminal had not yet taken the one before
  double backlog_s = 0;         // since when a frame has been on its way; 0: none is
};

/// A recording to look at instead of a router. Every `now` of the dashboard is wall time then, from
/// any beginning; the core makes the recording's time of it.
struct Replay {
  const Timeline* timeline = nullptr;  // null: live. Must outlive the dashboard
  std::string title;                   // "yesterday.mcap"
  double rate = 1;                     // of the pace at which it was recorded
  std::optional<Instant> at;           // where to begin; none: at its first moment
  bool paused = false;
};

struct DashboardOptions {
  Settings settings;         // as read_settings gives them
  std::string device;        // "host/3": the device that is selected at first; or empty
  std::string connected_to;  // endpoint, for the title line
  bool insecure = false;     // the router listens beyond loopback without keys
  bool ascii = false;        // no box, block or braille characters
  bool clock_apart = false;  // fleet time is another than the day's, though it passes as fast
  double speed = 1;          // fleet seconds a wall second; of a replay, when it was recorded
  bool story = false;        // there is a story whose pace the key p asks to change
  bool control = false;      // the fleet may be changed from here
  // While time runs, cells of the heat map keep their colour when a value trembles round the border
  // of two: a slow terminal gets less to paint, and a frame depends on those before it.
  bool steady_colours = false;
  Replay replay;
};

/// The names of the views, in the order of their number keys.
const std::vector<std::string>& view_names();

class Dashboard {
 public:
  Dashboard(DashboardOptions options, Size size, Instant start);
  ~Dashboard();

  /// Published envelopes and snapshot parts. On a gap in the router's sequence the outbox asks for
  /// a snapshot.
  void receive(Instant now, Peer from, const Envelope& envelope);
  void press(Instant now, const Key& key);
  void resize(Instant now, Size size);
  void tick(Instant now);
  Instant next_deadline() const;
  Outbox take_outbox();
  /// The connection to the router came or went: shown. `barred`: why the router refuses this
  /// dashboard, in words; empty: it does not.
  void set_connected(Instant now, bool connected, const std::string& barred = {});

  /// The router lives at another time, or at another speed: all that is known is forgotten, and
  /// the person stays in the view where they are. REQUIRES that it is no replay.
  void begin_anew(Instant now, double speed, bool clock_apart);

  void told(const ShellFacts& facts);
  /// Other settings from now on; of their history only the next dashboard knows. Where they start
  /// otherwise than those before, that is shown now; else the person stays where they are. `ascii`
  /// as in the options.
  void adopt(Instant now, const Settings& settings, bool ascii);

  bool quit() const;
  /// The file whose policy the person wants applied, once; the answer comes like any other.
  std::optional<std::string> take_policy_file();
  /// What a person has changed of the settings, once: the dashboard goes by it already.
  std::optional<SettingsWish> take_settings_wish();
  /// Something that a person is to read where the keys stand, until the next key.
  void say(std::string note);
  /// Alerts have been raised since the last call that the settings want to ring for.
  bool take_bell();
  /// Once for each time that the person asked to pause the story or to let it go on.
  bool take_story_toggle();
  /// A whole snapshot has arrived and every host that is not lost has one sample; of a replay at
  /// once.
  bool settled() const;
  /// Whether options.device, where one is given, is of the fleet at the moment drawn last.
  bool knows_device() const;
  /// True once per change that a frame would show; `draw` resets it.
  bool needs_frame() const;
  const Canvas& draw(Instant now);
  /// A table of what the frame would show, whole; of options.device alone where that is given and
  /// the table is one that narrows. REQUIRES one of table_names().
  TableRows table(Instant now, std::string_view name);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace drover::tui
