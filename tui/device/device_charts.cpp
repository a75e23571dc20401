#include "tui/device/device_charts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/history/history_points.h"

namespace drover::tui {
namespace {

constexpr double shown_least_s = 100;  // of wall time, where samples are not rarer

/// Before what rests on assumed constants of the emulated device.
const char* mark(bool assumed) { return assumed ? "~" : ""; }

std::string celsius_text(double celsius) { return fmt::format("{:.0f}C", celsius); }
std::string whole_text(double value) { return fmt::format("{:.0f}", value); }

/// What the series tells from the window's begin on, and the sample before it, which may still
/// stand there.
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

  /// Of a counter, what it grew by per second, over `least` or longer: samples may arrive close
  /// upon each other. A counter that fell back began anew.
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

/// What the history keeps of what samples tell.
struct KeptMetric {
  Metric metric;
  HistoryMetric kept;
};
constexpr std::array<KeptMetric, 9> kept_metrics = {{
    {Metric::utilization, HistoryMetric::utilization},
    {Metric::memory_used, HistoryMetric::memory},
    {Metric::power, HistoryMetric::power},
    {Metric::temperature, HistoryMetric::temperature},
    {Metric::matrix_activity, HistoryMetric::matrix_activity},
    {Metric::memory_activity, HistoryMetric::memory_activity},
    {Metric::clock, HistoryMetric::clock},
    {Metric::running, HistoryMetric::running},
    {Metric::queue, HistoryMetric::queue},
}};

/// What the history knows of the window that so many cells show.
HistoryBins bins_before(const Scene& scene, DeviceTable::Row row, HistoryMetric metric,
                        const TimeWindow& window, int cells) {
  const History& history = scene.history;
  const HistoryRung rung = rung_for(window.bin, history.bin(HistoryRung::seconds));
  const auto bins =
      history.bin_of(rung, window.end) - history.bin_of(rung, window.begin(cells)) + 1;
  return history.read(scene.model.id_of(row), metric, rung, window.end, static_cast<int>(bins));
}

struct Gatherer {
  const Scene& scene;
  DeviceTable::Row row;
  const TimeWindow& window;
  const std::vector<int>& cells;  // of each chart
  Duration holds;
  std::vector<MetricChart> charts;

  int cells_of_next() const { return cells.at(charts.size()); }
  /// For the chart that is added next.
  Reader reader() const { return Reader(scene.series, window, cells_of_next()); }

  /// The samples that the chart added next shows, and what the history knows of the time before.
  std::vector<ChartPoint> past(Metric metric) const {
    const std::vector<ChartPoint> samples = reader().points(metric);
    const auto kept =
        std::find_if(kept_metrics.begin(), kept_metrics.end(),
                     [&](const KeptMetric& candidate) { return candidate.metric == metric; });
    if (kept == kept_metrics.end()) return samples;
    HistoryBins older = bins_before(scene, row, kept->kept, window, cells_of_next());
    if (kept->kept == HistoryMetric::memory) {
      for (double& share : older.values) share *= now(Metric::memory_total);
    }
    const bool seconds = older.bin == scene.history.bin(HistoryRung::seconds);
    return joined(older, samples,
                  seconds ? std::nullopt : std::optional(facts(kept->kept).long_time));
  }

  /// Of what the chart that is added next shows: peaks that are past set no scale.
  double greatest(const std::vector<ChartPoint>& points) const {
    double most = 0;
    for (const double value : bin_values(points, window, 2 * cells_of_next(), holds)) {
      if (value > most) most = value;
    }
    return most;
  }

  double now(Metric metric) const { return scene.model.reading(row, metric); }

  MetricChart& add(std::string title, std::string note, std::vector<ChartPoint> points,
                   std::string (*text)(double), const ChartScale& scale, Role role) {
    MetricChart metric{std::move(title), std::move(note), std::move(points), {}, {}};
    metric.chart.text = text;
    metric.chart.scale = scale;
    metric.chart.holds = holds;
    metric.chart.role = role;
    charts.push_back(std::move(metric));
    return charts.back();
  }

  void add_share(const std::string& title, Metric metric, Role role) {
    add(title, percent_text(now(metric)), past(metric), percent_text, {0, 1}, role);
  }

  void add_memory() {
    const double total = now(Metric::memory_total);
    std::vector<ChartPoint> points = past(Metric::memory_used);
    const ChartScale scale = total > 0 ? ChartScale{0, total} : scale_up_to(greatest(points), 1024);
    const double used = now(Metric::memory_used);
    add("memory used",
        std::isnan(used) ? std::string(not_known)
                         : fmt::format("{} of {}", bytes_text(used), known_text(total, bytes_text)),
        std::move(points), bytes_text, scale, Role::accent);
  }

