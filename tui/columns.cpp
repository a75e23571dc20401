#include "tui/columns.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fleet/units.h"

namespace drover::tui {
namespace {

using Row = DeviceTable::Row;

double by_place(const Model&, Row, std::uint32_t place) { return place; }
double by_kind(const Model& model, Row row, std::uint32_t) { return model.devices().spec(row); }

template <Metric metric>
double by(const Model& model, Row row, std::uint32_t) {
  return model.reading(row, metric);
}

template <Shade shade>
double by_share(const Model& model, Row row, std::uint32_t) {
  return model.share(row, shade);
}

template <Shade shade>
double share(const Model& model, Row row) {
  return model.share(row, shade);
}

template <Metric metric>
double value(const Model& model, Row row) {
  return model.reading(row, metric);
}

template <Metric metric>
std::string percent(const Scene& scene, Row row) {
  return percent_text(scene.model.reading(row, metric));
}

template <Metric metric>
std::string number(const Scene& scene, Row row) {
  const double number = scene.model.reading(row, metric);
  return std::isnan(number) ? "-" : fmt::format("{:.0f}", number);
}

std::string device_text(const Scene& scene, Row row) { return to_text(scene.model.id_of(row)); }

std::string rack_text(const Scene& scene, Row row) {
  return scene.model.host_of(row).said.hello.rack;
}

std::string kind_text(const Scene& scene, Row row) { return scene.model.spec_of(row).id; }

std::string memory_text(const Scene& scene, Row row) {
  const double used = scene.model.reading(row, Metric::memory_used);
  const double total = scene.model.reading(row, Metric::memory_total);
  if (std::isnan(used) || std::isnan(total)) return "-";
  constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
  return fmt::format("{:.1f}/{:.0f}G", used / gibibyte, total / gibibyte);
}

std::string power_text(const Scene& scene, Row row) {
  const double power = scene.model.reading(row, Metric::power);
  const double cap = scene.model.reading(row, Metric::power_cap);
  if (std::isnan(power)) return "-";
  const char* mark = scene.model.spec_of(row).power_assumed ? "~" : "";
  return std::isnan(cap) ? fmt::format("{}{:.0f}W", mark, power)
                         : fmt::format("{}{:.0f}/{:.0f}W", mark, power, cap);
}

std::string temperature_text(const Scene& scene, Row row) {
  const double celsius = scene.model.reading(row, Metric::temperature);
  if (std::isnan(celsius)) return "-";
  if (!scene.model.spec_of(row).temperature_assumed) return fmt::format("{:.0f}C", celsius);
  return fmt::format("~{:.0f}{}", celsius, celsius < 99.5 ? "C" : "");  // four columns
}

std::string slowed_text(const Scene& scene, Row row) {
  return throttle_text(scene.model.reading(row, Metric::throttle));
}

std::string energy_text(const Scene& scene, Row row) {
  const double joules = scene.model.reading(row, Metric::energy);
  return std::isnan(joules) ? "-" : joules_text(joules);
}

std::string age_text(const Scene& scene, Row row) {
  const Instant arrived = scene.model.devices().arrived(row);
  if (arrived == Instant::min()) return "-";
  // Whole seconds: fractions would only flicker.
  const double age_s = std::floor(scene.s_since(arrived));
  return age_s < 100 ? fmt::format("{:.0f}s", age_s) : duration_text(age_s);
}

double by_age(const Model& model, Row row, std::uint32_t) {
  const Instant arrived = model.devices().arrived(row);
  return arrived == Instant::min() ? absent : -to_seconds(arrived.time_since_epoch());
}

// Where colours turn: memory and power near their limit, temperature (on the shade's scale, 20 to
// 100 C) at 80 and 90 C as in all-smi. Utilization never warns: a busy fleet is a good fleet.
constexpr auto left = Align::left;
constexpr auto right = Align::right;
constexpr std::array table = {
    DeviceColumn{"DEVICE", 16, left, 0, false, device_text, by_place, nullptr},
    DeviceColumn{"RACK", 6, left, 8, false, rack_text, by_place, nullptr},
    DeviceColumn{"KIND", 13, left, 6, false, kind_text, by_kind, nullptr},
    DeviceColumn{"UTIL", 11, right, 1, true, percent<Metric::utilization>, by<Metric::utilization>,
                 share<Shade::utilization>},
    DeviceColumn{"MATRIX", 8, right, 11, true, percent<Metric::matrix_activity>,
                 by<Metric::matrix_activity>, value<Metric::matrix_activity>},
    DeviceColumn{"MEM-BW", 8, right, 12, true, percent<Metric::memory_activity>,
                 by<Metric::memory_activity>, value<Metric::memory_activity>},
    DeviceColumn{"MEMORY", 13, right, 2, true, memory_text, by_share<Shade::memory>,
                 share<Shade::memory>, 0.90, 0.97},
    DeviceColumn{"POWER", 12, right, 3, true, power_text, by<Metric::power>, share<Shade::power>,
                 0.90, 0.99},
    DeviceColumn{"TEMP", 4, right, 4, true, temperature_text, by<Metric::temperature>, nullptr, 80,
                 90},
    DeviceColumn{"MHz", 5, right, 10, true, number<Metric::clock>, by<Metric::clock>, nullptr},
    DeviceColumn{"SLOWED", 7, left, 9, true, slowed_text, by<Metric::throttle>, nullptr},
    DeviceColumn{"RUN", 3, right, 5, true, number<Metric::running>, by<Metric::running>, nullptr},
    DeviceColumn{"QUE", 3, right, 7, true, number<Metric::queue>, by<Metric::queue>, nullptr},
    DeviceColumn{"ENERGY", 7, right, 13, true, energy_text, by<Metric::energy>, nullptr},
    DeviceColumn{"AGE", 6, right, 14, true, age_text, by_age, nullptr},
};

}  // namespace

std::span<const DeviceColumn> device_columns() { return table; }

std::vector<int> columns_that_fit(int width) {
  std::vector<int> by_rank(table.size());
  for (std::size_t i = 0; i < table.size(); ++i) by_rank[i] = static_cast<int>(i);
  std::sort(by_rank.begin(), by_rank.end(), [](int a, int b) {
    return table[static_cast<std::size_t>(a)].rank < table[static_cast<std::size_t>(b)].rank;
  });
  std::vector<int> shown;
  for (const int column : by_rank) {
    shown.push_back(column);
    if (width_of(shown) <= width) continue;
    shown.pop_back();
    break;
  }
  std::sort(shown.begin(), shown.end());
  return shown;
}

int width_of(std::span<const int> columns) {
  int width = -1;
  for (const int column : columns) width += table[static_cast<std::size_t>(column)].width + 1;
  return std::max(0, width);
}

std::string throttle_text(double bits) {
  if (std::isnan(bits)) return "-";
  const auto set = static_cast<std::uint32_t>(bits);
  if (set & throttle_thermal_hardware) return "hw heat";
  if (set & throttle_thermal_software) return "heat";
  if (set & throttle_hardware_slowdown) return "hw";  // a power brake
  if (set & throttle_power_cap) return "power";
  if (is_slowed(bits)) return "other";
  if (set & throttle_idle) return "idle";
  return "";
}

}  // namespace drover::tui
