// One device in full: who it is and how it is, every metric over time, what it can do at most, who
// holds its memory, what is loaded and runs on it, why work came to it or went past it, and what
// happened to it. Longer than most screens: the head stays, the rest scrolls; a figure that is open
// stands below it.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/device/device_charts.h"
#include "tui/device/device_limits.h"
#include "tui/device/device_page.h"
#include "tui/panels/fleet_panels.h"
#include "tui/panels/news_panels.h"
#include "tui/panels/panels.h"
#include "tui/tables/columns.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

void draw_head(const Scene& scene, Pen& pen, DeviceTable::Row row, std::string_view scroll) {
  const Model& model = scene.model;
  const DeviceTable& devices = model.devices();
  const Hello& hello = model.host_of(row).said.hello;
  const ConditionRow* condition = model.condition_of(row);
  pen.heading(0, fmt::format("Device {}", to_text(model.id_of(row))), scroll);
  const Instant arrived = devices.arrived(row);
  const Health health = model.host_of(row).said.health;
  const bool lost = model.is_gone(row);
  std::string state = health == Health::lost   ? "host lost"
                      : health == Health::left ? "host left"
                      : scene.stale(row)       ? "stale"
                                               : "reporting";
  Role role = health == Health::lost     ? Role::critical
              : lost || scene.stale(row) ? Role::stale
                                         : Role::good;
  if (lost || scene.stale(row)) {
    state += arrived == Instant::min()
                 ? ", no sample"
                 : fmt::format(", last sample {} ago", duration_text(scene.s_since(arrived)));
  }
  if (condition != nullptr && !condition->said.usable && !lost) {
    state =
        scene.stale(row) && arrived != Instant::min()
            ? fmt::format("not usable, last sample {} ago", duration_text(scene.s_since(arrived)))
            : "not usable";
    role = Role::critical;
  }
  const int at = pen.text(0, 1, state, role);
  const std::string pools = model.pools_text(row);
  std::string facts =
      fmt::format(", {}, {} {}, rack {}", model.spec_of(row).id,
                  model.pool_numbers_of(row).size() > 1 ? "pools" : "pool",
                  pools.empty() ? "-" : pools, hello.rack.empty() ? "-" : hello.rack);
  for (const Group& group : hello.groups) {
    if (group.number != devices.group(row)) continue;
    facts += fmt::format(", one of {} in g{}", group.count, group.number);
    if (!group.topology.empty()) facts += fmt::format(" ({})", group.topology);
  }
  pen.field(at, 1, pen.columns() - at, facts);
  if (condition == nullptr) return;
  pen.field(0, 2, pen.columns(), condition_text(condition->said),
            condition->said.usable ? Role::fault : Role::critical);
}

void draw_replicas_on(const Model& from, Pen pen, const std::vector<const ReplicaRow*>& replicas) {
  pen.heading(0, "Loaded here", "KV: tokens held of capacity");
  const int kv = std::clamp(pen.columns() / 5, 12, 30);
  const int model = std::max(8, pen.columns() - 5 - 11 - 5 - 5 - kv);
  const int state = 5 + model;
  const auto header = [&](int column, int width, std::string_view text, Align align) {
    pen.field(column, 1, width, text, Role::faint, align);
  };
  header(0, 4, "ID", Align::left);
  header(5, model - 1, "MODEL", Align::left);
  header(state, 10, "STATE", Align::left);
  header(state + 11, 4, "RUN", Align::right);
  header(state + 16, 4, "QUE", Align::right);
  header(state + 21, kv, "KV", Align::right);
  int row = 2;
  for (const ReplicaRow* shown : replicas) {
    const Replica& replica = shown->said.replica;
    pen.field(0, row, 4, fmt::format("r{}", replica.id.number));
    pen.field(5, row, model - 1, fmt::format("{} {}", replica.model, to_text(replica.precision)));
    if (is_gone(from, replica)) {
      pen.field(state, row, 10, "lost", Role::critical);
      pen.field(state + 21, row, kv, not_known, Role::faint, Align::right);
      ++row;
      continue;
    }
    const bool paused = replica.state == ReplicaState::ready && replica.pause != Pause::none;
    pen.field(state, row, 10, paused ? to_text(replica.pause) : to_text(replica.state),
              replica.state == ReplicaState::ready && !paused ? Role::good : Role::warm);
    pen.field(state + 11, row, 4, fmt::format("{}", replica.running), Role::plain, Align::right);
    pen.field(state + 16, row, 4, fmt::format("{}", replica.queued), Role::plain, Align::right);
    const auto used = static_cast<double>(replica.kv_used_tokens);
    const auto capacity = static_cast<double>(replica.kv_capacity_tokens);
    const double share = capacity > 0 ? used / capacity : absent;
    pen.gauge(state + 21, row, std::min(kv, pen.columns() - state - 21), share,
              fmt::format("{}/{}", count_text(used), count_text(capacity)),
              fill_role(share, 0.85, 0.97));
    ++row;
  }
  if (replicas.empty()) pen.text(0, 2, "no model", Role::faint);
}

