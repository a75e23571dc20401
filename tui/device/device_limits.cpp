#include "tui/device/device_limits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "fleet/sample/sample.h"

namespace drover::tui {
namespace {

constexpr int limit_label_columns = 10;
constexpr int cell_columns = 29;  // the longest label and value, and a gap

/// "~" if any of them is assumed.
const char* mark(const SpecFacts& facts, std::initializer_list<std::string_view> names) {
  const bool assumed = std::any_of(names.begin(), names.end(),
                                   [&](std::string_view name) { return facts.is_assumed(name); });
  return assumed ? "~" : "";
}

/// A missing value and a zero are unknown.
bool known(double value) { return value > 0; }

std::string memory_text(const SpecFacts& facts, double) {
  const double bytes = facts.value("memory.capacity_gib") * 1024 * 1024 * 1024;
  return known(bytes) ? mark(facts, {"memory.capacity_gib"}) + bytes_text(bytes) : "N/A";
}

std::string bandwidth_text(const SpecFacts& facts, double) {
  const double rate = facts.value("memory.bandwidth_gb_s");
  if (!known(rate)) return "N/A";
  const char* const assumed = mark(facts, {"memory.bandwidth_gb_s"});
  return rate < 1000 ? fmt::format("{}{:.0f} GB/s", assumed, rate)
                     : fmt::format("{}{:.2f} TB/s", assumed, rate / 1000);
}

/// The peak of the first known precision, in the order in which models use them.
std::string peak_text(const SpecFacts& facts, double) {
  for (const char* precision : {"bf16", "fp16", "int8", "fp32"}) {
    const std::string name = fmt::format("peak_tflops.{}", precision);
    if (!known(facts.value(name))) continue;
    return fmt::format("{}{:.4g} TFLOP/s {}", mark(facts, {name}), facts.value(name), precision);
  }
  return "N/A";
}

std::string tdp_text(const SpecFacts& facts, double) {
  const double watts = facts.value("power.tdp_w");
  return known(watts) ? mark(facts, {"power.tdp_w"}) + watts_text(watts) : "N/A";
}

std::string cap_text(const SpecFacts& facts, double cap_w) {
  const std::string now = std::isnan(cap_w) ? "N/A" : watts_text(cap_w);
  const double low = facts.value("power.cap_min_w"), high = facts.value("power.tdp_w");
  if (!known(low) || !known(high)) return now;
  return fmt::format("{} of {}{:.0f}-{}", now, mark(facts, {"power.cap_min_w", "power.tdp_w"}), low,
                     watts_text(high));
}

std::string slowdown_text(const SpecFacts& facts, double) {
  const double soft = facts.value("thermal.max_c"), hard = facts.value("thermal.slowdown_c");
  if (!known(hard)) return "N/A";
  const char* const assumed = mark(facts, {"thermal.max_c", "thermal.slowdown_c"});
  return known(soft) ? fmt::format("{}{:.0f}C, half at {:.0f}C", assumed, soft, hard)
                     : fmt::format("{}{:.0f}C", assumed, hard);
}

std::string shutdown_text(const SpecFacts& facts, double) {
  const double celsius = facts.value("thermal.shutdown_c");
  if (!known(celsius)) return "N/A";
  return fmt::format("{}{:.0f}C", mark(facts, {"thermal.shutdown_c"}), celsius);
}

std::string clock_text(const SpecFacts& facts, double) {
  const double nominal = facts.value("clock.nominal_mhz");
  const double low = facts.value("clock.min_share") * nominal;
  const double boost = facts.value("clock.boost_mhz");
  if (!known(nominal) || !known(low)) return "N/A";
  return fmt::format("{}{:.0f} to {:.0f} MHz",
                     mark(facts, {"clock.min_share", "clock.nominal_mhz", "clock.boost_mhz"}), low,
                     known(boost) ? std::max(nominal, boost) : nominal);
}

std::string price_text(const SpecFacts& facts, double) {
  const double dollars = facts.value("price.usd_per_h"), spot = facts.value("price.spot_usd_per_h");
  if (!known(dollars)) return "N/A";
  const std::string text = fmt::format("{}${:.2f}", mark(facts, {"price.usd_per_h"}), dollars);
  return known(spot)
             ? text + fmt::format(", spot {}${:.2f}", mark(facts, {"price.spot_usd_per_h"}), spot)
             : text;
}

/// In the order of metric_formulas() from first_limit on.
constexpr std::array<std::string (*)(const SpecFacts&, double), limit_count> texts = {
    memory_text,   bandwidth_text, peak_text,  tdp_text,  cap_text,
    slowdown_text, shutdown_text,  clock_text, price_text};

int abreast_on(int columns) { return std::clamp(columns / cell_columns, 1, limit_count); }

}  // namespace

std::string limit_text(int limit, const SpecFacts& facts, double cap_w) {
  return texts.at(static_cast<std::size_t>(limit))(facts, cap_w);
}

int limits_rows(int columns) {
  const int abreast = abreast_on(columns);
  return 1 + (limit_count + abreast - 1) / abreast;
}

Rect limit_place(int limit, int columns) {
  const int abreast = abreast_on(columns);
  const int width = columns / abreast;
  return {limit % abreast * width, 1 + limit / abreast, width - 1, 1};
}

void draw_limits(DrawRegion region, const SpecFacts& facts, double cap_w) {
  region.heading(0, "Limits");
  for (int limit = 0; limit < limit_count; ++limit) {
    const Rect place = limit_place(limit, region.columns());
    const std::string_view name =
        metric_formulas()[first_limit + static_cast<std::size_t>(limit)].name;
    const std::string text = limit_text(limit, facts, cap_w);
    region.field(place.column, place.row, limit_label_columns, name, CellStyle::faint);
    region.field(place.column + limit_label_columns, place.row, place.columns - limit_label_columns,
                 text, text == "N/A" ? CellStyle::faint : CellStyle::plain);
  }
}

}  // namespace drover::tui
