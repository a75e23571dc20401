#include "tui/panels/slowed_panels.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/tables/columns.h"

namespace drover::tui {
namespace {

bool shown_fresh(const Scene& scene, DeviceTable::Row row) {
  return scene.choices.narrowing.shows(row) && !scene.stale(row);
}

std::vector<DeviceTable::Row> hottest_rows(const Scene& scene) {
  std::vector<DeviceTable::Row> rows;
  for (const DeviceTable::Row row : scene.model.device_order()) {
    if (!shown_fresh(scene, row)) continue;
    if (!std::isnan(scene.model.reading(row, Metric::temperature))) rows.push_back(row);
  }
  const auto end = rows.begin() + std::min<std::ptrdiff_t>(hottest_most, std::ssize(rows));
  std::partial_sort(rows.begin(), end, rows.end(), [&](DeviceTable::Row a, DeviceTable::Row b) {
    const double left = scene.model.reading(a, Metric::temperature);
    const double right = scene.model.reading(b, Metric::temperature);
    return left != right ? left > right : a < b;
  });
  rows.erase(end, rows.end());
  return rows;
}

/// What is raised on the device.
const Alert* alert_on(const Model& model, const std::string& device) {
  for (const auto& [key, row] : model.alerts()) {
    if (key.subject == device || key.subject == "device:" + device) return &row.alert;
  }
  return nullptr;
}

/// Device-time by holder over the devices shown; NaN where none of them tells.
struct HeldSums {
  HeldTimes s{};
  std::uint32_t telling = 0, devices = 0;
};

HeldSums held_so_far(const Scene& scene) {
  HeldSums sums;
  std::array<std::uint32_t, holders.size()> told{};
  for (const DeviceTable::Row row : scene.model.device_order()) {
    if (!scene.choices.narrowing.shows(row)) continue;
    ++sums.devices;
    bool tells = false;
    for (std::size_t i = 0; i < holders.size(); ++i) {
      const double seconds = scene.model.reading(row, holders[i].metric);
      if (std::isnan(seconds)) continue;
      sums.s[i] += seconds;
      ++told[i];
      tells = true;
    }
    if (tells) ++sums.telling;
  }
  for (std::size_t i = 0; i < holders.size(); ++i) {
    if (told[i] == 0) sums.s[i] = absent;
  }
  return sums;
}

std::string held_text(double seconds) {
  if (std::isnan(seconds)) return std::string(not_known);
  return seconds > 0 ? duration_text(seconds) : "0s";
}

}  // namespace

void draw_hottest(const Scene& scene, Pen pen) {
  const Model& model = scene.model;
  pen.heading(0, "Hottest devices", "of its slowdown limit");
  int line = 1;
  for (const DeviceTable::Row row : hottest_rows(scene)) {
    const SpecRow& spec = model.spec_of(row);
    const double celsius = model.reading(row, Metric::temperature);
    pen.field(0, line, 13, to_text(model.id_of(row)));
    const int kind = pen.columns() >= 60 ? 15 : 0;
    pen.field(14, line, kind - 1, spec.id, Role::faint);
    const double share = spec.slowdown_c > 0 ? celsius / spec.slowdown_c : absent;
    const char* mark = spec.temperature_assumed ? "~" : "";
    pen.gauge(14 + kind, line, pen.columns() - 14 - kind - 8, share,
              spec.slowdown_c > 0
                  ? fmt::format("{}{:.0f} of {:.0f}C", mark, celsius, spec.slowdown_c)
                  : fmt::format("{}{:.0f}C", mark, celsius),
              fill_role(share, 0.90, 0.99));
    const double watts = model.reading(row, Metric::power);
    const std::string drawn = std::isnan(watts)
                                  ? std::string(not_known)
                                  : (spec.power_assumed ? "~" : "") + watts_text(watts);
    pen.field(pen.columns() - 7, line, 7, drawn, Role::plain, Align::right);
    ++line;
  }
  if (line == 1) pen.text(0, 1, "no temperature is known", Role::faint);
}

void draw_held(const Scene& scene, Pen pen) {
  const HeldSums sums = held_so_far(scene);
  pen.heading(0, "Clocks held down",
              fmt::format("{} of {} report it", sums.telling, counted(sums.devices, "device")));
  // The growth is counted for the whole fleet: of some of its devices it is not known.
  const std::optional<HeldTimes> lately =
      scene.choices.narrowing.active() ? std::nullopt : scene.model.held_lately(scene.now);
  const int lately_at = std::min(16, pen.columns() - 22);
  pen.field(0, 1, lately_at - 1, "DEVICE TIME BY", Role::faint);
  pen.field(lately_at, 1, 10, "LAST " + duration_text(to_seconds(scene.model.rate_span())),
            Role::faint, Align::right);
  pen.field(lately_at + 11, 1, 8, "SO FAR", Role::faint, Align::right);
  for (std::size_t i = 0; i < holders.size(); ++i) {
    const int row = static_cast<int>(i) + 2;
    const double now_s = lately && !std::isnan(sums.s[i]) ? (*lately)[i] : absent;
    pen.field(0, row, lately_at - 1, holders[i].name);
    pen.field(lately_at, row, 10, held_text(now_s),
              std::isnan(now_s) ? Role::faint
              : now_s > 0       ? Role::warm
                                : Role::plain,
              Align::right);
    pen.field(lately_at + 11, row, 8, held_text(sums.s[i]),
              std::isnan(sums.s[i]) ? Role::faint : Role::plain, Align::right);
  }
}

void draw_slowed(const Scene& scene, Pen pen) {
  const Model& model = scene.model;
  std::map<std::string, int> reasons;
  std::vector<DeviceTable::Row> rows;
  bool known = false;  // some device tells it
  for (const DeviceTable::Row row : model.device_order()) {
    if (!shown_fresh(scene, row)) continue;
    const double throttle = model.reading(row, Metric::throttle);
    if (!std::isnan(throttle)) known = true;
    if (!is_slowed(throttle)) continue;
    ++reasons[throttle_text(throttle)];
    rows.push_back(row);
  }
  std::string note;
  for (const auto& [reason, count] : reasons) {
    note += fmt::format("{}{} {}", note.empty() ? "" : ", ", reason, count);
  }
  pen.heading(0, known ? fmt::format("Slowed devices {}", rows.size()) : "Slowed devices",
              known ? note : std::string(not_known));
  int line = 1;
  for (const DeviceTable::Row row : rows) {
    if (line + 1 == pen.rows() && line < static_cast<int>(rows.size())) {
      pen.field(0, line, pen.columns(),
                fmt::format("{} more", static_cast<int>(rows.size()) + 1 - line), Role::faint);
      break;
    }
    const std::string device = to_text(model.id_of(row));
    pen.field(0, line, 13, device);
    pen.field(14, line, 8, throttle_text(model.reading(row, Metric::throttle)), Role::warm);
    const double mhz = model.reading(row, Metric::clock);
    pen.field(23, line, 9,
              std::isnan(mhz) ? std::string(not_known) : fmt::format("{:.0f} MHz", mhz),
              Role::plain, Align::right);
    const double slowed_s = to_seconds(scene.now - model.devices().slowed_since(row));
    std::string text = "for " + duration_text(slowed_s);
    if (const Alert* alert = alert_on(model, device)) text += ", alert " + alert->rule;
    pen.field(34, line, pen.columns() - 34, text);
    ++line;
  }
  if (rows.empty() && known) pen.text(0, 1, "none", Role::faint);
}

}  // namespace drover::tui
