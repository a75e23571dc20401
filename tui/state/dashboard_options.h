// What a dashboard is started with, and what its shell reports of itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fleet/base/time.h"
#include "tui/state/settings.h"

namespace drover::tui {

class Timeline;

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

}  // namespace drover::tui
