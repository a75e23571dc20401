// Temperature and throttling of the devices that match the filter: the hottest devices, throttle
// time by cause, and the devices that are throttled now.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/panels/panels.h"
#include "tui/tables/device_columns.h"

namespace drover::tui {
namespace {

bool shown_fresh(const FrameContext& frame, DeviceTable::Row row) {
  return frame.ui.fleet_filter.shows(row) && !frame.stale(row);
}

std::vector<DeviceTable::Row> hottest_rows(const FrameContext& frame, int most) {
  std::vector<DeviceTable::Row> rows;
  for (const DeviceTable::Row row : frame.model.device_order()) {
    if (!shown_fresh(frame, row)) continue;
    if (!std::isnan(frame.model.reading(row, Metric::temperature))) rows.push_back(row);
  }
  const auto end = rows.begin() + std::min<std::ptrdiff_t>(std::max(0, most), std::ssize(rows));
  std::partial_sort(rows.begin(), end, rows.end(), [&](DeviceTable::Row a, DeviceTable::Row b) {
    const double left = frame.model.reading(a, Metric::temperature);
    const double right = frame.model.reading(b, Metric::temperature);
    return left != right ? left > right : a < b;
  });
  rows.erase(end, rows.end());
  return rows;
}

/// An alert that is raised for the device, or null.
const Alert* alert_on(const Model& model, const std::string& device) {
  for (const auto& [key, row] : model.alerts()) {
    if (key.subject == device || key.subject == "device:" + device) return &row.alert;
  }
  return nullptr;
}

/// Throttle time by cause over the devices shown; NaN if none reports it.
struct ThrottleTimeTotals {
  ThrottleTimes s{};
  std::uint32_t reporting = 0, devices = 0;
};

ThrottleTimeTotals total_throttle_times(const FrameContext& frame) {
  ThrottleTimeTotals sums;
  std::array<std::uint32_t, throttle_causes.size()> counts{};
  for (const DeviceTable::Row row : frame.model.device_order()) {
    if (!frame.ui.fleet_filter.shows(row)) continue;
    ++sums.devices;
    bool reports = false;
    for (std::size_t i = 0; i < throttle_causes.size(); ++i) {
      const double seconds = frame.model.reading(row, throttle_causes[i].metric);
      if (std::isnan(seconds)) continue;
      sums.s[i] += seconds;
      ++counts[i];
      reports = true;
    }
    if (reports) ++sums.reporting;
  }
  for (std::size_t i = 0; i < throttle_causes.size(); ++i) {
    if (counts[i] == 0) sums.s[i] = absent;
  }
  return sums;
}

/// `partly`: not all devices report their times, so that the sum may be too low.
std::string throttle_time_text(double seconds, bool partly) {
  if (std::isnan(seconds)) return std::string(not_known);
  return fmt::format("{}{}", partly ? ">" : "", seconds > 0 ? duration_text(seconds) : "0s");
}

}  // namespace

void draw_hottest(const FrameContext& frame, DrawRegion region) {
  const Model& model = frame.model;
  region.heading(0, "Hottest devices", "against the throttle limit");
  int line = 1;
  for (const DeviceTable::Row row : hottest_rows(frame, region.rows() - 1)) {
    const SpecRow& spec = model.spec_of(row);
    const double celsius = model.reading(row, Metric::temperature);
    region.field(0, line, 13, to_text(model.id_of(row)));
    const int kind = region.columns() >= 60 ? 15 : 0;
    region.field(14, line, kind - 1, spec.kind(), CellStyle::faint);
    const double share = spec.slowdown_c > 0 ? celsius / spec.slowdown_c : absent;
    const char* mark = spec.temperature_assumed ? "~" : "";
    region.gauge(14 + kind, line, region.columns() - 14 - kind - 8, share,
                 spec.slowdown_c > 0
                     ? fmt::format("{}{:.0f} of {:.0f}C", mark, celsius, spec.slowdown_c)
                     : fmt::format("{}{:.0f}C", mark, celsius),
                 gauge_style(share, 0.90, 0.99));
    const double watts = model.reading(row, Metric::power);
    const std::string drawn = std::isnan(watts)
                                  ? std::string(not_known)
                                  : (spec.power_assumed ? "~" : "") + watts_text(watts);
    region.field(region.columns() - 7, line, 7, drawn, CellStyle::plain, Align::right);
    ++line;
  }
  if (line == 1) region.text(0, 1, "no temperature reported", CellStyle::faint);
}

void draw_throttle_times(const FrameContext& frame, DrawRegion region) {
  const ThrottleTimeTotals sums = total_throttle_times(frame);
  region.heading(
      0, "Throttle time",
      fmt::format("summed over {} of {}", sums.reporting, counted(sums.devices, "device")));
  const bool partly = sums.reporting < sums.devices;
  // The recent growth is known for the whole fleet only.
  const std::optional<ThrottleTimes> recent =
      frame.ui.fleet_filter.active() ? std::nullopt : frame.model.recent_throttle_times(frame.now);
  const int recent_at = std::min(16, region.columns() - 22);
  region.field(0, 1, recent_at - 1, "THROTTLED BY", CellStyle::faint);
  region.field(recent_at, 1, 10, "LAST " + duration_text(to_seconds(frame.model.rate_span())),
               CellStyle::faint, Align::right);
  region.field(recent_at + 11, 1, 8, "TOTAL", CellStyle::faint, Align::right);
  for (std::size_t i = 0; i < throttle_causes.size(); ++i) {
    const int row = static_cast<int>(i) + 2;
    const double now_s = recent && !std::isnan(sums.s[i]) ? (*recent)[i] : absent;
    region.field(0, row, recent_at - 1, throttle_causes[i].name);
    region.field(recent_at, row, 10, throttle_time_text(now_s, partly),
                 std::isnan(now_s) ? CellStyle::faint
                 : now_s > 0       ? CellStyle::warm
                                   : CellStyle::plain,
                 Align::right);
    region.field(recent_at + 11, row, 8, throttle_time_text(sums.s[i], partly),
                 std::isnan(sums.s[i]) ? CellStyle::faint : CellStyle::plain, Align::right);
  }
}

void draw_throttled(const FrameContext& frame, DrawRegion region) {
  const Model& model = frame.model;
  std::map<std::string, int> reasons;
  std::vector<DeviceTable::Row> rows;
  bool known = false;  // some device reports it
  for (const DeviceTable::Row row : model.device_order()) {
    if (!shown_fresh(frame, row)) continue;
    const double throttle = model.reading(row, Metric::throttle);
    if (!std::isnan(throttle)) known = true;
    if (!is_throttled(throttle)) continue;
    ++reasons[throttle_text(throttle)];
    rows.push_back(row);
  }
  // A power cap is often meant; heat is not.
  std::stable_partition(rows.begin(), rows.end(), [&](DeviceTable::Row row) {
    return throttle_text(model.reading(row, Metric::throttle)) != "power";
  });
  std::string note;
  for (const auto& [reason, count] : reasons) {
    note += fmt::format("{}{} {}", note.empty() ? "" : ", ", reason, count);
  }
  region.heading(0, known ? fmt::format("Throttled devices {}", rows.size()) : "Throttled devices",
                 known ? note : std::string(not_known));
  int line = 1;
  for (const DeviceTable::Row row : rows) {
    if (line + 1 == region.rows() && line < static_cast<int>(rows.size())) {
      region.field(0, line, region.columns(),
                   fmt::format("{} more", static_cast<int>(rows.size()) + 1 - line),
                   CellStyle::faint);
      break;
    }
    const std::string device = to_text(model.id_of(row));
    region.field(0, line, 13, device);
    region.field(14, line, 10, throttle_text(model.reading(row, Metric::throttle)),
                 CellStyle::warm);
    const double mhz = model.reading(row, Metric::clock);
    region.field(25, line, 9, rounded_text(mhz, " MHz"), CellStyle::plain, Align::right);
    const double throttled_s = to_seconds(frame.now - model.devices().throttled_since(row));
    std::string text = "for " + duration_text(throttled_s);
    if (const Alert* alert = alert_on(model, device)) text += ", alert " + alert->rule;
    region.field(36, line, region.columns() - 36, text);
    ++line;
  }
  if (rows.empty() && known) region.text(0, 1, "none", CellStyle::faint);
}

}  // namespace drover::tui
