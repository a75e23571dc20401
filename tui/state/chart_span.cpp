#include "tui/state/chart_span.h"

#include <algorithm>

namespace drover::tui {
namespace {

// Wall seconds. The fleet's curves have a point in each, so fewer are too few for a chart.
constexpr int least_s = 12;
// From here on the span grows only when the user wants it: details of now would become too small.
constexpr int automatic_most_s = 30 * 60;
constexpr int memory_most_s = 2 * 60 * 60;
constexpr int server_most_s = 7 * 24 * 60 * 60;
constexpr Duration relative_most = std::chrono::hours(2);

Duration wall_seconds(const FrameContext& frame, int seconds) {
  // Fleet time may be so fast that longer times would overflow.
  return std::min(from_seconds(frame.options.speed * seconds), span_from(Duration::max()));
}

ChartSpan span_of(const FrameContext& frame, Instant begin, Duration most) {
  const Duration known = begin < frame.now ? frame.now - begin : Duration{};
  ChartSpan span;
  span.least = span_from(wall_seconds(frame, least_s));
  span.most = std::max(span.least, span_from(std::max(most, known)));
  span.automatic =
      std::clamp(span_for(known), span.least,
                 std::max(span.least, span_from(wall_seconds(frame, automatic_most_s))));
  span.shown = std::clamp(frame.ui.chart_span.value_or(span.automatic), span.least, span.most);
  return span;
}

/// A timeline knows everything since it began, as far back as it can be read.
Instant timeline_begin(const FrameContext& frame) {
  const Timeline& timeline = frame.cursor.timeline();
  const Duration since = frame.now - std::min(frame.now, timeline.first());
  return frame.now - std::min(since, timeline.reach());
}

}  // namespace

ChartSpan fleet_chart_span(const FrameContext& frame) {
  const Instant begin =
      frame.cursor.replay() ? timeline_begin(frame) : frame.model.fleet_trend().begin();
  return span_of(frame, begin, wall_seconds(frame, memory_most_s));
}

ChartSpan device_chart_span(const FrameContext& frame) {
  Instant begin = never;
  if (!frame.cursor.replay()) {
    std::vector<DeviceId> devices;
    if (frame.ui.comparing()) {
      devices = frame.ui.compared_devices();
    } else if (frame.ui.device) {
      devices = {*frame.ui.device};
    }
    for (const DeviceId& device : devices) begin = std::min(begin, frame.history.begin(device));
  }
  // The router has kept some of its metrics for as long as the fleet's curves.
  // They are asked for of one device, so not of those that are compared.
  if (frame.options.router_keeps_history && !frame.ui.comparing()) {
    begin = std::min(begin, frame.model.fleet_trend().begin());
  }
  if (begin == never) begin = timeline_begin(frame);
  const bool served = !frame.options.history_server.empty() && !frame.ui.comparing();
  return span_of(frame, begin, wall_seconds(frame, served ? server_most_s : memory_most_s));
}

TimeLabels time_labels(const ChartSpan& span) {
  return span.shown <= relative_most ? TimeLabels::ago : TimeLabels::clock;
}

std::string span_note(const ChartSpan& span) { return "last " + chart_span_text(span.shown); }

std::optional<Duration> step_span(const ChartSpan& span, int steps) {
  const Duration next = std::clamp(span_beside(span.shown, steps), span.least, span.most);
  return next == span.automatic ? std::nullopt : std::optional(next);
}

}  // namespace drover::tui
