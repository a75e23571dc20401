// Parses the cells of measured tables.
#pragma once

#include <string>
#include <string_view>

namespace drover::commands {

inline bool has(std::string_view text, std::string_view words) {
  return text.find(words) != std::string_view::npos;
}

/// The number in a cell; NaN if it is not a number.
double number(std::string_view cell);

/// The figure that follows the first `mark`, as written; empty if there is none.
std::string number_after(std::string_view text, std::string_view mark);

/// "github ml-energy/zeus:examples/.." -> "ml-energy/zeus".
std::string repository(std::string_view source);

}  // namespace drover::commands
