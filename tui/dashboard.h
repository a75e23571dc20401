// The dashboard core: model, update and views behind one door. A state machine without clock,
// socket, file, thread or terminal: messages and keys come in, frames and requests go out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "fleet/outbox.h"
#include "tui/canvas/canvas.h"
#include "tui/state/dashboard_options.h"
#include "tui/terminal/key.h"

namespace drover::tui {

struct TableRows;

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
