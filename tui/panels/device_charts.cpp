#include "tui/panels/device_charts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/history/chart_history.h"

namespace drover::tui {
namespace {

constexpr double shown_least_s = 100;  // of wall time
// Of fleet time, which may be so fast that instants before longer charts would overflow.
constexpr Duration shown_most = std::chrono::hours(20 * 366 * 24);

/// Marks values that depend on assumed constants of the emulated device.
const char* mark(bool assumed) { return assumed ? "~" : ""; }

std::string celsius_text(double celsius) { return fmt::format("{:.0f}C", celsius); }
std::string whole_text(double value) { return fmt::format("{:.0f}", value); }

/// Reads the series from the window's begin on, with the sample before it, which may still be
/// valid.
struct Reader {
  const Series& series;
  std::size_t first = 0;

  Reader(const Series& from, const TimeWindow& window, int cells) : series(from) {
    const auto begin = std::lower_bound(series.at.begin(), series.at.end(), window.begin(cells));
    first = static_cast<std::size_t>(begin - series.at.begin());
    if (first > 0) --first;
  }

  std::vector<ChartPoint> points(Metric metric) const {
    std::vector<ChartPoint> points;
    const std::vector<double>& values = series.of(metric);
    for (std::size_t i = first; i < series.at.size(); ++i) {
      points.push_back({series.at[i], values[i]});
    }
    return points;
  }

  /// The growth of a counter per second, over `least` or longer, as samples may arrive shortly
  /// after each other. A counter that fell was reset.
  std::vector<ChartPoint> rates(Metric metric, Duration least) const {
    std::vector<ChartPoint> rates;
    ChartPoint before;
    for (const ChartPoint& point : points(metric)) {
      const bool counts = !std::isnan(point.value);
      if (counts && point.value >= before.value && point.at - before.at < least) continue;
      const double grown = (point.value - before.value) / to_seconds(point.at - before.at);
      rates.push_back({point.at, point.value >= before.value ? grown : absent});
      if (counts) before = point;
    }
    return rates;
  }
};

/// The history's bins of the window that `cells` cells show.
HistoryBins bins_before(const FrameContext& frame, DeviceTable::Row row, HistoryMetric metric,
                        const TimeWindow& window, int cells) {
  const DeviceHistory& history = frame.history;
  const HistoryResolution resolution =
      resolution_for(window.bin, history.bin(HistoryResolution::seconds));
  // Of a long window, memory has only the end.
  const Instant first_sample =
      frame.series.at.empty() ? window.end : std::min(window.end, frame.series.at.front());
  const Instant begin =
      std::max(window.begin(cells), memory_begin(history, resolution, first_sample, window.end));
  const auto bins = history.bin_of(resolution, window.end) - history.bin_of(resolution, begin) + 1;
  return history.read(frame.model.id_of(row), metric, resolution, window.end,
                      static_cast<int>(bins));
}

/// What memory has of a window, and before it what the server knows. `statistic`: of longer bins
/// than those of memory.
std::vector<ChartPoint> with_older(const FrameContext& frame, DeviceTable::Row row, Metric metric,
                                   const TimeWindow& window, int cells,
                                   std::vector<ChartPoint> memory,
                                   std::optional<Statistic> statistic) {
  if (!frame.options.knows_older()) return memory;
  const auto unknown = [](const ChartPoint& point) { return std::isnan(point.value); };
  memory.erase(memory.begin(), std::ranges::find_if_not(memory, unknown));
  return merge_history(frame.server_history.read(frame.model.id_of(row), metric,
                                                 window.begin(cells), window.bin, window.end),
                       memory, statistic);
}

struct ChartBuilder {
  const FrameContext& frame;
  DeviceTable::Row row;
  const TimeWindow& window;
  const std::vector<int>& cells;  // of each chart
  Duration staleness_limit;
  std::vector<MetricChart> charts;

  int cells_of_next() const { return cells.at(charts.size()); }
  /// A reader for the chart that is added next.
  Reader reader() const { return Reader(frame.series, window, cells_of_next()); }

  /// The samples of the chart that is added next, before them the history, and before it that of
  /// the server.
  std::vector<ChartPoint> past(Metric metric) const {
    const bool long_bins = frame.ui.zoom_level().span > std::chrono::hours(0);
    return with_older(frame, row, metric, window, cells_of_next(), memory_of(metric),
                      long_bins ? std::optional(statistic_of(metric)) : std::nullopt);
  }

  std::vector<ChartPoint> memory_of(Metric metric) const {
    std::vector<ChartPoint> samples = reader().points(metric);
    const HistoryMetricFacts* const kept = facts_of_source(metric);
    if (kept == nullptr) return samples;
    HistoryBins older = bins_before(frame, row, kept->metric, window, cells_of_next());
    if (kept->metric == HistoryMetric::memory) {
      for (double& share : older.values) share *= now(Metric::memory_total);
    }
    const bool seconds = older.bin == frame.history.bin(HistoryResolution::seconds);
    return merge_history(older, samples,
                         seconds ? std::nullopt : std::optional(kept->long_bin_statistic));
  }