  void add_power() {
    const double cap = now(Metric::power_cap);
    std::vector<ChartPoint> points = past(Metric::power);
    std::vector<ChartPoint> caps = past(Metric::power_cap);
    const double most =
        std::max({greatest(points), greatest(caps), scene.model.spec_of(row).tdp_w});
    MetricChart& metric =
        add("power",
            fmt::format("{}{}{}", mark(scene.model.spec_of(row).power_assumed),
                        known_text(now(Metric::power), watts_text),
                        std::isnan(cap) ? "" : fmt::format(", cap {}", watts_text(cap))),
            std::move(points), watts_text, scale_up_to(most), Role::hot);
    metric.line = std::move(caps);
  }

  void add_temperature() {
    const double limit = scene.model.spec_of(row).slowdown_c;
    const double memory = now(Metric::memory_temperature);
    const bool tells = !std::isnan(memory);  // boards without such a sensor say nothing of it
    std::vector<ChartPoint> heat_of_memory;
    if (tells) heat_of_memory = past(Metric::memory_temperature);
    MetricChart& metric =
        add(tells ? "die, line: memory" : "temperature",
            fmt::format(
                "{}{}{}{}", mark(scene.model.spec_of(row).temperature_assumed),
                known_text(now(Metric::temperature), celsius_text),
                tells ? ", " + celsius_text(memory) : "",
                limit > 0 ? fmt::format(", {} {}", tells ? "max" : "slows at", celsius_text(limit))
                          : ""),
            past(Metric::temperature), celsius_text, {20, 100}, Role::warm);
    metric.line = std::move(heat_of_memory);
    metric.chart.line_role = Role::hot;
    if (limit > 0) metric.chart.limit = limit;
  }

  void add_work() {
    std::vector<ChartPoint> running = past(Metric::running);
    std::vector<ChartPoint> queue = past(Metric::queue);
    // Nothing queued is no line: at the foot it would hide what runs.
    for (ChartPoint& point : queue) {
      if (point.value == 0) point.value = absent;
    }
    // Below four, half of the scale would be half a request.
    const ChartScale scale = scale_up_to(std::max({4.0, greatest(running), greatest(queue)}));
    MetricChart& metric = add("running, line: queued",
                              fmt::format("{}, {}", known_text(now(Metric::running), count_text),
                                          known_text(now(Metric::queue), count_text)),
                              std::move(running), count_text, scale, Role::accent);
    metric.line = std::move(queue);
  }

  void add_clock() {
    std::vector<ChartPoint> points = past(Metric::clock);
    const double mhz = now(Metric::clock);
    const ChartScale scale = scale_up_to(greatest(points));
    add("clock, MHz", known_text(mhz, whole_text), std::move(points), whole_text, scale,
        Role::accent);
  }

