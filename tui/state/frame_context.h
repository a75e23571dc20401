// Everything that a view reads while it draws one frame.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tui/canvas/click_targets.h"
#include "tui/canvas/draw_region.h"
#include "tui/history/device_history.h"
#include "tui/history/server_history.h"
#include "tui/history/stream_subscriber.h"
#include "tui/history/timeline_series.h"
#include "tui/model/model.h"
#include "tui/state/dashboard_options.h"
#include "tui/state/playback_cursor.h"
#include "tui/state/ui_state.h"

namespace drover::tui {

struct FrameContext {
  const Model& model;
  const UiState& ui;
  const StreamSubscriber& subscriber;
  const DashboardOptions& options;
  Instant now{};  // the moment that is shown
  bool connected = true;
  Instant connection_since{};
  const std::string& connect_refusal;  // why the router refuses this dashboard; or empty
  const PlaybackCursor& cursor;  // its timeline has first(), last() and markers() for time axes
  const Series& series;          // of ui.device up to `now`, in the device view; else empty
  const std::vector<const Series*>& compared;  // of ui.compared_devices(), while they are compared
  const std::vector<TrendPoint>& fleet_trend;  // up to `now`, if curves are shown
  Instant live_now{};                          // the shell's clock
  const DeviceHistory& recent;                 // of the minute before `now`, for sparklines
  const DeviceHistory& history;                // of the live stream; empty in a replay
  const ServerHistory& server_history;         // of ui.device, from before memory
  ClickTargets& click_targets;                 // filled while drawing
  const ShellStats& shell;
  std::vector<std::string> breadcrumb{};  // the path to what is shown
  bool first_hint = false;                // the hint row says in words how to begin

  /// Fleet seconds: all ages on the screen are in fleet time, as is its clock.
  double s_since(Instant then) const { return to_seconds(now - then); }
  bool clock_differs() const { return options.speed != 1 || options.clock_differs; }
  /// "14:02:10 UTC", or "14:02:10 fleet time" if fleet time differs from wall time.
  std::string clock_words() const {
    return to_clock_text(now) + (clock_differs() ? " fleet time" : " UTC");
  }
  bool stale(const HostRow& host) const { return model.is_stale(now, host); }
  bool stale(DeviceTable::Row row) const { return model.is_stale(now, row); }
  /// The rows that match the filter, for sums.
  RowPredicate rows_shown() const {
    if (!ui.fleet_filter.active()) return {};
    return [this](DeviceTable::Row row) { return ui.fleet_filter.shows(row); };
  }
  /// The text of an empty list: `none_yet`, or that none matches the filter.
  std::string nothing_text(std::string_view thing, std::string_view none_yet) const {
    if (!ui.fleet_filter.active() || model.devices().rows() == 0) return std::string(none_yet);
    return fmt::format("no {} matches {}", thing, ui.fleet_filter.text());
  }
  /// "since 02:07:01": when the router began to count; empty if unknown.
  std::string counted_since() const {
    const auto& summary = model.summary();
    return summary ? "since " + to_clock_text(summary->started) : "";
  }
  /// The title or note of a panel that ignores the filter because its sums come from the router or
  /// concern the past. While a filter is active, it says "whole fleet".
  std::string with_whole_fleet_note(std::string text) const {
    if (ui.fleet_filter.active()) text += text.empty() ? "whole fleet" : ", whole fleet";
    return text;
  }
};

/// Wall seconds that the history covers: recent_seconds, less in the largest fleets.
int sparkline_values_max(const FrameContext& frame);

/// The last `count` wall seconds up to frame.now, oldest first; NaN where unknown. Samples come
/// once in a fleet second, or as rarely as their host says, slightly early or late, so each is
/// valid until the next is clearly missing. REQUIRES count >= 0.
std::vector<double> sparkline_values(const FrameContext& frame, DeviceTable::Row row,
                                     GaugeMetric gauge_metric, int count);

}  // namespace drover::tui
