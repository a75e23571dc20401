// The options of a dashboard, and the statistics of the shell that shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fleet/base/time.h"
#include "tui/state/settings.h"

namespace drover::tui {

class Timeline;

/// How the shell that shows the frames keeps up; NaN if unknown.
struct ShellStats {
  double draw_s = absent;       // recent mean time to draw one frame
  double bytes_per_s = absent;  // to the terminal, wall time
  std::uint64_t drawn = 0;      // frames
  std::uint64_t skipped = 0;    // frames, because the terminal had not yet taken the one before
  double backlog_s = 0;         // age of the frame being written; 0 if there is none
};

/// A recording to show instead of a router's fleet. Every `now` of the dashboard is then wall time
/// from any origin; the core converts it to the recording's time.
struct Replay {
  const Timeline* timeline = nullptr;  // null: live. Must outlive the dashboard
  std::string title;                   // "yesterday.mcap"
  double rate = 1;                     // relative to the speed at which it was recorded
  std::optional<Instant> at;           // where to begin; default: its first moment
  bool paused = false;
};

struct DashboardOptions {
  Settings settings;           // from read_settings
  std::string device;          // "host/3": the device selected at first; or empty
  std::string connected_to;    // endpoint, for the title line
  std::string place;           // the fleet or recording whose bookmarks are kept; empty: none are
  bool insecure = false;       // the router listens beyond loopback without keys
  bool ascii = false;          // no box, block or braille characters
  bool clock_differs = false;  // fleet time differs from wall time, even at the same speed
  double speed = 1;            // fleet seconds per wall second; in a replay, during the recording
  bool story = false;          // there is a story: the screen follows it, the key p pauses it
  bool first_hint = false;     // a person looks on: the hint row begins with words
  bool control = false;        // the fleet may be changed from here
  // While time runs, cells of the heat map keep their colour when a value fluctuates around a
  // threshold. That saves output on slow terminals, but makes a frame depend on earlier ones.
  bool steady_colours = false;
  // "prometheus:9090": the server of the history before memory, which answers HistoryQuestions;
  // empty: there is none.
  std::string history_server;
  bool router_keeps_history = false;  // it answers HistoryRequests
  Replay replay;

  bool knows_older() const { return router_keeps_history || !history_server.empty(); }
};

}  // namespace drover::tui