  /// The greatest value that the next chart shows; earlier peaks do not affect the scale.
  double greatest(const std::vector<ChartPoint>& points) const {
    double most = 0;
    for (const double value : bin_values(points, window, 2 * cells_of_next(), staleness_limit)) {
      if (value > most) most = value;
    }
    return most;
  }

  double now(Metric metric) const { return frame.model.reading(row, metric); }

  MetricChart& add(std::string title, std::string note, std::vector<ChartPoint> points,
                   std::string (*text)(double), const ChartScale& scale, CellStyle style) {
    MetricChart metric{std::move(title), {}, std::move(note), std::move(points), {}, {}};
    metric.chart.text = text;
    metric.chart.scale = scale;
    metric.chart.staleness_limit = staleness_limit;
    metric.chart.style = style;
    charts.push_back(std::move(metric));
    return charts.back();
  }

  void add_share(const std::string& title, Metric metric, CellStyle style) {
    add(title, percent_text(now(metric)), past(metric), percent_text, {0, 1}, style);
  }

  void add_memory() {
    const double total = now(Metric::memory_total);
    std::vector<ChartPoint> points = past(Metric::memory_used);
    const ChartScale scale = total > 0 ? ChartScale{0, total} : scale_up_to(greatest(points), 1024);
    const double used = now(Metric::memory_used);
    add("memory used",
        std::isnan(used) ? std::string(not_known)
                         : fmt::format("{} of {}", bytes_text(used), known_text(total, bytes_text)),
        std::move(points), bytes_text, scale, CellStyle::accent);
  }

  void add_power() {
    const double cap = now(Metric::power_cap);
    std::vector<ChartPoint> points = past(Metric::power);
    std::vector<ChartPoint> caps = past(Metric::power_cap);
    const double most =
        std::max({greatest(points), greatest(caps), frame.model.spec_of(row).tdp_w});
    MetricChart& metric =
        add("power",
            fmt::format("{}{}{}", mark(frame.model.spec_of(row).power_assumed),
                        known_text(now(Metric::power), watts_text),
                        std::isnan(cap) ? "" : fmt::format(", cap {}", watts_text(cap))),
            std::move(points), watts_text, scale_up_to(most), CellStyle::hot);
    metric.line = std::move(caps);
  }

  void add_temperature() {
    const double limit = frame.model.spec_of(row).slowdown_c;
    const double memory = now(Metric::memory_temperature);
    const bool has_memory = !std::isnan(memory);  // not all boards have such a sensor
    std::vector<ChartPoint> memory_points;
    if (has_memory) memory_points = past(Metric::memory_temperature);
    MetricChart& metric =
        add(has_memory ? "temperature: chip (area), memory (line)" : "temperature",
            fmt::format("{}{}{}{}", mark(frame.model.spec_of(row).temperature_assumed),
                        known_text(now(Metric::temperature), celsius_text),
                        has_memory ? ", " + celsius_text(memory) : "",
                        limit > 0 ? fmt::format(", {} {}", has_memory ? "max" : "throttles at",
                                                celsius_text(limit))
                                  : ""),
            past(Metric::temperature), celsius_text, {20, 100}, CellStyle::warm);
    if (has_memory) metric.short_title = "temp, mem (line)";
    metric.line = std::move(memory_points);
    metric.chart.line_style = CellStyle::hot;
    if (limit > 0) metric.chart.limit = limit;
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
    MetricChart& metric = add("requests: running (area), queued (line)",
                              fmt::format("{}, {}", known_text(now(Metric::running), count_text),
                                          known_text(now(Metric::queue), count_text)),
                              std::move(running), count_text, scale, CellStyle::accent);
    metric.short_title = "running, queued (line)";
    metric.line = std::move(queue);
  }

  /// Of a real device, on which other programs than Drover's agents run.
  void add_pcie() {
    std::vector<ChartPoint> sent = past(Metric::pcie_sent);
    std::vector<ChartPoint> received = past(Metric::pcie_received);
    const ChartScale scale =
        scale_up_to(std::max({1024.0, greatest(sent), greatest(received)}), 1024);
    const double out = now(Metric::pcie_sent), in = now(Metric::pcie_received);
    const bool unknown = std::isnan(out) && std::isnan(in);
    MetricChart& metric = add(
        "PCIe, bytes/s: out (area), in (line)",
        unknown ? std::string(not_known)
                : fmt::format("{}, {}", known_text(out, bytes_text), known_text(in, bytes_text)),
        std::move(sent), bytes_text, scale, CellStyle::accent);
    metric.short_title = "PCIe out, in (line)";
    metric.line = std::move(received);
  }

