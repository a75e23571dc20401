#include "tui/compact.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/panels/prompt_panel.h"
#include "tui/screen.h"
#include "tui/state/update.h"
#include "tui/state/view_table.h"
#include "tui/tables/device_columns.h"
#include "tui/tables/device_queries.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

/// Width from which on the clock is labelled in full.
constexpr int clock_words_columns = 40;

struct CompactLine {
  std::string text;
  CellStyle style = CellStyle::plain;
  int item = -1;  // index in the view's list; -1: the line is no item
};

/// Items of a list around the selected one.
struct Window {
  int first = 0, end = 0;
};
Window window_of(int count, int selected, int top, int lines_max) {
  int first = std::clamp(top, 0, std::max(0, count - lines_max));
  if (selected >= 0) first = std::clamp(first, std::max(0, selected - lines_max + 1), selected);
  return {first, std::min(count, first + lines_max)};
}

std::vector<CompactLine> fleet_lines(const FrameContext& frame) {
  const Totals totals = totals_of(frame.model, frame.now, frame.rows_shown());
  const auto& summary = frame.model.summary();
  std::vector<CompactLine> lines;
  if (!frame.model.alerts().empty()) {
    const LogEntry worst = raised_alerts(frame.model).front();
    lines.push_back({fmt::format("{}: {} {}", counted(frame.model.alerts().size(), "alert"),
                                 worst.subject, worst.rule),
                     CellStyle::critical});
  }
  lines.push_back({fmt::format("load {} busy {}/{}", percent_text(totals.utilization), totals.busy,
                               totals.devices)});
  lines.push_back({fmt::format("power {}", known_text(totals.power_w, watts_text))});
  lines.push_back({fmt::format("hottest {}", rounded_text(totals.hottest_c, "C"))});
  if (summary) {
    lines.push_back({fmt::format("jobs {} run {} wait {} fail", summary->running, summary->queued,
                                 summary->failed)});
  }
  lines.push_back({fmt::format("hosts {} ok {} lost", totals.hosts_ok, totals.hosts_lost),
                   totals.hosts_lost > 0 ? CellStyle::critical : CellStyle::plain});
  return lines;
}

CompactLine device_line(const FrameContext& frame, DeviceTable::Row row, int item) {
  const Model& model = frame.model;
  const DeviceMarker sign = device_marker(frame.model, frame.now, row);
  return {fmt::format("{}{} {} {} {}", sign.text, to_text(model.id_of(row)),
                      percent_text(model.reading(row, Metric::utilization)),
                      rounded_text(model.reading(row, Metric::temperature), "C"),
                      rounded_text(model.reading(row, Metric::power), "W")),
          frame.stale(row) ? CellStyle::stale : sign.style, item};
}

CompactLine device_or_heading(const FrameContext& frame, const DeviceLine& line, int item) {
  if (line.heading.empty()) return device_line(frame, line.row, item);
  return {line.heading, CellStyle::title};
}

std::vector<CompactLine> device_lines(const FrameContext& frame) {
  const auto row = frame.ui.device ? frame.model.find(*frame.ui.device) : std::nullopt;
  if (!row) return {{"no device is selected", CellStyle::faint}};
  const Model& model = frame.model;
  std::vector<CompactLine> lines = {device_line(frame, *row, -1)};
  lines.push_back({model.spec_of(*row).id});
  if (const ConditionRow* condition = model.condition_of(*row)) {
    lines.push_back({condition_text(condition->reported), CellStyle::critical});
  }
  const double bits = model.reading(*row, Metric::throttle);
  lines.push_back(
      {fmt::format("clock {} {}", rounded_text(model.reading(*row, Metric::clock), "MHz"),
                   is_throttled(bits) ? "throttled: " + throttle_text(bits) : "")});
  lines.push_back(
      {fmt::format("runs {} queue {}", rounded_text(model.reading(*row, Metric::running), ""),
                   rounded_text(model.reading(*row, Metric::queue), ""))});
  for (const JobRow* job : jobs_on(model, *frame.ui.device)) {
    lines.push_back(
        {fmt::format("{} {}", to_short_text(job->reported.job.id), job->reported.job.work.model)});
  }
  return lines;
}

