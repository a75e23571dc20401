// All that a view may look at while it draws one frame.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "tui/canvas/hits.h"
#include "tui/canvas/pen.h"
#include "tui/history/feed.h"
#include "tui/history/history.h"
#include "tui/history/timeline_series.h"
#include "tui/model/model.h"
#include "tui/state/choices.h"
#include "tui/state/dashboard_options.h"
#include "tui/state/timeline_cursor.h"

namespace drover::tui {

struct Scene {
  const Model& model;
  const Choices& choices;
  const Feed& feed;
  const DashboardOptions& options;
  Instant now{};  // of the moment that is shown
  bool connected = true;
  Instant connection_since{};
  const std::string& barred;  // why the router refuses this dashboard; empty: it does not
  const TimeCursor& cursor;   // its timeline has first(), last() and marks() for time axes
  const Series& series;       // of choices.device up to `now`, in the device view; else empty
  const std::vector<TrendPoint>& curves;  // up to `now`, in the power view; else empty
  Instant live_now{};                     // of the shell
  const History& recent;                  // of the minute before `now`, for sparklines
  const History& history;                 // of the live stream; in a replay, of nothing
  Hits& hits;                             // told while drawing
  const ShellFacts& shell;

  /// Fleet seconds, in which all ages on the screen are told, as its clock is fleet time.
  double s_since(Instant then) const { return to_seconds(now - then); }
  bool clock_apart() const { return options.speed != 1 || options.clock_apart; }
  /// "14:02:10 UTC"; where that is not the hour of the day: "14:02:10 fleet time".
  std::string clock_words() const {
    return to_clock_text(now) + (clock_apart() ? " fleet time" : " UTC");
  }
  bool stale(const HostRow& host) const { return model.is_stale(now, host); }
  bool stale(DeviceTable::Row row) const { return model.is_stale(now, row); }
  /// The rows that the filter leaves, for sums.
  RowTest rows_shown() const {
    if (!choices.narrowing.active()) return {};
    return [this](DeviceTable::Row row) { return choices.narrowing.shows(row); };
  }
  /// Instead of lines: that there are none yet, or none that the filter leaves.
  std::string nothing_text(std::string_view thing, std::string_view none_yet) const {
    if (!choices.narrowing.active() || model.devices().rows() == 0) return std::string(none_yet);
    return fmt::format("no {} matches {}", thing, choices.narrowing.text());
  }
  /// The title or note of a panel that no filter narrows, because its sums come from the router or
  /// are of the past: while there is a filter it says so.
  std::string unnarrowed(std::string text) const {
    if (choices.narrowing.active()) text += text.empty() ? "whole fleet" : ", whole fleet";
    return text;
  }
};

}  // namespace drover::tui
