// Two to four tagged devices on one time axis: a chart for each metric with a line for each device.
// It stands in the place of the device view and scrolls as a page.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/canvas/series_chart.h"
#include "tui/pages/pages.h"
#include "tui/panels/metric_history.h"
#include "tui/panels/panels.h"
#include "tui/tables/device_columns.h"
#include "tui/tables/device_queries.h"

namespace drover::tui {
namespace {

constexpr int two_abreast_columns = 100, three_abreast_columns = 160;  // from here on
constexpr int comparison_gap = 2;
constexpr int comparison_rows_least = 6, comparison_rows_most = 14;  // of a chart with its axis

std::string degrees_text(double celsius) { return fmt::format("{:.0f}C", celsius); }
std::string clock_mhz_text(double mhz) { return fmt::format("{:.0f}", mhz); }

struct ComparedMetric {
  std::string_view title;
  Metric metric;
  std::string (*text)(double);
  double low, high;  // of the scale; high 0: a round number above the greatest value
  double base;       // of round numbers
};
constexpr std::array<ComparedMetric, 9> compared_metrics = {{
    {"utilization", Metric::utilization, percent_text, 0, 1, 0},
    {"power", Metric::power, watts_text, 0, 0, 1000},
    {"temperature", Metric::temperature, degrees_text, 20, 100, 0},
    {"memory used", Metric::memory_used, bytes_text, 0, 0, 1024},
    {"clock, MHz", Metric::clock, clock_mhz_text, 0, 0, 1000},
    {"tensor activity", Metric::tensor_activity, percent_text, 0, 1, 0},
    {"memory bandwidth", Metric::memory_activity, percent_text, 0, 1, 0},
    {"running requests", Metric::running, count_text, 0, 0, 1000},
    {"queued requests", Metric::queue, count_text, 0, 0, 1000},
}};

/// A compared device: its number is that of its line.
struct ComparedDevice {
  int number;
  DeviceTable::Row row;
};

std::vector<ComparedDevice> devices_of(const Model& model, const UiState& ui) {
  std::vector<ComparedDevice> devices;
  int number = 0;
  for (const DeviceId& id : ui.compared_devices()) {
    if (const auto row = model.find(id)) devices.push_back({number, *row});
    ++number;
  }
  return devices;
}

/// The metrics that some device reports.
std::vector<const ComparedMetric*> metrics_of(const Model& model,
                                              const std::vector<ComparedDevice>& devices) {
  std::vector<const ComparedMetric*> metrics;
  for (const ComparedMetric& metric : compared_metrics) {
    const bool reported = std::ranges::any_of(devices, [&](const ComparedDevice& device) {
      return !std::isnan(model.reading(device.row, metric.metric));
    });
    if (reported) metrics.push_back(&metric);
  }
  return metrics;
}

int comparison_columns(int columns) {
  const int abreast = columns >= three_abreast_columns ? 3 : columns >= two_abreast_columns ? 2 : 1;
  return (columns - comparison_gap * (abreast - 1)) / abreast;
}

int comparison_cells(int columns) {
  const int chart = comparison_columns(columns);
  return chart - value_axis_columns(chart);
}

/// "1 gpu-a/3  h100-sxm, pool hopper  reporting".
void draw_compared(const FrameContext& frame, DrawRegion& region, int row,
                   const ComparedDevice& device) {
  const Model& model = frame.model;
  region.text(0, row, line_sign(device.number), series_style(device.number));
  const std::string id = printable(to_text(model.id_of(device.row)));
  std::string text = model.spec_of(device.row).kind();
  const std::string_view pool = model.first_pool_of(device.row);
  if (!pool.empty()) text += fmt::format(", pool {}", pool);
  if (frame.stale(device.row)) text += ", no current sample";
  const double throttle = model.reading(device.row, Metric::throttle);
  if (is_throttled(throttle)) text += ", throttled: " + throttle_text(throttle);
  const std::vector<const JobRow*> jobs = jobs_on(model, model.id_of(device.row));
  if (!jobs.empty()) text += ", runs " + jobs.front()->reported.job.work.model;
  region.field(2, row, 16, id, series_style(device.number));
  region.field(19, row, region.columns() - 19, text);
}

void draw_compared_metric(const FrameContext& frame, DrawRegion region,
                          const ComparedMetric& metric, const std::vector<ComparedDevice>& devices,
                          const TimeWindow& window, TimeLabels labels) {
  const int axis = value_axis_columns(region.columns());
  const int cells = region.columns() - axis;
  std::vector<std::vector<ChartPoint>> lines(series_max);
  std::string values;
  double most = 0;
  Chart chart;
  chart.text = metric.text;
  for (const ComparedDevice& device : devices) {
    const auto number = static_cast<std::size_t>(device.number);
    const Series& series = *frame.compared[number];
    lines[number] = MetricHistory{frame, series, device.row, window, cells}.points(metric.metric);
    chart.staleness_limit = std::max(chart.staleness_limit, staleness_limit(series.at, window.bin));
    for (const ChartPoint& point : lines[number]) {
      if (point.value > most) most = point.value;
    }
    values += fmt::format("{}{} {}", values.empty() ? "" : "  ", line_sign(device.number),
                          known_text(frame.model.reading(device.row, metric.metric), metric.text));
  }
  chart.scale = metric.high > 0 ? ChartScale{metric.low, metric.high}
                                : scale_up_to(std::max(most, 1.0), metric.base);
  region.heading(0, metric.title, values);
  draw_lines(region, {0, 1, region.columns(), region.rows() - 2}, lines, chart, window);
  draw_time_axis(region, axis, region.rows() - 1, cells, window, labels);
}

class ComparisonView : public View {
 public:
  using View::View;

