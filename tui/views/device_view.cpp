// The details of one device: identity and state, every metric over time, limits, memory use,
// replicas, jobs, decisions and events. It is longer than most screens: the head stays, the rest
// scrolls, and an open formula is below it.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/device/device_charts.h"
#include "tui/device/device_limits.h"
#include "tui/device/device_page.h"
#include "tui/panels/panels.h"
#include "tui/tables/device_columns.h"
#include "tui/tables/device_queries.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

void draw_head(const FrameContext& frame, DrawRegion& region, DeviceTable::Row row,
               std::string_view scroll) {
  const Model& model = frame.model;
  const DeviceTable& devices = model.devices();
  const Register& registration = model.host_of(row).reported.registration;
  const ConditionRow* condition = model.condition_of(row);
  region.heading(0, fmt::format("Device {}", to_text(model.id_of(row))), scroll);
  const Instant arrived = devices.arrived(row);
  const Health health = model.host_of(row).reported.health;
  const bool lost = model.is_gone(row), stale = frame.stale(row);
  const bool sampled = arrived != Instant::min();
  const std::string last_sample =
      sampled ? fmt::format(", last sample {} ago", duration_text(frame.s_since(arrived)))
              : ", no sample";
  std::string state = health == Health::lost   ? "host lost"
                      : health == Health::left ? "host left"
                      : stale                  ? "stale"
                                               : "reporting";
  CellStyle style = health == Health::lost ? CellStyle::critical
                    : stale                ? CellStyle::stale
                                           : CellStyle::good;
  if (stale) state += last_sample;
  if (condition != nullptr && !condition->reported.usable && !lost) {
    state = stale && sampled ? "not usable" + last_sample : "not usable";
    style = CellStyle::critical;
  }
  const int at = region.text(0, 1, state, style);
  const std::string pools = model.pools_text(row);
  std::string facts =
      fmt::format(", {}, {} {}, rack {}", model.spec_of(row).id,
                  model.pool_numbers_of(row).size() > 1 ? "pools" : "pool",
                  pools.empty() ? "-" : pools, registration.rack.empty() ? "-" : registration.rack);
  if (const Group* const group = model.group_of(row)) {
    facts += fmt::format(", one of {} in g{}", group->count, group->number);
    if (!group->topology.empty()) facts += fmt::format(" ({})", group->topology);
  }
  region.field(at, 1, region.columns() - at, facts);
  if (condition == nullptr) return;
  region.field(0, 2, region.columns(), condition_text(condition->reported),
               condition->reported.usable ? CellStyle::fault : CellStyle::critical);
}

void draw_replicas_on(const Model& from, DrawRegion region,
                      const std::vector<const ReplicaRow*>& replicas) {
  region.heading(0, "Replicas", "KV: tokens used of capacity");
  const int kv = std::clamp(region.columns() / 5, 12, 30);
  const int model = std::max(8, region.columns() - 5 - 11 - 5 - 6 - kv);
  const int state = 5 + model;
  const auto header = [&](int column, int width, std::string_view text, Align align) {
    region.field(column, 1, width, text, CellStyle::faint, align);
  };
  header(0, 4, "ID", Align::left);
  header(5, model - 1, "MODEL", Align::left);
  header(state, 10, "STATE", Align::left);
  header(state + 11, 4, "RUN", Align::right);
  header(state + 16, 5, "QUEUE", Align::right);
  header(state + 22, kv, "KV", Align::right);
  int row = 2;
  for (const ReplicaRow* shown : replicas) {
    const Replica& replica = shown->reported.replica;
    region.field(0, row, 4, fmt::format("r{}", replica.id.number));
    region.field(5, row, model - 1,
                 fmt::format("{} {}", replica.model, to_text(replica.precision)));
    if (is_gone(from, replica)) {
      region.field(state, row, 10, "lost", CellStyle::critical);
      region.field(state + 22, row, kv, not_known, CellStyle::faint, Align::right);
      ++row;
      continue;
    }
    const bool paused = replica.state == ReplicaState::ready && replica.pause != Pause::none;
    region.field(
        state, row, 10, paused ? to_text(replica.pause) : to_text(replica.state),
        replica.state == ReplicaState::ready && !paused ? CellStyle::good : CellStyle::warm);
    region.field(state + 11, row, 4, fmt::format("{}", replica.running), CellStyle::plain,
                 Align::right);
    region.field(state + 16, row, 5, fmt::format("{}", replica.queued), CellStyle::plain,
                 Align::right);
    const auto used = static_cast<double>(replica.kv_used_tokens);
    const auto capacity = static_cast<double>(replica.kv_capacity_tokens);
    const double share = capacity > 0 ? used / capacity : absent;
    region.gauge(state + 22, row, std::min(kv, region.columns() - state - 22), share,
                 fmt::format("{}/{}", count_text(used), count_text(capacity)),
                 gauge_style(share, 0.85, 0.97));
    ++row;
  }
  if (replicas.empty()) region.text(0, 2, "no replicas", CellStyle::faint);
}