void draw_mentions(Pen pen, const std::vector<Mention>& mentions) {
  pen.heading(0, "Decisions on it", "newest first");
  if (mentions.empty()) pen.text(0, 1, "none of late chose it or passed its kind by", Role::faint);
  const int model = std::clamp(pen.columns() / 4, 10, 24);
  int row = 1;
  for (const Mention& mention : mentions) {
    const Decision& decision = *mention.decision;
    pen.text(0, row, to_clock_text(decision.at), Role::faint);
    pen.field(9, row, model, decision.model);
    const int at = 10 + model;
    std::string text =
        decision.action == Action::assign ? "chosen" : std::string(to_text(decision.action));
    Role role = Role::good;
    if (mention.rejected != nullptr) {
      role = Role::warm;
      text =
          fmt::format("{} rejected: {}, {}", mention.rejected->count,
                      to_text(mention.rejected->reason), facts(mention.rejected->reason).meaning);
    } else if (decision.fallback_reason) {
      text += fmt::format(" as fallback: not {}, {}", decision.wanted_pool,
                          to_text(*decision.fallback_reason));
    } else if (!decision.top.empty()) {
      text += fmt::format(", score {:.3f}, best of {}", decision.top.front().score,
                          decision.considered);
    }
    pen.field(at, row, pen.columns() - at, text, role);
    ++row;
  }
}

/// Why charts are blank: of a moment that was stopped at long ago, memory holds no more samples.
void draw_no_history(const Scene& scene, Pen& pen, const Rect& chart) {
  const bool forgotten = scene.cursor.timeline().first() > scene.now;
  const int axis = value_axis_columns(chart.columns);
  pen.field(chart.column + axis + 1, chart.row + chart.rows / 2, chart.columns - axis - 1,
            forgotten ? "no history is kept" : "no sample was heard", Role::faint);
}

/// Answers the notes of the charts: the values of their figures now.
std::vector<std::string> draw_page(const Scene& scene, Canvas& canvas, bool ascii,
                                   DeviceTable::Row row, const DeviceLayout& layout,
                                   const SpecFacts& facts) {
  const DevicePage& page = layout.page;
  const PageLists& lists = layout.lists;
  Pen pen(canvas, {0, 0, canvas.size().columns, canvas.size().rows}, ascii);
  const TimeWindow window = page_window(scene, canvas.size().columns);
  std::vector<int> cells;
  for (const Rect& chart : page.charts) {
    cells.push_back(chart.columns - value_axis_columns(chart.columns));
  }
  const std::vector<MetricChart> metrics = metric_charts(scene, row, window, cells);
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    draw_metric_chart(pen, page.charts[i], metrics[i], window);
  }
  const std::vector<ChartPoint>& first = metrics.front().points;
  const bool blank = std::all_of(first.begin(), first.end(),
                                 [](const ChartPoint& point) { return std::isnan(point.value); });
  if (scene.series.at.empty() && blank) draw_no_history(scene, pen, page.charts.front());
  draw_throttle_strip(pen, page.strip, scene, row, window);
  draw_limits(pen.on(page.limits), facts, scene.model.reading(row, Metric::power_cap));
  draw_memory(pen.on(page.memory), lists.memory);
  draw_replicas_on(scene.model, pen.on(page.replicas), lists.replicas);
  draw_running_jobs(scene, pen.on(page.jobs), fmt::format("Runs here {}", lists.jobs.size()),
                    lists.jobs, false);
  draw_mentions(pen.on(page.decisions), lists.mentions);
  Pen news = pen.on(page.news);
  news.heading(0, "Events on it", lists.news.empty() ? "" : "newest first");
  draw_news(news, 1, lists.news);
  if (lists.news.empty()) news.text(0, 1, "nothing of late", Role::faint);
  if (const int figure = scene.choices.figure.index; figure >= 0) {
    pen.on(page.figure(figure)).tint(0, Role::selected);
  }
  std::vector<std::string> notes;
  for (const MetricChart& metric : metrics) notes.push_back(metric.note);
  return notes;
}

