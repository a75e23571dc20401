#include "tui/compact.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/panels/fleet_panels.h"
#include "tui/panels/prompt_panel.h"
#include "tui/screen.h"
#include "tui/state/update.h"
#include "tui/state/view_table.h"
#include "tui/tables/columns.h"
#include "tui/tables/device_facts.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

/// From so many columns on the clock is labelled in full.
constexpr int clock_words_columns = 40;

std::string whole(double value, std::string_view unit) {
  return std::isnan(value) ? "N/A" : fmt::format("{:.0f}{}", value, unit);
}

/// Items of a list around the selected one.
struct Window {
  int first = 0, end = 0;
};
Window window_of(int count, int selected, int top, int most) {
  int first = std::clamp(top, 0, std::max(0, count - most));
  if (selected >= 0) first = std::clamp(first, std::max(0, selected - most + 1), selected);
  return {first, std::min(count, first + most)};
}

std::vector<CompactLine> fleet_lines(const Scene& scene) {
  const Totals totals = totals_of(scene.model, scene.now, scene.rows_shown());
  const auto& summary = scene.model.summary();
  std::vector<CompactLine> lines;
  if (!scene.model.alerts().empty()) {
    const News worst = raised_alerts(scene.model).front();
    lines.push_back({fmt::format("{}: {} {}", counted(scene.model.alerts().size(), "alert"),
                                 worst.subject, worst.rule),
                     Role::critical});
  }
  lines.push_back({fmt::format("load {} busy {}/{}", percent_text(totals.utilization), totals.busy,
                               totals.devices)});
  lines.push_back({fmt::format("power {}", known_text(totals.power_w, watts_text))});
  lines.push_back({fmt::format("hottest {}", whole(totals.hottest_c, "C"))});
  if (summary) {
    lines.push_back({fmt::format("jobs {} run {} wait {} bad", summary->running, summary->queued,
                                 summary->failed)});
  }
  lines.push_back({fmt::format("hosts {} ok {} lost", totals.hosts_ok, totals.hosts_lost),
                   totals.hosts_lost > 0 ? Role::critical : Role::plain});
  return lines;
}

CompactLine device_line(const Scene& scene, DeviceTable::Row row, int item) {
  const Model& model = scene.model;
  const DeviceSign sign = sign_of(scene.model, scene.now, row);
  return {fmt::format("{}{} {} {} {}", sign.text, to_text(model.id_of(row)),
                      percent_text(model.reading(row, Metric::utilization)),
                      whole(model.reading(row, Metric::temperature), "C"),
                      whole(model.reading(row, Metric::power), "W")),
          scene.stale(row) ? Role::stale : sign.role, item};
}

CompactLine device_or_heading(const Scene& scene, const DeviceLine& line, int item) {
  if (line.heading.empty()) return device_line(scene, line.row, item);
  return {line.heading, Role::title};
}

std::vector<CompactLine> device_lines(const Scene& scene) {
  const auto row = scene.choices.device ? scene.model.find(*scene.choices.device) : std::nullopt;
  if (!row) return {{"no device is chosen", Role::faint}};
  const Model& model = scene.model;
  std::vector<CompactLine> lines = {device_line(scene, *row, -1)};
  lines.push_back({model.spec_of(*row).id});
  if (const ConditionRow* condition = model.condition_of(*row)) {
    lines.push_back({condition_text(condition->said), Role::critical});
  }
  const double bits = model.reading(*row, Metric::throttle);
  lines.push_back({fmt::format("clock {} {}", whole(model.reading(*row, Metric::clock), "MHz"),
                               is_slowed(bits) ? "slowed: " + throttle_text(bits) : "")});
  lines.push_back({fmt::format("runs {} queue {}", whole(model.reading(*row, Metric::running), ""),
                               whole(model.reading(*row, Metric::queue), ""))});
  for (const JobRow* job : jobs_on(model, *scene.choices.device)) {
    lines.push_back(
        {fmt::format("{} {}", to_short_text(job->said.job.id), job->said.job.work.model)});
  }
  return lines;
}

CompactLine job_line(const Scene& scene, const JobLine& line, int item) {
  if (line.kind == JobLine::Kind::heading) {
    return {fmt::format("{} {}", to_text(line.section), line.count), Role::header};
  }
  const auto job = scene.model.jobs().find(line.job);
  if (job == scene.model.jobs().end()) return {to_short_text(line.job), Role::faint, item};
  const JobChanged& said = job->second.said;
  return {fmt::format("{} {} {}", to_short_text(line.job).substr(0, 4), said.job.work.model,
                      said.reason         ? to_text(*said.reason)
                      : said.progress > 0 ? percent_text(said.progress)
                                          : said.target),
          Role::plain, item};
}

CompactLine decision_line(const Scene& scene, std::uint64_t number, int item) {
  const Decision* const decision = decision_of(scene.model, number);
  if (decision == nullptr) return {"-", Role::faint, item};
  const bool fell = decision->fallback_reason.has_value();
  return {fmt::format("{} {} {}", decision->model,
                      decision->target.empty() ? to_text(decision->action)
                                               : std::string_view(decision->target),
                      fell ? to_text(*decision->fallback_reason) : ""),
          fell ? Role::warm : Role::plain, item};
}

CompactLine news_line(const NewsLine& line, int item) {
  if (!line.heading.empty()) return {line.heading, Role::header};
  const bool grave = line.news.severity == Severity::critical;
  return {fmt::format("{} {}", line.news.subject, line.news.text),
          grave                                     ? Role::critical
          : line.news.severity == Severity::warning ? Role::warm
                                                    : Role::plain,
          item};
}