void draw_device_decisions(DrawRegion region, const std::vector<DeviceDecision>& device_decisions) {
  region.heading(0, "Decisions", "newest first");
  if (device_decisions.empty())
    region.text(0, 1, "no recent decision involved it", CellStyle::faint);
  const int model = std::clamp(region.columns() / 4, 10, 24);
  int row = 1;
  for (const DeviceDecision& entry : device_decisions) {
    const Decision& decision = *entry.decision;
    region.text(0, row, to_clock_text(decision.at), CellStyle::faint);
    region.field(9, row, model, decision.model);
    const int at = 10 + model;
    std::string text =
        decision.action == Action::assign ? "chosen" : std::string(to_text(decision.action));
    CellStyle style = CellStyle::good;
    if (entry.rejected != nullptr) {
      style = CellStyle::warm;
      text = fmt::format("{} rejected: {}, {}", entry.rejected->count,
                         to_text(entry.rejected->reason), facts(entry.rejected->reason).meaning);
    } else if (decision.fallback_reason) {
      text += fmt::format(" as a fallback from {}: {}", decision.preferred_pool,
                          to_text(*decision.fallback_reason));
    } else if (!decision.top.empty()) {
      text += fmt::format(", score {:.3f}, best of {}", decision.top.front().score,
                          decision.considered);
    }
    region.field(at, row, region.columns() - at, text, style);
    ++row;
  }
}

/// Why charts are blank. The samples of a moment that was paused long ago are no longer in memory.
void draw_no_history(const FrameContext& frame, DrawRegion& region, const Rect& chart) {
  const bool forgotten = frame.cursor.timeline().first() > frame.now;
  const int axis = value_axis_columns(chart.columns);
  region.field(chart.column + axis + 1, chart.row + chart.rows / 2, chart.columns - axis - 1,
               forgotten ? "no history is kept" : "no sample received", CellStyle::faint);
}

/// The current value of a metric or limit, as text.
std::string value_of(const Model& model, DeviceTable::Row row, int figure,
                     const std::vector<std::string>& notes, const SpecFacts& facts) {
  if (figure < throttle_formula_index) return notes[static_cast<std::size_t>(figure)];
  if (figure == throttle_formula_index) return throttle_text(model.reading(row, Metric::throttle));
  return limit_text(figure - first_limit, facts, model.reading(row, Metric::power_cap));
}

std::optional<DeviceTable::Row> chosen(const Model& model, const UiState& ui) {
  return ui.device ? model.find(*ui.device) : std::nullopt;
}

std::string no_device_text(const FrameContext& frame) {
  static constexpr std::string_view how = "Enter on the map or in the table opens one";
  if (!frame.ui.device) return fmt::format("no device is selected: {}", how);
  const std::string id = printable(to_text(*frame.ui.device));
  if (frame.cursor.live()) return fmt::format("{} is no longer in the fleet: {}", id, how);
  return fmt::format("{} is not in the fleet at {}: {}", id, frame.clock_words(), how);
}

/// Shows ui.device, which is set when the view is shown unless the fleet is empty.
class DeviceView : public View {
 public:
  explicit DeviceView(UiState& ui) : View(ui, &ui.devices.place), figure_(ui.figure) {}

