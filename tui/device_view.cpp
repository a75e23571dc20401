// One device in full: who it is and how it is, every metric over time, what is loaded and runs on
// it, why work came to it or went past it, and what happened to it. Longer than most screens: the
// head stays, the rest scrolls.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fleet/text.h"
#include "fleet/units.h"
#include "tui/columns.h"
#include "tui/device_charts.h"
#include "tui/device_facts.h"
#include "tui/fleet_panels.h"
#include "tui/news_panels.h"
#include "tui/views.h"

namespace drover::tui {
namespace {

constexpr int wide_columns = 100;  // from here on, three charts and two lists stand abreast
constexpr int roomy_columns = 160;
constexpr std::size_t list_most = 10;
constexpr int gap = 2;

/// Where everything lies on the page that scrolls below the head.
struct Page {
  std::vector<Rect> charts;
  Rect strip, replicas, jobs, decisions, news;
  int rows = 0;
};

struct Lists {
  std::vector<const ReplicaRow*> replicas;
  std::vector<const JobRow*> jobs;
  std::vector<Mention> mentions;
  std::vector<News> news;
};

Lists lists_of(const Model& model, DeviceTable::Row row) {
  const DeviceId id = model.id_of(row);
  return {replicas_on(model, id), jobs_on(model, id), mentions_of(model, row, list_most),
          latest_news(model, list_most, id)};
}

/// A heading and at least one line, which may say that there is nothing.
int list_rows(std::size_t lines) {
  return 1 + static_cast<int>(std::clamp<std::size_t>(lines, 1, list_most));
}

int charts_abreast(int columns) { return columns < wide_columns ? 2 : 3; }

/// Before the strip of throttle reasons; the others stand below it.
int charts_before_strip(int columns) { return columns < wide_columns ? 6 : metric_chart_count; }

int chart_columns(int columns) {
  const int abreast = charts_abreast(columns);
  return (columns - gap * (abreast - 1)) / abreast;
}

/// What all charts of the page show, so that one moment stands below another.
TimeWindow page_window(const Scene& scene, int columns) {
  const int chart = chart_columns(columns);
  TimeWindow window = window_of(scene, chart - value_axis_columns(chart));
  window.bin *= zoom_factors[static_cast<std::size_t>(scene.choices.zoom)];
  return window;
}

int lines_of_charts(int columns, int count) {
  return (count + charts_abreast(columns) - 1) / charts_abreast(columns);
}

void place_charts(Page& page, int columns, int count, int more_rows) {
  const int abreast = charts_abreast(columns);
  const int width = chart_columns(columns);
  const int rows = (columns < wide_columns ? 5 : columns < roomy_columns ? 7 : 9) + more_rows;
  for (int i = 0; i < count; ++i) {
    const int place = i % abreast;
    // What division leaves over widens the last one.
    const int own = place + 1 < abreast ? width : columns - place * (width + gap);
    page.charts.push_back({place * (width + gap), page.rows + i / abreast * rows, own, rows});
  }
  page.rows += lines_of_charts(columns, count) * rows;
}

Page lay_out_page(int columns, const Lists& lists, int more_rows) {
  Page page;
  const int before_strip = charts_before_strip(columns);
  place_charts(page, columns, before_strip, more_rows);
  page.strip = {0, page.rows, columns, 3};
  page.rows += 3;
  place_charts(page, columns, metric_chart_count - before_strip, more_rows);
  const bool abreast = columns >= wide_columns;
  const int left = abreast ? (columns - gap) / 2 : columns;
  const auto place = [](int column, int width, int& row, std::size_t lines) {
    const Rect rect{column, row, width, list_rows(lines)};
    row += rect.rows + 1;
    return rect;
  };
  int left_row = page.rows;
  page.replicas = place(0, left, left_row, std::max<std::size_t>(1, lists.replicas.size()) + 1);
  page.jobs = place(0, left, left_row, lists.jobs.size());
  int right_row = abreast ? page.rows : left_row;
  const int right = abreast ? left + gap : 0;
  page.decisions = place(right, columns - right, right_row, lists.mentions.size());
  page.news = place(right, columns - right, right_row, lists.news.size());
  page.rows = std::max(left_row, right_row) - 1;
  return page;
}

/// On so many rows: what the page leaves over makes the charts higher, all of them alike, and two
/// rows at a time, which keeps their middle.
Page lay_out_page_on(Size room, const Lists& lists) {
  const Page page = lay_out_page(room.columns, lists, 0);
  const int before_strip = charts_before_strip(room.columns);
  const int lines = lines_of_charts(room.columns, before_strip) +
                    lines_of_charts(room.columns, metric_chart_count - before_strip);
  const int more_rows = std::max(0, room.rows - page.rows) / lines / 2 * 2;
  return more_rows == 0 ? page : lay_out_page(room.columns, lists, more_rows);
}

int head_rows(const Model& model, DeviceTable::Row row) {
  return model.condition_of(row) == nullptr ? 2 : 3;
}

void draw_head(const Scene& scene, Pen& pen, DeviceTable::Row row, std::string_view scroll) {
  const Model& model = scene.model;
  const DeviceTable& devices = model.devices();
  const Hello& hello = model.host_of(row).said.hello;
  const ConditionRow* condition = model.condition_of(row);
  pen.heading(0, fmt::format("Device {}", to_text(model.id_of(row))), scroll);
  const Instant arrived = devices.arrived(row);
  const bool lost = model.is_lost(row);
  std::string state = lost ? "host lost" : scene.stale(row) ? "stale" : "reporting";
  Role role = lost ? Role::critical : scene.stale(row) ? Role::stale : Role::good;
  if (lost || scene.stale(row)) {
    state += arrived == Instant::min()
                 ? ", no sample"
                 : fmt::format(", last sample {} ago", duration_text(scene.s_since(arrived)));
  }
  if (condition != nullptr && !condition->said.usable && !lost) {
    state = "not usable";
    role = Role::critical;
  }
  const int at = pen.text(0, 1, state, role);
  const std::string_view pool = model.pool_of(row);
  std::string facts = fmt::format(", {}, pool {}, rack {}", model.spec_of(row).id,
                                  pool.empty() ? "-" : pool, hello.rack.empty() ? "-" : hello.rack);
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

void draw_replicas_on(Pen pen, const std::vector<const ReplicaRow*>& replicas) {
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
    pen.field(state, row, 10, to_text(replica.state),
              replica.state == ReplicaState::ready ? Role::good : Role::warm);
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

void draw_page(const Scene& scene, Canvas& canvas, bool ascii, DeviceTable::Row row,
               const Page& page, const Lists& lists) {
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
  draw_replicas_on(pen.on(page.replicas), lists.replicas);
  draw_running_jobs(scene, pen.on(page.jobs), fmt::format("Runs here {}", lists.jobs.size()),
                    lists.jobs, false);
  draw_mentions(pen.on(page.decisions), lists.mentions);
  Pen news = pen.on(page.news);
  news.heading(0, "Events on it", lists.news.empty() ? "" : "newest first");
  draw_news(news, 1, lists.news);
  if (lists.news.empty()) news.text(0, 1, "nothing of late", Role::faint);
}

std::optional<DeviceTable::Row> chosen(const Model& model, const Choices& choices) {
  return choices.device ? model.find(*choices.device) : std::nullopt;
}

std::string no_device_text(const Scene& scene) {
  static constexpr std::string_view how = "Enter on the map or in the table opens one";
  if (!scene.choices.device) return fmt::format("no device is chosen: {}", how);
  const std::string id = printable(to_text(*scene.choices.device));
  if (scene.cursor.live()) return fmt::format("{} is not known any more: {}", id, how);
  return fmt::format("{} is not known at {} UTC: {}", id, to_clock_text(scene.now), how);
}

}  // namespace

ScrolledRows device_view_rows(const Model& model, const Choices& choices, Size area) {
  const auto row = chosen(model, choices);
  if (!row) return {};
  const int seen = area.rows - head_rows(model, *row);
  return {lay_out_page_on({area.columns, seen}, lists_of(model, *row)).rows, seen};
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
  const int head = head_rows(scene.model, *row);
  const Lists lists = lists_of(scene.model, *row);
  const Page page = lay_out_page_on({view.columns(), view.rows() - head}, lists);
  std::string note = scroll_note(page.rows, view.rows() - head, scene.choices.details_top);
  const int zoom = zoom_factors[static_cast<std::size_t>(scene.choices.zoom)];
  if (zoom > 1) note = fmt::format("{} times the time{}{}", zoom, note.empty() ? "" : ", ", note);
  draw_head(scene, view, *row, note);
  Canvas canvas({view.columns(), page.rows});
  draw_page(scene, canvas, view.ascii(), *row, page, lists);
  view.paste(canvas, scene.choices.details_top, head);
}

}  // namespace drover::tui