  void add_clock() {
    std::vector<ChartPoint> points = past(Metric::clock);
    const double mhz = now(Metric::clock);
    const ChartScale scale = scale_up_to(greatest(points));
    add("clock, MHz", known_text(mhz, whole_text), std::move(points), whole_text, scale,
        CellStyle::accent);
  }

  void add_energy() {
    std::vector<ChartPoint> rates = reader().rates(Metric::energy, window.bin);
    const ChartScale scale = scale_up_to(std::max(greatest(rates), frame.model.spec_of(row).tdp_w));
    add("power from energy",
        fmt::format("{} in total", known_text(now(Metric::energy), joules_text)), std::move(rates),
        watts_text, scale, CellStyle::hot);
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

// The history only knows that the device was throttled, not why. No reason of NVML has this bit.
constexpr std::uint32_t throttle_cause_unknown = 1u << 30;

// If several reasons apply to a cell, the first of these is shown.
constexpr std::array<StripMarker, 6> throttle_signs = {{
    {throttle_hw_slowdown, "H", "hw", CellStyle::critical},
    {throttle_hw_thermal_slowdown, "T", "hw thermal", CellStyle::hot},
    {throttle_sw_thermal_slowdown, "t", "thermal", CellStyle::warm},
    {throttle_sw_power_cap, "P", "power cap", CellStyle::warm},
    {throttle_cause_unknown, "s", "unknown cause", CellStyle::warm},
    {throttle_gpu_idle, "i", "idle", CellStyle::faint},
}};

/// The throttle reasons of the samples, and before them throttle_cause_unknown if there was any.
std::vector<ChartPoint> throttle_past(const FrameContext& frame, DeviceTable::Row row,
                                      const TimeWindow& window, int cells) {
  HistoryBins older = bins_before(frame, row, HistoryMetric::throttled, window, cells);
  for (double& share : older.values) {
    if (share > 0) share = throttle_cause_unknown;
  }
  return with_older(
      frame, row, Metric::throttle, window, cells,
      merge_history(older, Reader(frame.series, window, cells).points(Metric::throttle),
                    std::nullopt),
      std::nullopt);
}

bool has_value(const std::vector<ChartPoint>& points, double value) {
  return std::any_of(points.begin(), points.end(),
                     [&](const ChartPoint& point) { return point.value == value; });
}

}  // namespace

TimeWindow window_of(const FrameContext& frame, int cells, const ZoomLevel& zoom) {
  const Duration wall = std::max(Duration{1}, from_seconds(frame.options.speed));
  if (zoom.span > std::chrono::hours(0)) {
    const std::int64_t bins = 2 * std::max(1, cells);
    const std::int64_t bin_s = (std::chrono::seconds(zoom.span).count() + bins - 1) / bins;
    return {frame.now, std::min(wall * bin_s, shown_most / bins)};
  }
  int factor = 1;
  for (const int wider : {2, 5, 10}) {
    if (2.0 * cells * factor < shown_least_s) factor = wider;
  }
  return {frame.now, wall * factor * zoom.factor};
}

Duration staleness_limit(const std::vector<Instant>& at, Duration bin) {
  constexpr std::size_t looked_at = 33;
  std::vector<Duration> gaps;
  for (std::size_t i = at.size() - std::min(at.size(), looked_at); i + 1 < at.size(); ++i) {
    gaps.push_back(at[i + 1] - at[i]);
  }
  if (gaps.empty()) return bin;
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  // A quarter more, so that a slightly late sample leaves no gap.
  return std::max(bin, *middle) * 5 / 4;
}

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
                       const TimeWindow& window) {
  if (area.rows < 3 || area.columns <= 0) return;
  DrawRegion part = region.part(area);
  const std::size_t needed = metric.title.size() + metric.note.size() + 3;
  const bool fits = metric.short_title.empty() || static_cast<int>(needed) <= area.columns;
  part.heading(0, fits ? metric.title : metric.short_title, metric.note);
  Chart chart = metric.chart;
  chart.area = metric.points;
  chart.line = metric.line;
  draw_chart(part, {0, 1, area.columns, area.rows - 2}, chart, window);
  const int axis = value_axis_columns(area.columns);
  draw_time_axis(part, axis, area.rows - 1, area.columns - axis, window, TimeLabels::clock);
}

void draw_throttle_strip(DrawRegion& region, const Rect& area, const FrameContext& frame,
                         DeviceTable::Row row, const TimeWindow& window) {
  DrawRegion part = region.part(area);
  const int axis = value_axis_columns(area.columns);
  const int cells = area.columns - axis;
  const std::vector<ChartPoint> points = throttle_past(frame, row, window, cells);
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
  part.heading(0, title, legend);
  draw_strip(part, axis, 1, cells, points, window, staleness_limit(frame.series.at, window.bin),
             throttle_signs);
  draw_time_axis(part, axis, 2, cells, window, TimeLabels::clock);
}

}  // namespace drover::tui
