// The dashboard core: model, update and views behind one interface. It is a state machine without
// clock, socket, file, thread or terminal: messages and keys come in, frames and requests go out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "fleet/outbox.h"
#include "tui/canvas/canvas.h"
#include "tui/history/server_history.h"
#include "tui/saved/choices.h"
#include "tui/state/dashboard_options.h"
#include "tui/tables/table_rows.h"
#include "tui/terminal/key.h"

namespace drover::tui {

/// An alert was raised that rings the bell by the settings.
struct RingBell {};
/// The user asked to apply this policy file. The router's reply arrives through `receive`.
struct ReadPolicy {
  std::string file;
};
/// The user asked to pause or resume the story.
struct ToggleStory {};
/// The user copied this text, of printable lines, to the clipboard.
struct CopyText {
  std::string text;
};
inline constexpr std::size_t copy_bytes_max = 64u << 10;  // terminals refuse more
/// The user copied these rows as JSON.
struct CopyRows {
  TableRows rows;
};
/// The user exported a table as CSV into a file that must not exist yet. The shell says the path or
/// the problem.
struct ExportTable {
  TableRows rows;
  std::string file;
};
/// What the user chose differs from what was last told, and shall survive a restart.
struct KeepChoices {
  Choices choices;
};
/// The user bookmarked a moment of a live fleet.
struct MarkMoment {
  Bookmark mark;
};
/// The user asked to quit.
struct Quit {};

/// What a shell does for the dashboard. Changed settings are in force already; the theme may be one
/// that the user tries. The answer to a HistoryQuestion arrives through `take_history`, and no
/// other question comes before it.
using Effect =
    std::variant<Send, RingBell, SettingsChange, ReadPolicy, ToggleStory, HistoryQuestion, CopyText,
                 CopyRows, ExportTable, KeepChoices, MarkMoment, Quit>;

struct DashboardState;

class Dashboard {
 public:
  Dashboard(DashboardOptions options, Size size, Instant start);
  ~Dashboard();

  /// Takes published envelopes and snapshot parts. After a gap in the router's sequence numbers the
  /// effects contain a request for a snapshot. `encoded`: the envelope as it came, if it did.
  void receive(Instant now, Peer from, const Envelope& envelope, std::string_view encoded = {});
  void press(Instant now, const Key& key);
  void resize(Instant now, Size size);
  void tick(Instant now);
  Instant next_deadline() const;
  /// What is to be done, in order; each effect is returned once.
  std::vector<Effect> take_effects();
  /// Shows that the connection to the router was made or lost. `connect_refusal`: why the router
  /// refuses this dashboard; empty if it does not.
  void set_connected(Instant now, bool connected, const std::string& connect_refusal = {});

  /// The router's fleet time or speed changed: the model and its history are cleared. The current
  /// view stays. REQUIRES that this is no replay.
  void restart(Instant now, double speed, bool clock_differs);

  void take_history(Instant now, HistoryAnswer answer);
  void set_shell_stats(const ShellStats& stats);
  /// Replaces the settings. A changed history size applies from the next start. If the start view
  /// changed, it is shown now; else the current view stays. `ascii` is as in the options.
  void apply_settings(Instant now, const Settings& settings, bool ascii);

  /// Shows again what was chosen in an earlier run.
  void restore(const Choices& choices);
  /// What is to be kept for the next start. A shell asks for it at the end; before, a KeepChoices
  /// tells of it about a second after the key.
  Choices choices() const;

  /// Shows a note in the hint row until the next key.
  void say(std::string note);
  /// Whether a whole snapshot and a sample of every host that is not lost have arrived. A replay
  /// is synced at once.
  bool has_synced() const;
  /// Whether options.device, if given, is in the fleet at the moment drawn last.
  bool knows_device() const;
  /// Whether something changed that a frame would show; `draw` resets it.
  bool needs_frame() const;
  const Canvas& draw(Instant now);
  /// How often a view was laid out: once for each frame, and once more for each key after which
  /// another one comes before the frame.
  std::uint64_t layouts() const;
  /// All rows of a table of what the frame shows. If options.device is given and the table has a
  /// row for each device, only that device. REQUIRES one of table_names().
  TableRows table(Instant now, std::string_view name);

 private:
  std::unique_ptr<DashboardState> state_;
};

}  // namespace drover::tui