CompactLine job_line(const FrameContext& frame, const JobLine& line, int item) {
  if (line.kind == JobLine::Kind::heading) {
    return {fmt::format("{} {}", to_text(line.section), line.count), CellStyle::header};
  }
  const auto job = frame.model.jobs().find(line.job);
  if (job == frame.model.jobs().end()) return {to_short_text(line.job), CellStyle::faint, item};
  const JobChanged& reported = job->second.reported;
  return {fmt::format("{} {} {}", to_short_text(line.job).substr(0, 4), reported.job.work.model,
                      reported.reason         ? to_text(*reported.reason)
                      : reported.progress > 0 ? percent_text(reported.progress)
                                              : reported.target),
          CellStyle::plain, item};
}

CompactLine decision_line(const FrameContext& frame, std::uint64_t number, int item) {
  const Decision* const decision = decision_of(frame.model, number);
  if (decision == nullptr) return {"-", CellStyle::faint, item};
  const bool fell = decision->fallback_reason.has_value();
  return {fmt::format("{} {} {}", decision->model,
                      decision->target.empty() ? to_text(decision->action)
                                               : std::string_view(decision->target),
                      fell ? to_text(*decision->fallback_reason) : ""),
          fell ? CellStyle::warm : CellStyle::plain, item};
}

CompactLine log_line(const LogLine& line, int item) {
  if (!line.heading.empty()) return {line.heading, CellStyle::header};
  return {fmt::format("{} {}", line.entry.subject, line.entry.text),
          line.entry.severity == Severity::critical  ? CellStyle::critical
          : line.entry.severity == Severity::warning ? CellStyle::warm
                                                     : CellStyle::plain,
          item};
}

CompactLine host_line(const FrameContext& frame, std::uint32_t number, int item) {
  const HostRow& host = frame.model.hosts()[number];
  const bool has_sample = host.last_sample_at != Instant::min();
  return {fmt::format("{} {} {}", host.reported.registration.host, to_text(host.reported.health),
                      has_sample ? duration_text(std::max(
                                       0.0, std::floor(frame.s_since(host.last_sample_at))))
                                 : "N/A"),
          host.reported.health == Health::ok     ? CellStyle::plain
          : host.reported.health == Health::left ? CellStyle::stale
                                                 : CellStyle::critical,
          item};
}

std::vector<CompactLine> power_lines(const FrameContext& frame) {
  const Totals totals = totals_of(frame.model, frame.now, frame.rows_shown());
  const auto& summary = frame.model.summary();
  std::vector<CompactLine> lines = {
      {fmt::format("power {}", known_text(totals.power_w, watts_text))},
      {fmt::format("limit {}",
                   totals.power_limit_w > 0 ? watts_text(totals.power_limit_w) : "N/A")},
      {fmt::format("rate {}/h", totals.price_known && totals.usd_per_h > 0
                                    ? dollars_text(totals.usd_per_h)
                                    : std::string(not_known))}};
  if (summary) {
    lines.push_back({fmt::format("used {}", joules_text(summary->fleet_energy_j))});
    lines.push_back({fmt::format("cost {}", dollars_text(summary->fleet_cost_usd))});
  }
  return lines;
}

template <typename Items, typename Line>
std::vector<CompactLine> list_lines(const Items& items, const ListViewport& place, int selected,
                                    int lines_max, const Line& line) {
  std::vector<CompactLine> lines;
  const Window shown = window_of(static_cast<int>(items.size()), selected, place.top, lines_max);
  for (int item = shown.first; item < shown.end; ++item) {
    lines.push_back(line(items[static_cast<std::size_t>(item)], item));
  }
  return lines;
}