/// What a figure says now, in words as on the page.
std::string value_of(const Model& model, DeviceTable::Row row, int figure,
                     const std::vector<std::string>& notes, const SpecFacts& facts) {
  if (figure < throttle_figure) return notes[static_cast<std::size_t>(figure)];
  if (figure == throttle_figure) return throttle_text(model.reading(row, Metric::throttle));
  return limit_text(figure - first_limit, facts, model.reading(row, Metric::power_cap));
}

/// The figures that are seen can be clicked on.
void add_hits(const Scene& scene, const Rect& shown, const DevicePage& page, int top) {
  for (int figure = 0; figure < figure_count; ++figure) {
    Rect place = page.figure(figure);
    place.column += shown.column;
    place.row += shown.row - top;
    const bool seen = place.row >= shown.row && place.row < shown.row + shown.rows;
    if (seen) scene.hits.add(place, Hit::Kind::figure, figure);
  }
}

std::optional<DeviceTable::Row> chosen(const Model& model, const Choices& choices) {
  return choices.device ? model.find(*choices.device) : std::nullopt;
}

std::string no_device_text(const Scene& scene) {
  static constexpr std::string_view how = "Enter on the map or in the table opens one";
  if (!scene.choices.device) return fmt::format("no device is chosen: {}", how);
  const std::string id = printable(to_text(*scene.choices.device));
  if (scene.cursor.live()) return fmt::format("{} is not known any more: {}", id, how);
  return fmt::format("{} is not known at {}: {}", id, scene.clock_words(), how);
}

}  // namespace

ScrolledRows arrange_device_view(const Model& model, Choices& choices, Size area) {
  const auto row = chosen(model, choices);
  if (!row) return {};
  FigureChoice& figure = choices.figure;
  // To read a spec takes as long as to draw the rest of the view.
  const SpecFacts facts(figure.open ? model.spec_of(*row).text : std::string_view());
  const DeviceLayout layout = lay_out_device(model, choices, *row, facts, area);
  int& top = figure.open ? figure.page_top : choices.details_top;
  if (figure.index >= 0 && std::exchange(figure.follow, false)) {
    const Rect place = layout.page.figure(figure.index);
    top = std::clamp(top, place.row + 1 - std::max(1, layout.page_rows_seen), place.row);
  }
  top = std::clamp(top, 0, std::max(0, layout.page.rows - layout.page_rows_seen));
  if (figure.open) return {static_cast<int>(layout.panel.size()), layout.panel_rows - 1};
  return {layout.page.rows, layout.page_rows_seen};
}

Instant device_view_begin(const Scene& scene, int columns) {
  // The strip goes over all columns, and so reaches back farthest; the sample before it, and some
  // from which to tell how often one comes, may stand before it.
  constexpr int cells_before = 33;
  return page_window(scene, columns).begin(columns + cells_before);
}

void draw_device_view(const Scene& scene, const Pen& pen) {
  Pen view = pen;
  const auto row = chosen(scene.model, scene.choices);
  if (!row) {
    view.field(0, 0, view.columns(), no_device_text(scene), Role::faint);
    return;
  }
  const FigureChoice& figure = scene.choices.figure;
  const SpecFacts facts(scene.model.spec_of(*row).text);
  const DeviceLayout layout =
      lay_out_device(scene.model, scene.choices, *row, facts, {view.columns(), view.rows()});
  const int top = figure.open ? figure.page_top : scene.choices.details_top;
  std::string note = figure.open ? "" : scroll_note(layout.page.rows, layout.page_rows_seen, top);
  const int zoom = zoom_factors[static_cast<std::size_t>(scene.choices.zoom)];
  if (zoom > 1) note = fmt::format("{} times the time{}{}", zoom, note.empty() ? "" : ", ", note);
  draw_head(scene, view, *row, note);
  Canvas canvas({view.columns(), layout.page.rows});
  const std::vector<std::string> notes =
      draw_page(scene, canvas, view.ascii(), *row, layout, facts);
  const Rect shown{view.area().column, view.area().row + layout.head_rows, view.columns(),
                   layout.page_rows_seen};
  view.on(shown).paste(canvas, top, 0);
  add_hits(scene, shown, layout.page, top);
  if (layout.panel_rows == 0) return;
  draw_figure_panel(
      view.on({shown.column, shown.row + shown.rows, shown.columns, layout.panel_rows}),
      figures()[static_cast<std::size_t>(figure.index)],
      value_of(scene.model, *row, figure.index, notes, facts), layout.panel,
      scene.choices.details_top);
}

}  // namespace drover::tui