CompactLine host_line(const Scene& scene, std::uint32_t number, int item) {
  const HostRow& host = scene.model.hosts()[number];
  const bool heard = host.sampled != Instant::min();
  return {fmt::format("{} {} {}", host.said.hello.host, to_text(host.said.health),
                      heard ? duration_text(std::max(0.0, std::floor(scene.s_since(host.sampled))))
                            : "N/A"),
          host.said.health == Health::ok     ? Role::plain
          : host.said.health == Health::left ? Role::stale
                                             : Role::critical,
          item};
}

std::vector<CompactLine> power_lines(const Scene& scene) {
  const Totals totals = totals_of(scene.model, scene.now, scene.rows_shown());
  const auto& summary = scene.model.summary();
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
std::vector<CompactLine> list_lines(const Items& items, const ListPlace& place, int selected,
                                    int most, const Line& line) {
  std::vector<CompactLine> lines;
  const Window shown = window_of(static_cast<int>(items.size()), selected, place.top, most);
  for (int item = shown.first; item < shown.end; ++item) {
    lines.push_back(line(items[static_cast<std::size_t>(item)], item));
  }
  return lines;
}

/// One character a device.
void draw_dots(const Scene& scene, Pen pen) {
  int place = 0;
  for (const DeviceTable::Row row : scene.model.device_order()) {
    if (!scene.choices.narrowing.shows(row)) continue;
    const int column = place % std::max(1, pen.columns()),
              line = place / std::max(1, pen.columns());
    ++place;
    if (line >= pen.rows()) return;
    const MapReading reading = map_reading(scene.model, scene.now, row, scene.choices.metric);
    const DeviceSign sign = sign_of(scene.model, scene.now, row);
    const bool known =
        reading.known() && (sign.text == " " || sign.text == "*" || sign.text == "d");
    pen.text(column, line,
             known              ? " "
             : sign.text == " " ? "-"
                                : sign.text,
             known ? heat_role(reading.share) : sign.role);
  }
}

}  // namespace

bool is_compact(Size size) {
  return size.columns < panels_size.columns || size.rows < panels_size.rows;
}

std::vector<CompactLine> compact_lines(const Scene& scene, int most) {
  const Choices& choices = scene.choices;
  const int selected = selected_index(scene.model, choices);
  const auto with = [&](auto&& line) {
    return [&scene, line](const auto& thing, int item) { return line(scene, thing, item); };
  };
  switch (choices.view) {
    case View::fleet:
      return fleet_lines(scene);
    case View::devices:
      return list_lines(choices.devices.lines, choices.devices.place, selected, most,
                        with(device_or_heading));
    case View::device:
      return device_lines(scene);
    case View::jobs:
      return list_lines(choices.jobs.lines, choices.jobs.place, selected, most, with(job_line));
    case View::routing:
      return list_lines(choices.decisions.numbers, choices.decisions.place, selected, most,
                        with(decision_line));
    case View::power:
      return power_lines(scene);
    case View::events:
      return list_lines(choices.news.lines, choices.news.place, selected, most, news_line);
    case View::data_plane:
      return list_lines(choices.hosts.numbers, choices.hosts.place, selected, most,
                        with(host_line));
    case View::help: {
      std::vector<CompactLine> lines;
      for (const HelpLine& line : help_lines()) {
        lines.push_back({fmt::format("{} {}", line.key, line.text), line.role});
      }
      const int first =
          std::clamp(choices.help.top, 0, std::max(0, static_cast<int>(lines.size()) - most));
      lines.erase(lines.begin(), lines.begin() + first);
      return lines;
    }
  }
  return {};
}

void draw_compact(const Scene& scene, Canvas& canvas) {
  const Size size = canvas.size();
  const bool ascii = scene.options.ascii;
  Pen title(canvas, {0, 0, size.columns, 1}, ascii);
  title.blank(Role::title);
  std::string clock = to_clock_text(scene.now);
  if (scene.clock_apart()) clock += size.columns >= clock_words_columns ? " fleet time" : " fleet";
  const int room = size.columns - static_cast<int>(clock.size()) - 1;
  title.field(0, 0, room, row_of(scene.choices.view).name, Role::badge);
  title.text(room + 1, 0, clock, Role::title);
  const std::string banner = banner_of(scene, size.columns);
  const bool with_hints = size.rows >= 5;
  int top = 1;
  if (!banner.empty() && size.rows >= 3) {
    title.on({0, top++, size.columns, 1}).field(0, 0, size.columns, banner, Role::alarm);
  }
  const int rows = size.rows - top - (with_hints ? 1 : 0);
  Pen body(canvas, {0, top, size.columns, std::max(0, rows)}, ascii);
  int row = 0;
  const int selected = selected_index(scene.model, scene.choices);
  for (const CompactLine& line : compact_lines(scene, body.rows())) {
    if (row >= body.rows()) break;
    body.field(0, row, body.columns(), line.text, line.role);
    if (line.item >= 0) {
      scene.hits.add(body.row_area(row), Hit::Kind::item, line.item);
      if (line.item == selected) body.tint(row, Role::selected);
    }
    ++row;
  }
  if (scene.choices.view == View::fleet && row < body.rows()) {
    draw_dots(scene, body.on({0, top + row, size.columns, body.rows() - row}));
  }
  if (scene.choices.prompt) {
    draw_prompt(*scene.choices.prompt, Pen(canvas, {0, 0, size.columns, size.rows}, ascii));
  } else if (with_hints) {
    Pen last(canvas, {0, size.rows - 1, size.columns, 1}, ascii);
    last.field(0, 0, size.columns, "q quit ? help Tab / :", Role::faint);
  }
}

}  // namespace drover::tui
