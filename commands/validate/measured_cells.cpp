#include "commands/validate/measured_cells.h"

#include <limits>
#include <utility>

#include "fleet/base/units.h"

namespace drover::commands {

MeasuredTable read_rows(const CsvTable& table, const RowReader& read) {
  MeasuredTable all;
  for (const CsvRow& row : table.rows) {
    std::optional<Result<Measurement>> found = read(row);
    if (!found) continue;
    if (!*found) {
      all.skipped.push_back({row.line, found->error().message});
      continue;
    }
    Measurement& measurement = found->value();
    measurement.table = table.place;
    measurement.line = row.line;
    all.measurements.push_back(std::move(measurement));
  }
  return all;
}

double number(std::string_view cell) {
  const Result<double> read = parse_number(cell, "cell");
  return read ? *read : std::numeric_limits<double>::quiet_NaN();
}

std::string number_after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return "";
  const std::size_t from = at + mark.size();
  const std::size_t to = text.find_first_not_of("0123456789.", from);
  std::string figure(text.substr(from, to == std::string_view::npos ? to : to - from));
  while (!figure.empty() && figure.back() == '.') figure.pop_back();
  return figure;
}

std::string repository(std::string_view source) {
  constexpr std::string_view host = "github ";
  if (source.starts_with(host)) source.remove_prefix(host.size());
  return std::string(source.substr(0, source.find(':')));
}

}  // namespace drover::commands
