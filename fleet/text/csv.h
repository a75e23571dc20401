// Comma-separated text (RFC 4180): cells may be in double quotes, a doubled quote inside is one
// quote, quoted cells may contain commas and line ends. LF or CRLF; a byte order mark is skipped.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"

namespace drover {

struct CsvRow {
  std::size_t line = 0;  // in the file, from 1, where the row begins
  std::vector<std::string> cells;
};

/// Reads rows one after the other. `text` must outlive the reader.
class CsvReader {
 public:
  CsvReader(std::string_view text, std::string place);
  /// Returns nothing at the end. Empty lines are skipped. A quote that is never closed is an error,
  /// which names the line where it was opened and ends the text.
  Result<std::optional<CsvRow>> next();

 private:
  Result<std::string> quoted_cell();
  std::string plain_cell();

  std::string_view text_;
  std::string place_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

/// A whole table with a header row. Rows may be shorter than the header (the rest is empty). A
/// longer one is an error that names its line.
struct CsvTable {
  std::string place;
  std::vector<std::string> columns;
  std::vector<CsvRow> rows;

  static Result<CsvTable> parse(std::string_view text, std::string place);
  std::optional<std::size_t> column(std::string_view name) const;
  /// The cell of a column; empty when the row has no such cell or the table no such column.
  const std::string& cell(const CsvRow& row, std::string_view column) const;
};

/// The cell's text, quoted if necessary.
std::string csv_cell(std::string_view text);

}  // namespace drover
