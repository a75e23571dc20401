#include "tui/canvas/time_window.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace drover::tui {
namespace {

std::int64_t floor_div(std::int64_t value, std::int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

constexpr std::int64_t minute_s = 60, hour_s = 3'600, day_s = 86'400;

// Fast fleet time may show years. The longest is short enough that no instant overflows.
constexpr std::array<std::int64_t, 16> spans_s = {
    minute_s,    2 * minute_s, 5 * minute_s,  10 * minute_s, 30 * minute_s, hour_s,
    2 * hour_s,  6 * hour_s,   day_s,         7 * day_s,     30 * day_s,    90 * day_s,
    365 * day_s, 730 * day_s,  1'825 * day_s, 7'300 * day_s};

Duration span_at(std::size_t place) { return std::chrono::seconds(spans_s[place]); }

std::size_t place_from(Duration least) {
  std::size_t place = 0;
  while (place + 1 < spans_s.size() && span_at(place) < least) ++place;
  return place;
}

constexpr std::array<std::int64_t, 20> tick_steps_s = {
    1,          2,          5,           10,    15,        30,       minute_s,
    120,        300,        600,         900,   1'800,     hour_s,   2 * hour_s,
    3 * hour_s, 6 * hour_s, 12 * hour_s, day_s, 2 * day_s, 7 * day_s};

/// The smallest step of the table at which labels of `width` do not touch; zero if there is none.
Duration tick_step(Duration cell, int width) {
  for (const std::int64_t step_s : tick_steps_s) {
    const Duration step = std::chrono::seconds(step_s);
    if (step >= cell * (width + 2)) return step;
  }
  return {};
}

/// The step of clock labels: times with seconds are longer than hours with minutes or dates.
Duration clock_step(Duration cell) {
  const Duration with_seconds = tick_step(cell, 8);
  const Duration minute = std::chrono::minutes(1);
  if (with_seconds != Duration{} && with_seconds < minute) return with_seconds;
  const Duration step = tick_step(cell, 5);
  return step == Duration{} ? step : std::max(step, minute);
}

/// "14:03:20", "14:03" or "11-21": what differs between ticks that are so far apart.
std::string tick_text(Instant at, Duration step) {
  if (step < std::chrono::minutes(1)) return to_clock_text(at).substr(0, 8);
  if (step < std::chrono::seconds(day_s)) return to_clock_text(at).substr(0, 5);
  const std::chrono::sys_days day(std::chrono::floor<std::chrono::days>(at.time_since_epoch()));
  const std::chrono::year_month_day date(day);
  return fmt::format("{:02}-{:02}", static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

void draw_clock_labels(DrawRegion& region, int column, int row, int columns,
                       const TimeWindow& window) {
  const Duration cell = 2 * window.bin;
  const Duration step = clock_step(cell);
  if (step == Duration{}) return;
  const Instant begin = window.begin(columns);
  for (std::int64_t tick = floor_div(begin.time_since_epoch().count(), step.count());; ++tick) {
    const Instant at{step * tick};
    if (at > window.end) break;
    const std::int64_t place = floor_div((at - begin).count(), cell.count());
    const std::string label = tick_text(at, step);
    const int width = static_cast<int>(label.size());
    const int from = static_cast<int>(place) - width / 2;
    if (place < 0 || from < 0 || from + width > columns) continue;
    region.text(column + from, row, label, CellStyle::faint);
  }
}

struct Unit {
  std::int64_t seconds;
  std::string_view sign;  // of axes
  std::string_view name;
};
constexpr std::array<Unit, 4> units = {
    {{day_s, "d", "day"}, {hour_s, "h", "h"}, {minute_s, "m", "min"}, {1, "s", "s"}}};

/// The largest unit in which the duration is a whole number.
const Unit& unit_of(Duration duration) {
  const std::int64_t s = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  return *std::ranges::find_if(units, [&](const Unit& unit) { return s % unit.seconds == 0; });
}

void draw_ago_labels(DrawRegion& region, int column, int row, int columns,
                     const TimeWindow& window) {
  const Duration cell = 2 * window.bin;
  if (columns >= 3) region.text(column + columns - 3, row, "now", CellStyle::faint);
  Duration step = tick_step(cell, 6);
  if (step == Duration{}) return;
  // People count more than two minutes in minutes.
  constexpr Duration minute = std::chrono::minutes(1);
  if (cell * columns > 2 * minute + cell) step = std::max(step, minute);
  // All labels have the unit of the step: "-90s -60s -30s".
  const Unit& unit = unit_of(step);
  int free = columns - 3;  // columns left of the label before
  for (int number = 1;; ++number) {
    const auto back = static_cast<int>(step * number / cell);
    if (back > columns) break;
    const std::string label =
        fmt::format("-{}{}", number * (step / std::chrono::seconds(unit.seconds)), unit.sign);
    const int width = static_cast<int>(label.size());
    // The begin of the window is a round time as well; its label starts there.
    const int from = std::max(0, columns - 1 - back - width / 2);
    if (from + width >= free) continue;
    region.text(column + from, row, label, CellStyle::faint);
    free = from;
  }
}

}  // namespace

std::int64_t TimeWindow::bin_of(Instant at) const {
  return floor_div(at.time_since_epoch().count(), std::max<std::int64_t>(1, bin.count()));
}

std::int64_t TimeWindow::first_bin(int bins) const {
  return (floor_div(bin_of(end), 2) + 1) * 2 - bins;
}

Instant TimeWindow::begin(int cells) const { return Instant{bin * first_bin(2 * cells)}; }

TimeWindow window_of(Instant end, Duration span, int cells) {
  const std::int64_t bins = 2 * std::max(1, cells);
  // Rounded up to two or three digits: servers are asked for values in these bins.
  Duration digit(10'000'000);
  while (span / bins >= 1'000 * digit) digit *= 10;
  const Duration each = bins * digit;
  return {end, (span + each - Duration(1)) / each * digit};
}

Duration span_for(Duration known) { return span_at(place_from(known / 3 * 2)); }

Duration span_beside(Duration span, int steps) {
  const int place = static_cast<int>(place_from(span)) + steps;
  return span_at(
      static_cast<std::size_t>(std::clamp(place, 0, static_cast<int>(spans_s.size()) - 1)));
}

Duration span_from(Duration least) { return span_at(place_from(least)); }

std::string chart_span_text(Duration span) {
  const Unit& unit = unit_of(span);
  const auto number = span / std::chrono::seconds(unit.seconds);
  return fmt::format("{} {}{}", number, unit.name, unit.name == "day" && number != 1 ? "s" : "");
}

void draw_time_axis(DrawRegion& region, int column, int row, int columns, const TimeWindow& window,
                    TimeLabels labels) {
  if (labels == TimeLabels::clock) {
    draw_clock_labels(region, column, row, columns, window);
  } else {
    draw_ago_labels(region, column, row, columns, window);
  }
}

}  // namespace drover::tui
