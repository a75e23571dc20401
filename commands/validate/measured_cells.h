// Parses the rows and cells of measured tables.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "commands/validate/measured.h"

namespace drover::commands {

/// Converts a row, or says why it is left out; no value for a row of another converter.
using RowReader = std::function<std::optional<Result<Measurement>>(const CsvRow&)>;
/// Reads every row, and sets table and line of the measurements.
MeasuredTable read_rows(const CsvTable& table, const RowReader& read);

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
