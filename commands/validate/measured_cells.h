// Words and figures in the cells of a measured table.
#pragma once

#include <string>
#include <string_view>

namespace drover::commands {

inline bool has(std::string_view text, std::string_view words) {
  return text.find(words) != std::string_view::npos;
}

/// The number that a cell is; not a number where it is none.
double number(std::string_view cell);

/// The figure that follows the first `mark`, as it is written; empty when none does.
std::string number_after(std::string_view text, std::string_view mark);

/// "github ml-energy/zeus:examples/.." -> "ml-energy/zeus".
std::string repository(std::string_view source);

}  // namespace drover::commands
