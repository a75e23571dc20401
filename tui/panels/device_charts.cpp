#include "tui/panels/device_charts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/panels/metric_history.h"
#include "tui/tables/device_diagnosis.h"

namespace drover::tui {
namespace {

/// Marks values that depend on assumed constants of the emulated device.
const char* mark(bool assumed) { return assumed ? "~" : ""; }

std::string celsius_text(double celsius) { return fmt::format("{:.0f}C", celsius); }
/// Zero means unknown in specs.
double fact_or_absent(double value) { return value > 0 ? value : absent; }
std::string whole_text(double value) { return fmt::format("{:.0f}", value); }

struct ChartBuilder {
  const FrameContext& frame;
  DeviceTable::Row row;
  const TimeWindow& window;
  const std::vector<int>& cells;  // of each chart
  Duration staleness_limit;
  std::vector<MetricChart> charts;

  int cells_of_next() const { return cells.at(charts.size()); }
  /// The past for the chart that is added next.
  MetricHistory history() const { return {frame, frame.series, row, window, cells_of_next()}; }
  std::vector<ChartPoint> past(Metric metric) const { return history().points(metric); }

  /// The greatest value that the next chart shows; earlier peaks do not affect the scale.
  double greatest(const std::vector<ChartPoint>& points) const {
    double most = 0;
    for (const double value : bin_values(points, window, 2 * cells_of_next(), staleness_limit)) {
      if (value > most) most = value;
    }
    return most;
  }

  double now(Metric metric) const { return frame.model.reading(row, metric); }

  /// `metric`: the first of the chart, whose newest value stands at the end of the area.
  MetricChart& add(std::string title, Metric metric, std::string note,
                   std::vector<ChartPoint> points, std::string (*text)(double),
                   const ChartScale& scale, CellStyle style) {
    const double most = greatest(points);
    MetricChart chart{std::move(title), {}, std::move(note), {}, std::move(points), {}, {}};
    chart.chart.text = text;
    chart.chart.scale = scale;
    chart.chart.staleness_limit = staleness_limit;
    chart.chart.style = style;
    const double latest = now(metric);
    if (std::isnan(latest)) {
      chart.chart.missing = why_missing(frame.model, row, metric);
    } else {
      chart.chart.latest = text(latest);
      chart.heading = "max " + text(std::max(most, latest));
    }
    charts.push_back(std::move(chart));
    return charts.back();
  }

  /// Adds a second metric as a line. The heading then has the values of both: at the end of the
  /// area, a value could stand on the line.
  static void add_line(MetricChart& metric, std::vector<ChartPoint> line, const std::string& values,
                       std::string short_title) {
    metric.line = std::move(line);
    metric.heading = values;
    metric.chart.latest.clear();
    metric.short_title = std::move(short_title);
  }

  void add_share(const std::string& title, Metric metric, CellStyle style) {
    add(title, metric, percent_text(now(metric)), past(metric), percent_text, {0, 1}, style);
  }

  void add_memory() {
    double total = now(Metric::memory_total);
    if (std::isnan(total)) total = fact_or_absent(frame.model.spec_of(row).memory_bytes);
    std::vector<ChartPoint> points = past(Metric::memory_used);
    const ChartScale scale = total > 0 ? ChartScale{0, total} : scale_up_to(greatest(points), 1024);
    const double used = now(Metric::memory_used);
    MetricChart& metric = add(
        "memory used", Metric::memory_used,
        std::isnan(used) ? std::string(not_known)
                         : fmt::format("{} of {}", bytes_text(used), known_text(total, bytes_text)),
        std::move(points), bytes_text, scale, CellStyle::accent);
    if (!(total > 0)) return;
    metric.chart.limit = total;
    metric.chart.limit_label = "size " + bytes_text(total);
  }

  void add_power() {
    const double cap = now(Metric::power_cap);
    std::vector<ChartPoint> points = past(Metric::power);
    std::vector<ChartPoint> caps = past(Metric::power_cap);
    const double most =
        std::max({greatest(points), greatest(caps), frame.model.spec_of(row).tdp_w});
    const char* const assumed = mark(frame.model.spec_of(row).power_assumed);
    MetricChart& metric =
        add("power", Metric::power,
            fmt::format("{}{}{}", assumed, known_text(now(Metric::power), watts_text),
                        std::isnan(cap) ? "" : ", cap " + watts_text(cap)),
            std::move(points), watts_text, scale_up_to(most), CellStyle::hot);
    metric.line = std::move(caps);
    mark_assumed(metric, assumed);
    if (!std::isnan(cap)) metric.chart.limit_label = "cap " + watts_text(cap);
  }