/// At most `lines_max` lines, the most important first. Of a list, those around the selected item.
std::vector<CompactLine> compact_lines(const FrameContext& frame, int lines_max) {
  const UiState& ui = frame.ui;
  const int selected = selected_index(frame.model, ui);
  const auto with = [&](auto&& line) {
    return [&frame, line](const auto& thing, int item) { return line(frame, thing, item); };
  };
  switch (ui.view) {
    case View::fleet:
      return fleet_lines(frame);
    case View::devices:
      return list_lines(ui.devices.lines, ui.devices.place, selected, lines_max,
                        with(device_or_heading));
    case View::device:
      return device_lines(frame);
    case View::jobs:
      return list_lines(ui.jobs.lines, ui.jobs.place, selected, lines_max, with(job_line));
    case View::routing:
      return list_lines(ui.decisions.numbers, ui.decisions.place, selected, lines_max,
                        with(decision_line));
    case View::power:
      return power_lines(frame);
    case View::events:
      return list_lines(ui.log.lines, ui.log.place, selected, lines_max, log_line);
    case View::data_plane:
      return list_lines(ui.hosts.numbers, ui.hosts.place, selected, lines_max, with(host_line));
    case View::help: {
      std::vector<CompactLine> lines;
      for (const HelpLine& line : help_lines()) {
        lines.push_back({fmt::format("{} {}", line.key, line.text), line.style});
      }
      const int first =
          std::clamp(ui.help.top, 0, std::max(0, static_cast<int>(lines.size()) - lines_max));
      lines.erase(lines.begin(), lines.begin() + first);
      return lines;
    }
  }
  return {};
}

/// One character per device.
void draw_dots(const FrameContext& frame, DrawRegion region) {
  int place = 0;
  for (const DeviceTable::Row row : frame.model.device_order()) {
    if (!frame.ui.fleet_filter.shows(row)) continue;
    const int column = place % std::max(1, region.columns()),
              line = place / std::max(1, region.columns());
    ++place;
    if (line >= region.rows()) return;
    const MapValue reading = map_value(frame.model, frame.now, row, frame.ui.metric);
    const DeviceMarker sign = device_marker(frame.model, frame.now, row);
    const bool known =
        reading.known() && (sign.text == " " || sign.text == "*" || sign.text == "d");
    region.text(column, line,
                known              ? " "
                : sign.text == " " ? "-"
                                   : sign.text,
                known ? heat_level_style(heat_level(reading.share)) : sign.style);
  }
}

}  // namespace

bool is_compact(Size size) {
  return size.columns < panels_size.columns || size.rows < panels_size.rows;
}

void draw_compact(const FrameContext& frame, Canvas& canvas) {
  const Size size = canvas.size();
  const bool ascii = frame.options.ascii;
  DrawRegion title(canvas, {0, 0, size.columns, 1}, ascii);
  title.blank(CellStyle::title);
  std::string clock = to_clock_text(frame.now);
  if (frame.clock_differs())
    clock += size.columns >= clock_words_columns ? " fleet time" : " fleet";
  const int room = size.columns - static_cast<int>(clock.size()) - 1;
  title.field(0, 0, room, view_definition(frame.ui.view).name, CellStyle::badge);
  title.text(room + 1, 0, clock, CellStyle::title);
  const std::string banner = banner_of(frame, size.columns);
  const bool with_hints = size.rows >= 5;
  int top = 1;
  if (!banner.empty() && size.rows >= 3) {
    title.on({0, top++, size.columns, 1}).field(0, 0, size.columns, banner, CellStyle::alarm);
  }
  const int rows = size.rows - top - (with_hints ? 1 : 0);
  DrawRegion body(canvas, {0, top, size.columns, std::max(0, rows)}, ascii);
  int row = 0;
  const int selected = selected_index(frame.model, frame.ui);
  for (const CompactLine& line : compact_lines(frame, body.rows())) {
    if (row >= body.rows()) break;
    body.field(0, row, body.columns(), line.text, line.style);
    if (line.item >= 0) {
      frame.click_targets.add(body.row_area(row), ClickTarget::Kind::item, line.item);
      if (line.item == selected) body.tint(row, CellStyle::selected);
    }
    ++row;
  }
  if (frame.ui.view == View::fleet && row < body.rows()) {
    draw_dots(frame, body.on({0, top + row, size.columns, body.rows() - row}));
  }
  if (frame.ui.prompt) {
    draw_prompt(*frame.ui.prompt, DrawRegion(canvas, {0, 0, size.columns, size.rows}, ascii));
  } else if (with_hints) {
    DrawRegion last(canvas, {0, size.rows - 1, size.columns, 1}, ascii);
    last.field(0, 0, size.columns, "q quit ? help Tab / :", CellStyle::faint);
  }
}

}  // namespace drover::tui
