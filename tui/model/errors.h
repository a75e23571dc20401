// The error of the emulated devices against published measurements of real ones, by class.
// docs/accuracy.md has the same table, and `drover validate FOLDER` computes it.
#pragma once

#include <cstdint>
#include <string_view>

namespace drover::tui {

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

}  // namespace drover::tui
