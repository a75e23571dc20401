#include "commands/dashboard/history_query.h"

#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "agents/scrape/prometheus_answer.h"
#include "commands/metrics/page/device_families.h"
#include "commands/metrics/page/family_text.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/sample/sample_bounds.h"

namespace drover::commands {
namespace {

/// The family of /metrics that has a metric.
struct MetricFamily {
  std::string_view name;
  double factor = 1;  // its value is the metric's, multiplied by this
};

/// The first column that shows this metric and no other.
std::optional<MetricFamily> family_in(std::span<const DeviceColumn> columns, Metric metric) {
  Sample one;
  one[metric] = 1;
  for (const DeviceColumn& column : columns) {
    const double factor = column.value(one);
    if (!std::isnan(factor)) return MetricFamily{column.series.family.name, factor};
  }
  return std::nullopt;
}

std::optional<MetricFamily> family_of(Metric metric, DeviceClass device_class) {
  const bool tpu = device_class == DeviceClass::tpu;
  const auto family = family_in(tpu ? tpu_columns() : gpu_columns(), metric);
  return family ? family : family_in(device_columns(), metric);
}

/// The labels of the device's series. By its UUID a GPU is also found in pages of dcgm-exporter,
/// where series of its MIG instances have a GPU_I_ID.
std::string labels_of(const tui::HistoryQuestion& question, std::string_view family) {
  const bool known_to_others = !question.uuid.empty() && question.device_class == DeviceClass::gpu;
  if (known_to_others && !family.starts_with("drover_")) {
    return labels_text({{"UUID", question.uuid}}) + ",GPU_I_ID=\"\"";
  }
  return labels_text({{"drover_id", to_text(question.device)}});
}

/// The statistic of each bin. A bin without a sample has the value that is valid at its end.
/// Several series of a device, as of two jobs that scrape it, count as one. The label `metric` has
/// the number of the metric, as statistics have no name.
std::string expression(const tui::HistoryQuestion& question, Metric metric,
                       const MetricFamily& family, double bin_s) {
  const std::string series = fmt::format("{}{{{}}}", family.name, labels_of(question, family.name));
  const char* const statistic = tui::statistic_of(metric) == tui::Statistic::mean ? "avg" : "max";
  return fmt::format(
      R"(label_replace({0}({0}_over_time({1}[{2:.0f}ms])) or {0}({1}),"metric","{3}","",""))",
      statistic, series, bin_s * 1000, static_cast<int>(metric));
}

/// The metric of a series of the answer, if it was asked for.
std::optional<Metric> metric_of(const Json& series) {
  const auto number = parse_integer(series["metric"]["metric"].text(), "metric");
  for (const Metric metric : tui::served_metrics) {
    if (number && *number == static_cast<int>(metric)) return metric;
  }
  return std::nullopt;
}

bool plausible(Metric metric, double value) {
  const MetricBounds bounds = steps_within(Column{static_cast<std::uint8_t>(metric), 8, 0, {}});
  return value >= bounds.least && value <= bounds.most;
}

/// The values of a series, each at the end of its bin.
Result<std::vector<double>> values_of(const Json& series, Metric metric, double factor,
                                      const tui::HistoryQuestion& question,
                                      const ClockPair& clocks) {
  const Json& samples = series["values"];
  const auto bins = static_cast<std::size_t>(question.bins);
  if (samples.size() > bins) {
    return error("answers with {} values of a series, expected at most {}", samples.size(), bins);
  }
  std::vector<double> values(bins, absent);
  const double first_s = clocks.system_s(question.begin + question.bin);
  const double bin_s = to_seconds(question.bin) / clocks.speed;
  double last = -1;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double bin = std::round((samples[i][0].number() - first_s) / bin_s);
    if (!(bin > last) || !(bin < static_cast<double>(bins))) {
      return error("the times of its values are not in order, or not those asked for");
    }
    last = bin;
    const double value = agents::prometheus_value(samples[i]) / factor;
    if (plausible(metric, value)) values[static_cast<std::size_t>(bin)] = value;
  }
  return values;
}

Status read_series(const Json& data, const ClockPair& clocks, tui::HistoryAnswer& answer) {
  const Json& all = data["result"];
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto metric = metric_of(all[i]);
    const auto family = metric ? family_of(*metric, answer.question.device_class) : std::nullopt;
    if (!family) continue;
    DROVER_ASSIGN(answer.values[static_cast<std::size_t>(*metric)],
                  values_of(all[i], *metric, family->factor, answer.question, clocks));
  }
  return {};
}

}  // namespace

HistoryQuery history_query(const tui::HistoryQuestion& question, const ClockPair& clocks) {
  const double bin_s = to_seconds(question.bin) / clocks.speed;
  std::string query;
  for (const Metric metric : tui::served_metrics) {
    const auto family = family_of(metric, question.device_class);
    if (!family) continue;
    if (!query.empty()) query += " or ";
    query += expression(question, metric, *family, bin_s);
  }
  return {std::move(query), fmt::format("start={:.3f}&end={:.3f}&step={:.3f}",
                                        clocks.system_s(question.begin + question.bin),
                                        clocks.system_s(question.end()), bin_s)};
}

tui::HistoryAnswer read_history_answer(std::string_view json, const tui::HistoryQuestion& question,
                                       const ClockPair& clocks) {
  tui::HistoryAnswer answer{question, {}, {}};
  const auto data = agents::prometheus_data(json);
  if (!data) {
    answer.failure = data.error().message;
  } else if ((*data)["resultType"].text() != "matrix") {
    answer.failure = fmt::format("its answer is of type '{}', expected 'matrix'",
                                 excerpt((*data)["resultType"].text()));
  } else if (const Status read = read_series(*data, clocks, answer); !read) {
    answer.failure = read.error().message;
  }
  return answer;
}

}  // namespace drover::commands
