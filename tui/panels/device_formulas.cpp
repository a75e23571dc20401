// The limits of a device, from its spec, and the formulas of its metrics.
#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/panels/device_panels.h"
#include "tui/panels/panels.h"

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
  const char* const assumed = mark(facts, {"power.cap_min_w", "power.tdp_w"});
  if (low >= high) return fmt::format("{}, {}fixed", now, assumed);
  return fmt::format("{} of {}{:.0f}-{}", now, assumed, low, watts_text(high));
}

std::string slowdown_text(const SpecFacts& facts, double) {
  const double soft = facts.value("thermal.max_c"), hard = facts.value("thermal.slowdown_c");
  if (!known(hard)) return "N/A";
  const char* const assumed = mark(facts, {"thermal.max_c", "thermal.slowdown_c"});
  return known(soft) ? fmt::format("{}{:.0f}C, half clock at {:.0f}C", assumed, soft, hard)
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

/// `before`: the constant above, whose note is not repeated.
void add_constant(DetailLines& lines, std::string_view label, std::string_view name,
                  const SpecFact* fact, const SpecFact* before) {
  std::string text = fmt::format("{} = {}", name, value_text(fact));
  // A plain zero means unknown or none.
  const bool known = fact != nullptr && (fact->value != 0 || fact->known != Provenance::read);
  if (!known) return lines.add(label, text + ", unknown", CellStyle::faint);
  text += fmt::format(", {}", to_text(fact->known));
  const bool same = before != nullptr && before->known == fact->known && before->note == fact->note;
  if (!fact->note.empty()) {
    text += same ? std::string(", as above") : fmt::format(": {}", printable(fact->note));
  }
  lines.add(label, text, fact->known == Provenance::assumed ? CellStyle::warm : CellStyle::plain);
}

void add_errors(DetailLines& lines, const MetricFormula& figure) {
  std::string_view label = "error";
  for (int i = 0; i < error_class_count; ++i) {
    const auto error_class = static_cast<ModelErrorClass>(i);
    if ((figure.errors >> static_cast<unsigned>(error_class) & 1u) == 0) continue;
    const ModelErrorInfo& error = facts(error_class);
    lines.add(label, fmt::format("{}: {} of {} published measurements", error.title, error.error,
                                 error.measurements));
    label = {};
  }
  if (figure.errors == 0) lines.add(label, "not compared with measurements", CellStyle::faint);
}

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

std::vector<DetailLine> formula_lines(const MetricFormula& figure, const SpecFacts& facts,
                                      int columns) {
  DetailLines lines(columns);
  lines.add("", with_values(figure.description, facts));
  std::vector<std::string_view> names = constants_in(figure.formula);
  const bool emulated = names.empty() ? facts.find("power.idle_w") != nullptr
                                      : std::any_of(names.begin(), names.end(), [&](auto name) {
                                          return facts.find(name) != nullptr;
                                        });
  if (!emulated) {
    lines.add("formula", "as reported by its driver: the spec has no emulation constants");
    return lines.take();
  }
  if (!is_limit(figure)) lines.add("formula", with_names(figure.formula), CellStyle::accent);
  if (!names.empty()) lines.add("values", with_values(figure.formula, facts));
  for (const std::string_view name : constants_in(figure.description)) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::string_view label = "constants";
  std::set<std::string_view> sources;
  const SpecFact* before = nullptr;
  for (const std::string_view name : names) {
    const SpecFact* const fact = facts.find(name);
    add_constant(lines, label, name, fact, std::exchange(before, fact));
    label = {};
    const std::string_view source = facts.source_of(name.substr(0, name.find('.')));
    const bool read = fact != nullptr && fact->known == Provenance::read && fact->value != 0;
    if (read && !source.empty()) sources.insert(source);
  }
  label = "sources";
  for (const std::string_view source : sources) {
    lines.add(label, printable(source));
    label = {};
  }
  if (!is_limit(figure)) add_errors(lines, figure);
  return lines.take();
}

void draw_formula_panel(DrawRegion region, std::string_view title,
                        const std::vector<DetailLine>& lines, int top) {
  DrawRegion body =
      draw_details_heading(region, title, "Esc closes", static_cast<int>(lines.size()), top);
  draw_detail_lines(body, lines, top);
}

}  // namespace drover::tui
