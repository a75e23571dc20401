// Comma-separated text (RFC 4180): cells may stand in double quotes, a doubled quote inside is one
// quote, quoted cells may hold commas and line ends. LF or CRLF; a byte order mark is skipped.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"

namespace drover {

struct CsvRow {
  std::size_t line = 0;  // of the file, from 1, where the row begins
  std::vector<std::string> cells;
};

/// Reads one row after the other. `text` must outlive the reader.
class CsvReader {
 public:
  CsvReader(std::string_view text, std::string place);
  /// Nothing at the end. Empty lines are skipped. A quote that is never closed is a problem that
  /// names the line where it was opened, and ends the text.
  Result<std::optional<CsvRow>> next();

 private:
  Result<std::string> quoted_cell();
  std::string plain_cell();

  std::string_view text_;
  std::string place_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

/// A whole table with a header row. Rows may be shorter than the header (the rest is empty); a
/// longer one is a problem that names its line.
struct CsvTable {
  std::string place;
  std::vector<std::string> columns;
  std::vector<CsvRow> rows;

  static Result<CsvTable> parse(std::string_view text, std::string place);
  std::optional<std::size_t> column(std::string_view name) const;
  /// The cell under a column; empty where the row or the column is missing.
  const std::string& cell(const CsvRow& row, std::string_view column) const;
};

/// The cell as it is written: in quotes when it must be.
std::string csv_cell(std::string_view text);

}  // namespace drover