  void draw(const FrameContext& frame, const DrawRegion& region) const override {
    DrawRegion view = region;
    const ChartSpan span = device_chart_span(frame);
    const std::string scroll = scroll_note(page_rows_, rows_seen_, ui_.details_top);
    view.heading(0, fmt::format("Comparing {}", counted(devices_.size(), "device")),
                 span_and_scroll_note(span, scroll));
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      draw_compared(frame, view, static_cast<int>(i) + 1, devices_[i]);
    }
    if (devices_.empty()) {
      view.field(0, 1, view.columns(), "no tagged device is in the fleet: T tags a device",
                 CellStyle::faint);
      return;
    }
    Canvas canvas({view.columns(), page_rows_});
    DrawRegion page(canvas, {0, 0, view.columns(), page_rows_}, view.ascii());
    const int width = comparison_columns(view.columns());
    const int abreast = abreast_of(view.columns());
    const TimeWindow window = window_of(frame.now, span.shown, comparison_cells(view.columns()));
    for (std::size_t i = 0; i < metrics_.size(); ++i) {
      const int place = static_cast<int>(i) % abreast;
      const int line = static_cast<int>(i) / abreast;
      draw_compared_metric(
          frame,
          page.part({place * (width + comparison_gap), line * chart_rows_, width, chart_rows_}),
          *metrics_[i], devices_, window, time_labels(span));
    }
    const Rect shown{view.area().column, view.area().row + head_rows(), view.columns(), rows_seen_};
    view.on(shown).paste(canvas, ui_.details_top, 0);
  }

  std::vector<CompactLine> compact_lines(const FrameContext& frame, int) const override {
    std::vector<CompactLine> lines;
    for (const ComparedDevice& device : devices_of(frame.model, ui_)) {
      lines.push_back(compact_device(frame, device.row, -1));
    }
    if (lines.empty()) lines.push_back({"no tagged device", CellStyle::faint});
    return lines;
  }

  void forget_layout() override {
    devices_.clear();
    columns_ = 0;
  }

  ScrolledRows lay_out(const LayoutInput& at) override {
    columns_ = at.body.columns;
    devices_ = devices_of(at.model, ui_);
    metrics_ = metrics_of(at.model, devices_);
    rows_seen_ = std::max(0, at.body.rows - head_rows());
    const int abreast = abreast_of(columns_);
    const int lines = std::max(1, (static_cast<int>(metrics_.size()) + abreast - 1) / abreast);
    chart_rows_ = std::clamp(rows_seen_ / lines, comparison_rows_least, comparison_rows_most);
    page_rows_ = lines * chart_rows_;
    return {page_rows_, rows_seen_};
  }

  std::optional<ChartRange> chart_range(const FrameContext& frame) const override {
    if (columns_ == 0) return std::nullopt;
    const ChartSpan span = device_chart_span(frame);
    const int cells = comparison_cells(columns_);
    const TimeWindow window = window_of(frame.now, span.shown, cells);
    Duration every{};
    for (const ComparedDevice& device : devices_of(frame.model, ui_)) {
      every = std::max(every, frame.model.host_of(device.row).reported.registration.sample_every);
    }
    return ChartRange{window.begin(cells + 1) - 2 * every, window.bin, span};
  }

  void tag(const KeyContext& context) override {
    context.cursor.say("Esc goes back to the devices, where T tags them");
  }

 private:
  int abreast_of(int columns) const {
    return std::max(1, (columns + comparison_gap) / (comparison_columns(columns) + comparison_gap));
  }
  int head_rows() const { return 1 + std::max(1, static_cast<int>(devices_.size())); }

  std::vector<ComparedDevice> devices_;  // rows of the model of the layout
  std::vector<const ComparedMetric*> metrics_;
  int columns_ = 0, chart_rows_ = comparison_rows_least, page_rows_ = 0, rows_seen_ = 0;
};

}  // namespace

std::unique_ptr<View> make_comparison_view(UiState& ui) {
  return std::make_unique<ComparisonView>(ui);
}

}  // namespace drover::tui
