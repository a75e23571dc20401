// How far the emulated devices are from what others measured on real ones, by class. README tells
// the same table, and `drover validate FOLDER` makes it anew.
#pragma once

#include <cstdint>
#include <string_view>

namespace drover::tui {

enum class ErrorClass : std::uint8_t {
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

struct ErrorFacts {
  ErrorClass error_class;
  std::string_view id;            // of the class in `drover validate`; of two: the first
  std::string_view title;         // as in README
  std::string_view measurements;  // that were compared
  std::string_view error;         // mean, and the median where the two differ
};
const ErrorFacts& facts(ErrorClass error_class);

}  // namespace drover::tui