  void draw(const FrameContext& frame, const DrawRegion& region) const override {
    DrawRegion view = region;
    const auto row = chosen(frame.model, ui_);
    if (!row) {
      view.field(0, 0, view.columns(), no_device_text(frame), CellStyle::faint);
      return;
    }
    const SpecFacts facts(frame.model.spec_of(*row).text);
    const int top = figure_.open ? figure_.page_top : ui_.details_top;
    const std::string scroll =
        figure_.open ? "" : scroll_note(layout_.page.rows, layout_.page_rows_seen, top);
    draw_head(frame, view, *row, zoomed_note(ui_, scroll));
    Canvas canvas({view.columns(), layout_.page.rows});
    const std::vector<std::string> notes = draw_page(frame, canvas, view.ascii(), *row, facts);
    const Rect shown{view.area().column, view.area().row + layout_.head_rows, view.columns(),
                     layout_.page_rows_seen};
    view.on(shown).paste(canvas, top, 0);
    add_click_targets(frame, shown, top);
    if (layout_.panel_rows == 0) return;
    draw_formula_panel(
        view.on({shown.column, shown.row + shown.rows, shown.columns, layout_.panel_rows}),
        metric_formulas()[static_cast<std::size_t>(figure_.index)],
        value_of(frame.model, *row, figure_.index, notes, facts), layout_.panel, ui_.details_top);
  }
  std::vector<CompactLine> compact_lines(const FrameContext& frame, int) const override {
    const auto row = chosen(frame.model, ui_);
    if (!row) return {{"no device is selected", CellStyle::faint}};
    const Model& model = frame.model;
    std::vector<CompactLine> lines = {compact_device(frame, *row, -1)};
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
    for (const JobRow* job : jobs_on(model, *ui_.device)) {
      lines.push_back({fmt::format("{} {}", to_short_text(job->reported.job.id),
                                   job->reported.job.work.model)});
    }
    return lines;
  }
  ScrolledRows lay_out(const LayoutInput& at) override {
    sort_devices(at.model, ui_.fleet_filter, ui_.devices, at.now, at.resort_every, ui_.moved_at);
    columns_ = at.body.columns;
    if (!ui_.device) {
      if (const auto first = device_at(ui_.devices, 0, 1)) ui_.device = at.model.id_of(*first);
    }
    const auto row = chosen(at.model, ui_);
    if (!row) return {};
    // Parsing a spec takes as long as drawing the rest of the view, so it is parsed only if needed.
    const SpecFacts facts(figure_.open ? at.model.spec_of(*row).text : std::string_view());
    layout_ = lay_out_device(at.model, figure_, *row, facts, {at.body.columns, at.body.rows});
    int& top = figure_.open ? figure_.page_top : ui_.details_top;
    if (figure_.index >= 0 && std::exchange(figure_.follow, false)) {
      const Rect place = layout_.page.figure(figure_.index);
      top = std::clamp(top, place.row + 1 - std::max(1, layout_.page_rows_seen), place.row);
    }
    top = std::clamp(top, 0, std::max(0, layout_.page.rows - layout_.page_rows_seen));
    if (figure_.open) return {static_cast<int>(layout_.panel.size()), layout_.panel_rows - 1};
    return {layout_.page.rows, layout_.page_rows_seen};
  }
  ChartRange chart_range(const FrameContext& frame) const override {
    // The strip spans all columns and so reaches back farthest. It needs the sample before it, and
    // some more to determine the sample interval.
    constexpr int cells_before = 33;
    const TimeWindow window = page_window(frame, columns_);
    return {window.begin(columns_ + cells_before), window.bin};
  }
  void move(const KeyContext& context, Move direction) override {
    if (direction != Move::left && direction != Move::right) return View::move(context, direction);
    const int from = figure_.index;
    ui_.select_figure(from < 0 ? 0 : direction == Move::right ? from + 1 : from - 1);
  }
  std::optional<ViewId> open_selected(const KeyContext&) override {
    if (figure_.index < 0) figure_.index = 0;
    if (!figure_.open) figure_.page_top = ui_.details_top;
    figure_.open = figure_.follow = true;
    return std::nullopt;
  }
  /// Closes the formula, else clears the selected metric, else leaves the view.
  bool back() override {
    if (figure_.open) {
      figure_.open = false;
      ui_.details_top = figure_.page_top;
    } else if (std::exchange(figure_.index, -1) < 0) {
      ui_.view = ui_.before_device;
      ui_.details_top = 0;
    }
    return true;
  }
  bool scrolls_as_page() const override { return true; }
  void move_on(const KeyContext&) override {}

