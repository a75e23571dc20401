// The metrics and limits of the device view: what each number means, the formula by which an
// emulated device computes it, and the measurements that it was compared with. One table row each.
//
// Constants of the device spec stand in braces: section, key, and the unit printed after the value:
// "{power.context_idle_w| W} + ..". Without values, the key's suffix already names the unit. With
// the unit " %" a share is printed as a percentage.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tui/model/spec_facts.h"

namespace drover::tui {

/// The error of the emulated devices against published measurements of real ones, by class.
/// docs/accuracy.md has the same table, and `drover validate FOLDER` computes it.
enum class ModelErrorClass : std::uint8_t {
  products,
  training,
  decode,
  serving,
  nets,
  power,
  power_cap,
  temperature,
};
inline constexpr int error_class_count = 8;

struct ModelErrorInfo {
  ModelErrorClass error_class;
  std::string_view id;            // of the class in `drover validate`; the first if there are two
  std::string_view title;         // as in docs/accuracy.md
  std::string_view measurements;  // that were compared
  std::string_view error;         // mean, and the median if the two differ
};
const ModelErrorInfo& facts(ModelErrorClass error_class);

struct MetricFormula {
  std::string_view name;
  std::string_view description;  // what the number is, and how a sensor reports it
  std::string_view formula;      // lines separated by '\n'
  unsigned errors = 0;           // a bit for each ModelErrorClass that applies
};

/// The charts in the order of the screen, then the strip of throttle reasons, then the limits.
std::span<const MetricFormula> metric_formulas();
inline constexpr int throttle_formula_index = 9;
inline constexpr int first_limit = 10;
inline constexpr int limit_count = 9;
inline constexpr int metric_formula_count = first_limit + limit_count;

/// Limits are constants of the spec: no formula computes them.
inline bool is_limit(const MetricFormula& figure) {
  return &figure >= &metric_formulas()[first_limit];
}

/// The constants that a text names, each once, in the text's order.
std::vector<std::string_view> constants_in(std::string_view text);
/// The text with the keys of its constants: "context_idle_w + ..".
std::string with_names(std::string_view text);
/// The text with their values, "121.7 W + ..": "~" before assumed ones, "N/A" for those that the
/// spec lacks.
std::string with_values(std::string_view text, const SpecFacts& facts);
/// "0.0237", "1830", "~0.3", "N/A".
std::string value_text(const SpecFact* fact);

}  // namespace drover::tui