  void add_temperature() {
    const SpecRow& spec = frame.model.spec_of(row);
    const double limit = spec.slowdown_c;
    const double chip = now(Metric::temperature), memory = now(Metric::memory_temperature);
    const bool has_memory = !std::isnan(memory);  // not all boards have such a sensor
    const char* const assumed = mark(spec.temperature_assumed);
    const std::string values = fmt::format("{}{}{}", assumed, known_text(chip, celsius_text),
                                           has_memory ? ", " + celsius_text(memory) : "");
    MetricChart& metric = add(
        has_memory ? "temperature: chip (area), memory (line)" : "temperature", Metric::temperature,
        limit > 0 ? fmt::format("{}, throttles at {}", values, celsius_text(limit)) : values,
        past(Metric::temperature), celsius_text, {20, 100}, CellStyle::warm);
    mark_assumed(metric, assumed);
    if (has_memory) {
      add_line(metric, past(Metric::memory_temperature), values, "temp: chip, memory (line)");
    }
    metric.chart.line_style = CellStyle::hot;
    if (!(limit > 0)) return;
    metric.chart.limit = limit;
    metric.chart.limit_label = "throttles at " + celsius_text(limit);
  }

  void add_work() {
    std::vector<ChartPoint> running = past(Metric::running);
    std::vector<ChartPoint> queue = past(Metric::queue);
    // An empty queue has no line: at the bottom it would hide the running requests.
    for (ChartPoint& point : queue) {
      if (point.value == 0) point.value = absent;
    }
    // At least four, so that the middle of the scale is not half a request.
    const ChartScale scale = scale_up_to(std::max({4.0, greatest(running), greatest(queue)}));
    const std::string values = fmt::format("{}, {}", known_text(now(Metric::running), count_text),
                                           known_text(now(Metric::queue), count_text));
    MetricChart& metric = add("requests: running (area), queued (line)", Metric::running, values,
                              std::move(running), count_text, scale, CellStyle::accent);
    add_line(metric, std::move(queue), values, "running, queued (line)");
  }

  /// Of a real device, on which other programs than Drover's agents run.
  void add_pcie() {
    std::vector<ChartPoint> sent = past(Metric::pcie_sent);
    std::vector<ChartPoint> received = past(Metric::pcie_received);
    const ChartScale scale =
        scale_up_to(std::max({1024.0, greatest(sent), greatest(received)}), 1024);
    const double out = now(Metric::pcie_sent), in = now(Metric::pcie_received);
    const std::string values =
        fmt::format("{}, {}", known_text(out, bytes_text), known_text(in, bytes_text));
    MetricChart& metric = add("PCIe, bytes/s: out (area), in (line)", Metric::pcie_sent,
                              std::isnan(out) && std::isnan(in) ? std::string(not_known) : values,
                              std::move(sent), bytes_text, scale, CellStyle::accent);
    add_line(metric, std::move(received), metric.note, "PCIe out, in (line)");
  }

  void add_clock() {
    std::vector<ChartPoint> points = past(Metric::clock);
    const double mhz = now(Metric::clock);
    const ChartScale scale =
        scale_up_to(std::max(greatest(points), frame.model.spec_of(row).clock_max_mhz));
    add("clock, MHz", Metric::clock, known_text(mhz, whole_text), std::move(points), whole_text,
        scale, CellStyle::accent);
  }

  void add_energy() {
    std::vector<ChartPoint> rates = history().rates(Metric::energy);
    const ChartScale scale = scale_up_to(std::max(greatest(rates), frame.model.spec_of(row).tdp_w));
    const double latest = rates.empty() ? absent : rates.back().value;
    const std::string note =
        fmt::format("{} in total", known_text(now(Metric::energy), joules_text));
    MetricChart& metric = add("power from energy counter", Metric::energy, note, std::move(rates),
                              watts_text, scale, CellStyle::hot);
    metric.heading = note;
    metric.short_title = "power by counter";
    metric.chart.latest = std::isnan(latest) ? std::string() : watts_text(latest);
  }

