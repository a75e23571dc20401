// The figures of the device view: what each number says, the formula by which an emulated device
// computes it, and against which measurements that was held. One table row for each figure.
//
// Constants of the device spec stand in braces, by section and key and with the unit that is said
// behind their values: "{power.open_w| W} + ..". Their names tell it themselves.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tui/model/error_classes.h"
#include "tui/model/spec_facts.h"

namespace drover::tui {

struct Figure {
  std::string_view name;
  std::string_view told;     // what the number is, and how a sensor tells it
  std::string_view formula;  // lines parted by '\n'
  unsigned errors = 0;       // a bit for each ErrorClass that it rests on
};

/// The charts in their order, then the strip of throttle reasons, then the limits.
std::span<const Figure> figures();
inline constexpr int throttle_figure = 9;
inline constexpr int first_limit = 10;
inline constexpr int limit_count = 9;
inline constexpr int figure_count = first_limit + limit_count;

/// A fact of the spec, which no formula makes.
inline bool is_limit(const Figure& figure) { return &figure >= &figures()[first_limit]; }

inline bool has_error(const Figure& figure, ErrorClass error_class) {
  return (figure.errors >> static_cast<unsigned>(error_class) & 1u) != 0;
}

/// The constants of a text, each once, in the order in which it names them.
std::vector<std::string_view> constants_in(std::string_view text);
/// The text with the keys of its constants: "open_w + ..".
std::string with_names(std::string_view text);
/// The text with their values, "121.7 W + ..": "~" before those that are assumed, "N/A" for those
/// that the spec does not tell.
std::string with_values(std::string_view text, const SpecFacts& facts);
/// "0.0237", "1830", "~0.3", "N/A".
std::string value_text(const SpecFact* fact);

}  // namespace drover::tui
