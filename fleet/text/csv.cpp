#include "fleet/text/csv.h"

#include <algorithm>
#include <utility>

namespace drover {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace

CsvReader::CsvReader(std::string_view text, std::string place)
    : text_(text), place_(std::move(place)) {
  if (text_.starts_with(byte_order_mark)) at_ = byte_order_mark.size();
}

Result<std::string> CsvReader::quoted_cell() {
  const std::size_t opened = line_;
  std::string cell;
  for (++at_; at_ < text_.size(); ++at_) {
    const char character = text_[at_];
    if (character == '\n') ++line_;
    if (character != '"') {
      cell += character;
    } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
      cell += '"';
      ++at_;
    } else {
      ++at_;
      return cell;
    }
  }
  return error("{}:{}: a quote is opened and never closed", place_, opened);
}

std::string CsvReader::plain_cell() {
  const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
  std::string cell(text_.substr(at_, end - at_));
  at_ = end;
  return cell;
}

Result<std::optional<CsvRow>> CsvReader::next() {
  const auto at_line_end = [&] { return text_[at_] == '\n' || text_[at_] == '\r'; };
  while (at_ < text_.size() && at_line_end()) {
    if (text_[at_++] == '\n') ++line_;
  }
  if (at_ >= text_.size()) return std::optional<CsvRow>();
  CsvRow row;
  row.line = line_;
  while (true) {
    if (at_ < text_.size() && text_[at_] == '"') {
      DROVER_ASSIGN(auto cell, quoted_cell());
      row.cells.push_back(std::move(cell));
      // Text between a closing quote and the comma belongs to the cell, as in spreadsheets.
      row.cells.back() += plain_cell();
    } else {
      row.cells.push_back(plain_cell());
    }
    if (at_ >= text_.size() || at_line_end()) return std::optional(std::move(row));
    ++at_;  // the comma
  }
}

Result<CsvTable> CsvTable::parse(std::string_view text, std::string place) {
  CsvTable table;
  table.place = place;
  CsvReader reader(text, std::move(place));
  while (true) {
    DROVER_ASSIGN(auto row, reader.next());
    if (!row) break;
    if (table.columns.empty()) {
      table.columns = std::move(row->cells);
      continue;
    }
    if (row->cells.size() > table.columns.size()) {
      return error("{}:{}: found {} cells, expected at most {} as in the header", table.place,
                   row->line, row->cells.size(), table.columns.size());
    }
    table.rows.push_back(*std::move(row));
  }
  if (table.columns.empty()) return error("{}: empty, expected a header row", table.place);
  return table;
}

std::optional<std::size_t> CsvTable::column(std::string_view name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

const std::string& CsvTable::cell(const CsvRow& row, std::string_view name) const {
  static const std::string empty;
  const std::optional<std::size_t> index = column(name);
  return index && *index < row.cells.size() ? row.cells[*index] : empty;
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char character : text) {
    if (character == '"') quoted += '"';
    quoted += character;
  }
  return quoted + '"';
}

}  // namespace drover