  static void mark_assumed(MetricChart& metric, const char* assumed) {
    if (!metric.chart.latest.empty()) metric.chart.latest.insert(0, assumed);
  }
};

/// ", total: power cap 12s, thermal 3s"; empty if there is no throttle time.
std::string throttle_time_text(const Model& model, DeviceTable::Row row) {
  std::string text;
  for (const ThrottleCause& it : throttle_causes) {
    const double seconds = model.reading(row, it.metric);
    if (!(seconds > 0)) continue;
    text +=
        fmt::format("{} {} {}", text.empty() ? ", total:" : ",", it.name, duration_text(seconds));
  }
  return text;
}

// If several reasons apply to a cell, the first of these is shown.
constexpr std::array<StripMarker, 6> throttle_signs = {{
    {throttle_hw_slowdown, "H", "hw", CellStyle::critical},
    {throttle_hw_thermal_slowdown, "T", "hw thermal", CellStyle::hot},
    {throttle_sw_thermal_slowdown, "t", "thermal", CellStyle::warm},
    {throttle_sw_power_cap, "P", "power cap", CellStyle::warm},
    {throttle_cause_unknown, "s", "unknown cause", CellStyle::warm},
    {throttle_gpu_idle, "i", "idle", CellStyle::faint},
}};

bool has_value(const std::vector<ChartPoint>& points, double value) {
  return std::any_of(points.begin(), points.end(),
                     [&](const ChartPoint& point) { return point.value == value; });
}

}  // namespace

std::vector<MetricChart> metric_charts(const FrameContext& frame, DeviceTable::Row row,
                                       const TimeWindow& window, const std::vector<int>& cells) {
  DROVER_REQUIRE(cells.size() == metric_chart_count);
  ChartBuilder builder{frame, row, window, cells, staleness_limit(frame.series.at, window.bin), {}};
  builder.add_share("utilization", Metric::utilization, CellStyle::good);
  builder.add_memory();
  builder.add_power();
  builder.add_temperature();
  if (frame.model.spec_of(row).real) {
    builder.add_pcie();
  } else {
    builder.add_work();
  }
  builder.add_clock();
  builder.add_share("tensor activity", Metric::tensor_activity, CellStyle::good);
  builder.add_share("memory bandwidth", Metric::memory_activity, CellStyle::good);
  builder.add_energy();
  DROVER_REQUIRE(builder.charts.size() == metric_chart_count);
  return std::move(builder.charts);
}

void draw_metric_chart(DrawRegion& region, const Rect& area, const MetricChart& metric,
                       const TimeWindow& window, TimeLabels labels) {
  if (area.rows < 3 || area.columns <= 0) return;
  DrawRegion part = region.part(area);
  const bool by_chart = !metric.heading.empty() && has_labels(area.rows - 2);
  const std::string& note = by_chart ? metric.heading : metric.note;
  const std::size_t needed = metric.title.size() + note.size() + 3;
  const bool fits = metric.short_title.empty() || static_cast<int>(needed) <= area.columns;
  part.heading(0, fits ? metric.title : metric.short_title, note);
  Chart chart = metric.chart;
  chart.area = metric.points;
  chart.line = metric.line;
  draw_chart(part, {0, 1, area.columns, area.rows - 2}, chart, window);
  const int axis = value_axis_columns(area.columns);
  draw_time_axis(part, axis, area.rows - 1, area.columns - axis, window, labels);
}

void draw_throttle_strip(DrawRegion& region, const Rect& area, const FrameContext& frame,
                         DeviceTable::Row row, const TimeWindow& charts, int chart_cells,
                         const ChartSpan& span) {
  DrawRegion part = region.part(area);
  const int axis = value_axis_columns(area.columns);
  const int cells = area.columns - axis;
  const std::vector<ChartPoint> points =
      MetricHistory{frame, frame.series, row, charts, chart_cells}.throttle_reasons();
  const TimeWindow window = window_of(frame.now, span.shown, cells);
  std::string legend;
  for (const StripMarker& sign : throttle_signs) {
    if (sign.bits == throttle_cause_unknown && !has_value(points, throttle_cause_unknown)) continue;
    legend += fmt::format("{} {}  ", sign.sign, sign.name);
  }
  legend += part.ascii() ? ". none" : "· none";
  std::string title = "throttle reasons";
  const std::string times = throttle_time_text(frame.model, row);
  // The legend takes precedence if there is no room for both.
  const auto room = static_cast<std::size_t>(area.columns);
  if (!times.empty() && title.size() + times.size() + legend.size() + 4 <= room) title += times;
  if (std::ranges::all_of(points, [](const ChartPoint& it) { return std::isnan(it.value); })) {
    part.heading(0, title);
    part.field(axis, 1, cells,
               fmt::format("{}: {}", not_known, why_missing(frame.model, row, Metric::throttle)),
               CellStyle::faint);
    return;
  }
  part.heading(0, title, legend);
  draw_strip(part, axis, 1, cells, points, window, staleness_limit(frame.series.at, window.bin),
             throttle_signs);
  draw_time_axis(part, axis, 2, cells, window, time_labels(span));
}

}  // namespace drover::tui