  void add_energy() {
    std::vector<ChartPoint> rates = reader().rates(Metric::energy, window.bin);
    const ChartScale scale = scale_up_to(std::max(greatest(rates), scene.model.spec_of(row).tdp_w));
    add("energy per second", fmt::format("{} so far", known_text(now(Metric::energy), joules_text)),
        std::move(rates), joules_text, scale, Role::hot);
  }
};

/// How long the clock was held down so far, by what; empty where nothing did or nothing is told.
std::string held_text(const Model& model, DeviceTable::Row row) {
  struct Holder {
    Metric metric;
    const char* name;
  };
  std::string text;
  for (const Holder& it :
       {Holder{Metric::power_violation, "cap"}, Holder{Metric::thermal_violation, "heat"},
        Holder{Metric::board_violation, "brake"}}) {
    const double seconds = model.reading(row, it.metric);
    if (!(seconds > 0)) continue;
    text +=
        fmt::format("{} {} {}", text.empty() ? ", so far:" : ",", it.name, duration_text(seconds));
  }
  return text;
}

// Of what is known from the history alone: the clock was held down, and nobody remembers by what.
// No reason of NVML's has this bit.
constexpr std::uint32_t slowed_by_something = 1u << 30;

// Where several reasons fall into a cell, the first of these is shown.
constexpr std::array<StripSign, 6> throttle_signs = {{
    {throttle_hardware_slowdown, "H", "hw", Role::critical},
    {throttle_thermal_hardware, "T", "hw heat", Role::hot},
    {throttle_thermal_software, "t", "heat", Role::warm},
    {throttle_power_cap, "P", "power cap", Role::warm},
    {slowed_by_something, "s", "something", Role::warm},
    {throttle_idle, "i", "idle", Role::faint},
}};

/// What the samples tell of throttle reasons, and before them whether there was any.
std::vector<ChartPoint> throttle_past(const Scene& scene, DeviceTable::Row row,
                                      const TimeWindow& window, int cells) {
  HistoryBins older = bins_before(scene, row, HistoryMetric::slowed, window, cells);
  for (double& share : older.values) {
    if (share > 0) share = slowed_by_something;
  }
  return joined(older, Reader(scene.series, window, cells).points(Metric::throttle), std::nullopt);
}

bool tells(const std::vector<ChartPoint>& points, double value) {
  return std::any_of(points.begin(), points.end(),
                     [&](const ChartPoint& point) { return point.value == value; });
}

}  // namespace

TimeWindow window_of(const Scene& scene, int cells) {
  const Duration wall = std::max(Duration{1}, from_seconds(scene.options.speed));
  int factor = 1;
  for (const int wider : {2, 5, 10}) {
    if (2.0 * cells * factor < shown_least_s) factor = wider;
  }
  return {scene.now, wall * factor};
}

Duration stands_for(const std::vector<Instant>& at, Duration bin) {
  constexpr std::size_t looked_at = 33;
  std::vector<Duration> gaps;
  for (std::size_t i = at.size() - std::min(at.size(), looked_at); i + 1 < at.size(); ++i) {
    gaps.push_back(at[i + 1] - at[i]);
  }
  if (gaps.empty()) return bin;
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  // A quarter more, so that a sample that comes a little late leaves no gap.
  return std::max(bin, *middle) * 5 / 4;
}

std::vector<MetricChart> metric_charts(const Scene& scene, DeviceTable::Row row,
                                       const TimeWindow& window, const std::vector<int>& cells) {
  DROVER_REQUIRE(cells.size() == metric_chart_count);
  Gatherer gatherer{scene, row, window, cells, stands_for(scene.series.at, window.bin), {}};
  gatherer.add_share("utilization", Metric::utilization, Role::good);
  gatherer.add_memory();
  gatherer.add_power();
  gatherer.add_temperature();
  gatherer.add_work();
  gatherer.add_clock();
  gatherer.add_share("matrix units", Metric::matrix_activity, Role::good);
  gatherer.add_share("memory bandwidth", Metric::memory_activity, Role::good);
  gatherer.add_energy();
  DROVER_REQUIRE(gatherer.charts.size() == metric_chart_count);
  return std::move(gatherer.charts);
}

void draw_metric_chart(Pen& pen, const Rect& area, const MetricChart& metric,
                       const TimeWindow& window) {
  if (area.rows < 3 || area.columns <= 0) return;
  const Rect& all = pen.area();
  Pen part = pen.on({all.column + area.column, all.row + area.row, area.columns, area.rows});
  part.heading(0, metric.title, metric.note);
  Chart chart = metric.chart;
  chart.area = metric.points;
  chart.line = metric.line;
  draw_chart(part, {0, 1, area.columns, area.rows - 2}, chart, window);
  const int axis = value_axis_columns(area.columns);
  draw_time_axis(part, axis, area.rows - 1, area.columns - axis, window, TimeLabels::clock);
}

void draw_throttle_strip(Pen& pen, const Rect& area, const Scene& scene, DeviceTable::Row row,
                         const TimeWindow& window) {
  const Rect& all = pen.area();
  Pen part = pen.on({all.column + area.column, all.row + area.row, area.columns, area.rows});
  const int axis = value_axis_columns(area.columns);
  const int cells = area.columns - axis;
  const std::vector<ChartPoint> points = throttle_past(scene, row, window, cells);
  std::string legend;
  for (const StripSign& sign : throttle_signs) {
    if (sign.bits == slowed_by_something && !tells(points, slowed_by_something)) continue;
    legend += fmt::format("{} {}  ", sign.sign, sign.name);
  }
  legend += part.ascii() ? ". none" : "· none";
  std::string title = "slowed by";
  const std::string held = held_text(scene.model, row);
  // The columns of the signs go first where there is no room for both.
  const auto room = static_cast<std::size_t>(area.columns);
  if (!held.empty() && title.size() + held.size() + legend.size() + 4 <= room) title += held;
  part.heading(0, title, legend);
  draw_strip(part, axis, 1, cells, points, window, stands_for(scene.series.at, window.bin),
             throttle_signs);
  draw_time_axis(part, axis, 2, cells, window, TimeLabels::clock);
}

}  // namespace drover::tui