  // The keys j and k select other devices in the order of the table.
  std::optional<int> count() const override { return static_cast<int>(ui_.devices.lines.size()); }
  int selected(const Model& model) const override { return ui_.selected_device(model); }
  void select(const Model& model, int index, int direction) override {
    ui_.select_device(model, index, direction);
    figure_.follow = true;  // the same metric of another device
  }
  std::string search_text(const Model& model, int index) const override {
    return search_text_of(ui_.devices, model, index);
  }

 private:
  /// Returns the notes of the charts: the current values of their metrics.
  std::vector<std::string> draw_page(const FrameContext& frame, Canvas& canvas, bool ascii,
                                     DeviceTable::Row row, const SpecFacts& facts) const {
    const DevicePage& page = layout_.page;
    const PageLists& lists = layout_.lists;
    DrawRegion region(canvas, {0, 0, canvas.size().columns, canvas.size().rows}, ascii);
    const TimeWindow window = page_window(frame, canvas.size().columns);
    std::vector<int> cells;
    for (const Rect& chart : page.charts) {
      cells.push_back(chart.columns - value_axis_columns(chart.columns));
    }
    const std::vector<MetricChart> metrics = metric_charts(frame, row, window, cells);
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      draw_metric_chart(region, page.charts[i], metrics[i], window);
    }
    const std::vector<ChartPoint>& first = metrics.front().points;
    const bool blank = std::all_of(first.begin(), first.end(),
                                   [](const ChartPoint& point) { return std::isnan(point.value); });
    if (frame.series.at.empty() && blank) draw_no_history(frame, region, page.charts.front());
    draw_throttle_strip(region, page.strip, frame, row, window);
    draw_limits(region.on(page.limits), facts, frame.model.reading(row, Metric::power_cap));
    draw_memory(region.on(page.memory), lists.memory);
    draw_replicas_on(frame.model, region.on(page.replicas), lists.replicas);
    draw_running_jobs(frame, region.on(page.jobs),
                      fmt::format("Running jobs {}", lists.jobs.size()), lists.jobs, false);
    draw_device_decisions(region.on(page.decisions), lists.device_decisions);
    DrawRegion events = region.on(page.events);
    events.heading(0, "Events", lists.events.empty() ? "" : "newest first");
    draw_log_entries(events, 1, lists.events);
    if (lists.events.empty()) events.text(0, 1, "no recent events", CellStyle::faint);
    if (const int figure = figure_.index; figure >= 0) {
      region.on(page.figure(figure)).tint(0, CellStyle::selected);
    }
    std::vector<std::string> notes;
    for (const MetricChart& metric : metrics) notes.push_back(metric.note);
    return notes;
  }
  /// Makes the visible metrics and limits clickable.
  void add_click_targets(const FrameContext& frame, const Rect& shown, int top) const {
    for (int figure = 0; figure < metric_formula_count; ++figure) {
      Rect place = layout_.page.figure(figure);
      place.column += shown.column;
      place.row += shown.row - top;
      const bool seen = place.row >= shown.row && place.row < shown.row + shown.rows;
      if (seen) frame.click_targets.add(place, ClickTarget::Kind::figure, figure);
    }
  }

  FormulaSelection& figure_;
  int columns_ = 0;      // of the view
  DeviceLayout layout_;  // its lists refer to the model of the layout
};

}  // namespace

std::unique_ptr<View> make_device_view(UiState& ui) { return std::make_unique<DeviceView>(ui); }

}  // namespace drover::tui
