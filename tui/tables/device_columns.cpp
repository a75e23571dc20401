#include "tui/tables/device_columns.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/tables/device_queries.h"
#include "tui/tables/job_list.h"

namespace drover::tui {
namespace {

using Row = DeviceTable::Row;

double by_place(const EvaluationContext&, Row, std::uint32_t place) { return place; }
double by_kind(const EvaluationContext& at, Row row, std::uint32_t) {
  return at.model.devices().spec(row);
}

template <Metric metric>
double by(const EvaluationContext& at, Row row, std::uint32_t) {
  return at.model.reading(row, metric);
}

template <GaugeMetric gauge_metric>
double by_share(const EvaluationContext& at, Row row, std::uint32_t) {
  return at.model.share(row, gauge_metric);
}

template <filter::Field field>
double by_field(const EvaluationContext& at, Row row, std::uint32_t) {
  return ModelDevice(at, row).number(field);
}

template <GaugeMetric gauge_metric>
double share(const Model& model, Row row) {
  return model.share(row, gauge_metric);
}

template <Metric metric>
double value(const Model& model, Row row) {
  return model.reading(row, metric);
}

template <Metric metric>
std::string percent(const EvaluationContext& at, Row row) {
  return percent_text(at.model.reading(row, metric));
}

template <Metric metric>
std::string number(const EvaluationContext& at, Row row) {
  return rounded_text(at.model.reading(row, metric), "");
}

std::string device_text(const EvaluationContext& at, Row row) {
  return to_text(at.model.id_of(row));
}
std::string rack_text(const EvaluationContext& at, Row row) {
  return at.model.host_of(row).reported.registration.rack;
}

std::string kind_text(const EvaluationContext& at, Row row) {
  const SpecRow& spec = at.model.spec_of(row);
  return spec.real ? fmt::format("{}{}", real_mark, printable(spec.kind())) : spec.id;
}

std::string pool_text(const EvaluationContext& at, Row row) { return at.model.pools_text(row); }

std::string group_text(const EvaluationContext& at, Row row) {
  return fmt::format("{}", at.model.devices().group(row));
}

/// The states; also why the device's work is paused.
std::string state_text(const EvaluationContext& at, Row row) {
  const std::string states = states_text(standing_of(at.model, at.now, row));
  const Pause pause = ModelDevice(at, row).pause().value_or(Pause::none);
  return pause == Pause::none ? states : fmt::format("{}, {}", states, to_text(pause));
}

/// The models of its replicas and jobs; unknown if its host is lost.
std::string model_text(const EvaluationContext& at, Row row) {
  if (at.model.is_gone(row)) return std::string(not_known);
  return joined(ModelDevice(at, row).values(filter::Field::model), " ");
}

/// The job with the longest work, and the number of others.
std::string job_text(const EvaluationContext& at, Row row) {
  const auto& jobs = at.jobs.on(row);
  if (jobs.empty()) return {};
  const JobChanged& first = **std::min_element(
      jobs.begin(), jobs.end(),
      [](const JobChanged* a, const JobChanged* b) { return runs_before(*a, *b); });
  const std::string text =
      fmt::format("{} {}", to_short_text(first.job.id), to_text(first.job.work.kind));
  return jobs.size() == 1 ? text : fmt::format("{} +{}", text, jobs.size() - 1);
}

std::string tenant_text(const EvaluationContext& at, Row row) {
  std::vector<std::string> tenants = ModelDevice(at, row).values(filter::Field::tenant);
  std::ranges::sort(tenants);
  return joined(tenants, " ");
}

std::string price_text(const EvaluationContext& at, Row row) {
  return known_text(ModelDevice(at, row).number(filter::Field::price),
                    [](double usd) { return fmt::format("{:.2f}", usd); });
}

std::string memory_text(const EvaluationContext& at, Row row) {
  const double used = at.model.reading(row, Metric::memory_used);
  const double total = at.model.reading(row, Metric::memory_total);
  if (std::isnan(used) || std::isnan(total)) return std::string(not_known);
  constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
  return fmt::format("{:.1f}/{:.0f}", used / gibibyte, total / gibibyte);
}

std::string power_text(const EvaluationContext& at, Row row) {
  const double power = at.model.reading(row, Metric::power);
  const double cap = ModelDevice(at, row).number(filter::Field::cap);
  if (std::isnan(power)) return std::string(not_known);
  const char* mark = at.model.spec_of(row).power_assumed ? "~" : "";
  return std::isnan(cap) ? fmt::format("{}{:.0f}", mark, power)
                         : fmt::format("{}{:.0f}/{:.0f}", mark, power, cap);
}

/// At most four columns wide.
std::string degrees_text(double celsius, bool assumed) {
  if (std::isnan(celsius)) return std::string(not_known);
  if (!assumed) return fmt::format("{:.0f}C", celsius);
  return fmt::format("~{:.0f}{}", celsius, celsius < 99.5 ? "C" : "");
}

std::string temperature_text(const EvaluationContext& at, Row row) {
  return degrees_text(at.model.reading(row, Metric::temperature),
                      at.model.spec_of(row).temperature_assumed);
}

std::string memory_temperature_text(const EvaluationContext& at, Row row) {
  return degrees_text(at.model.reading(row, Metric::memory_temperature),
                      at.model.spec_of(row).temperature_assumed);
}

std::string headroom_text(const EvaluationContext& at, Row row) {
  return degrees_text(ModelDevice(at, row).number(filter::Field::headroom),
                      at.model.spec_of(row).temperature_assumed);
}

std::string throttled_text(const EvaluationContext& at, Row row) {
  return throttle_text(at.model.reading(row, Metric::throttle));
}

std::string energy_text(const EvaluationContext& at, Row row) {
  return known_text(at.model.reading(row, Metric::energy),
                    [](double joules) { return fmt::format("{:.2f}", joules / 1e6); });
}

std::string age_text(const EvaluationContext& at, Row row) {
  const Instant arrived = at.model.devices().arrived(row);
  if (arrived == Instant::min()) return std::string(not_known);
  // Whole seconds, as fractions would flicker.
  const double age_s = std::floor(to_seconds(at.now - arrived));
  return age_s < 100 ? fmt::format("{:.0f}s", age_s) : duration_text(age_s);
}

double by_age(const EvaluationContext& at, Row row, std::uint32_t) {
  const Instant arrived = at.model.devices().arrived(row);
  return arrived == Instant::min() ? absent : -to_seconds(arrived.time_since_epoch());
}

/// A column whose text reads EvaluationContext::jobs.
constexpr DeviceColumn from_jobs(DeviceColumn column) {
  column.of_jobs = true;
  return column;
}

// Colours change near the limit of memory and power, and at two temperatures. Utilization never
// warns: a busy fleet is good.
constexpr std::array device_column_table = {
    DeviceColumn{"DEVICE", 16, Align::left, 0, false, device_text, by_place},
    DeviceColumn{"RACK", 6, Align::left, 8, false, rack_text, by_place},
    DeviceColumn{"KIND", 13, Align::left, 6, false, kind_text, by_kind},
    DeviceColumn{"UTIL", 10, Align::right, 1, true, percent<Metric::utilization>,
                 by<Metric::utilization>, share<GaugeMetric::utilization>},
    DeviceColumn{"TENSOR", 6, Align::right, 11, true, percent<Metric::tensor_activity>,
                 by<Metric::tensor_activity>, value<Metric::tensor_activity>},
    DeviceColumn{"MEM-BW", 8, Align::right, 12, true, percent<Metric::memory_activity>,
                 by<Metric::memory_activity>, value<Metric::memory_activity>},
    DeviceColumn{"MEMORY", 13, Align::right, 2, true, memory_text, by_share<GaugeMetric::memory>,
                 share<GaugeMetric::memory>, 0.90, 0.97, false, "GiB"},
    DeviceColumn{"POWER", 12, Align::right, 3, true, power_text, by<Metric::power>,
                 share<GaugeMetric::power>, 0.90, 0.99, false, "W"},
    DeviceColumn{"TEMP", 4, Align::right, 4, true, temperature_text, by<Metric::temperature>,
                 nullptr, warm_celsius, hot_celsius},
    DeviceColumn{"MHz", 5, Align::right, 10, true, number<Metric::clock>, by<Metric::clock>},
    DeviceColumn{"THROTTLE", 10, Align::left, 9, true, throttled_text, by<Metric::throttle>},
    DeviceColumn{"RUN", 3, Align::right, 5, true, number<Metric::running>, by<Metric::running>},
    DeviceColumn{"QUEUE", 5, Align::right, 7, true, number<Metric::queue>, by<Metric::queue>},
    DeviceColumn{"ENERGY", 9, Align::right, 13, true, energy_text, by<Metric::energy>, nullptr, 2,
                 2, false, "MJ"},
    DeviceColumn{"AGE", 6, Align::right, 14, true, age_text, by_age},
    DeviceColumn{"POOL", 10, Align::left, 15, false, pool_text},
    from_jobs({"MODEL", 14, Align::left, 16, false, model_text}),
    from_jobs({"JOB", 18, Align::left, 17, false, job_text}),
    from_jobs({"TENANT", 10, Align::left, 18, false, tenant_text}),
    DeviceColumn{"PRICE", 9, Align::right, 19, true, price_text, by_field<filter::Field::price>,
                 nullptr, 2, 2, false, "$/h"},
    // Degrees below the throttling limit; not a quantity, so the least comes first.
    DeviceColumn{"HEADROOM", 8, Align::right, 20, false, headroom_text,
                 by_field<filter::Field::headroom>},
    from_jobs({"STATE", 10, Align::left, 21, false, state_text}),
    DeviceColumn{"GROUP", 5, Align::right, 22, false, group_text, by_field<filter::Field::group>},
    DeviceColumn{"MEM-TEMP", 8, Align::right, 23, true, memory_temperature_text,
                 by<Metric::memory_temperature>},
};

// Columns of higher ranks are shown only if a curve of the load, or a minute of it, fits as well.
constexpr int before_load_rank_max = 5, usual_rank_max = 14;
constexpr int minute_of_load = 62;

/// Columns to the right of a column of this rank that stay free.
int room_for_load(int rank) {
  return rank <= before_load_rank_max ? 0
         : rank <= usual_rank_max     ? load_columns_least
                                      : minute_of_load;
}

std::string in_capitals(std::string_view text) {
  std::string capitals(text);
  for (char& letter : capitals) {
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return capitals;
}

Result<int> column_named(std::string_view name) {
  const auto columns = device_columns();
  std::vector<std::string> known;
  for (const DeviceColumn& column : columns) known.push_back(in_capitals(column.title));
  const std::string wanted = in_capitals(name);
  const auto found = std::find(known.begin(), known.end(), wanted);
  if (found != known.end()) return static_cast<int>(found - known.begin());
  return error("no column '{}'{}", excerpt(name), suggestion(wanted, known));
}

Result<int> parse_width(std::string_view text) {
  const auto width = parse_integer(text, "width");
  if (width && *width >= column_width_min && *width <= column_width_max) {
    return static_cast<int>(*width);
  }
  return error("width: found '{}', expected {} to {}", excerpt(text), column_width_min,
               column_width_max);
}

Error listed_twice(int column) {
  return Error{
      fmt::format("{} is listed twice", device_columns()[static_cast<std::size_t>(column)].title)};
}

std::vector<ShownColumn> by_rank() {
  std::vector<ShownColumn> all;
  for (const DeviceColumn& column : device_columns()) {
    all.push_back({static_cast<int>(all.size()), column.width});
  }
  std::sort(all.begin(), all.end(), [](const ShownColumn& a, const ShownColumn& b) {
    const auto columns = device_columns();
    return columns[static_cast<std::size_t>(a.number)].rank <
           columns[static_cast<std::size_t>(b.number)].rank;
  });
  return all;
}

}  // namespace

std::span<const DeviceColumn> device_columns() { return device_column_table; }

std::string throttle_text(double bits) {
  if (std::isnan(bits)) return std::string(not_known);
  const auto set = static_cast<std::uint32_t>(bits);
  if (set & throttle_hw_thermal_slowdown) return "hw thermal";
  if (set & throttle_sw_thermal_slowdown) return "thermal";
  if (set & throttle_hw_slowdown) return "hw";  // a power brake
  if (set & throttle_sw_power_cap) return "power";
  if (is_throttled(bits)) return "other";
  if (set & throttle_gpu_idle) return "idle";
  return "";
}

Result<std::vector<ShownColumn>> parse_columns(std::string_view text) {
  std::vector<ShownColumn> wanted;
  for (const std::string& part : split(text, ',')) {
    const std::size_t colon = std::min(part.find(':'), part.size());
    DROVER_ASSIGN(const auto number,
                  column_named(trimmed(std::string_view(part).substr(0, colon))));
    ShownColumn column{number, device_columns()[static_cast<std::size_t>(number)].width};
    if (colon < part.size()) {
      DROVER_ASSIGN(column.width, parse_width(trimmed(std::string_view(part).substr(colon + 1))));
    }
    for (const ShownColumn& other : wanted) {
      if (other.number == number) return listed_twice(number);
    }
    wanted.push_back(column);
  }
  return wanted;
}

Result<std::vector<SortKey>> parse_sort(std::string_view text) {
  std::vector<SortKey> keys;
  for (const std::string& part : split(text, ',')) {
    std::string_view name = trimmed(part);
    const bool descending = name.starts_with('-');
    if (descending) name.remove_prefix(1);
    DROVER_ASSIGN(const auto number, column_named(name));
    if (!keys.empty() && keys.front().column == number) return listed_twice(number);
    keys.push_back({number, descending});
  }
  if (keys.empty() || keys.size() > 2)
    return error("found {} columns, expected one or two", keys.size());
  return keys;
}

std::vector<ShownColumn> columns_that_fit(std::span<const ShownColumn> wanted, int width,
                                          bool all_real) {
  auto ranked = by_rank();
  std::erase_if(ranked, [&](const ShownColumn& column) {
    const std::string_view title = device_columns()[static_cast<std::size_t>(column.number)].title;
    return all_real && (title == "RUN" || title == "QUEUE");
  });
  const bool chosen = !wanted.empty();
  std::vector<ShownColumn> shown;
  for (const ShownColumn& column : chosen ? wanted : std::span<const ShownColumn>(ranked)) {
    const int rank = device_columns()[static_cast<std::size_t>(column.number)].rank;
    shown.push_back(column);
    if (width_of(shown) <= width - (chosen ? 0 : room_for_load(rank))) continue;
    shown.pop_back();
    break;
  }
  if (!chosen) {
    std::sort(shown.begin(), shown.end(),
              [](const ShownColumn& a, const ShownColumn& b) { return a.number < b.number; });
  }
  return shown;
}

int width_of(std::span<const ShownColumn> columns) {
  int width = -1;
  for (const ShownColumn& column : columns) width += column.width + 1;
  return std::max(0, width);
}

}  // namespace drover::tui
