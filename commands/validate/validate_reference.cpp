#include "commands/validate/validate_reference.h"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "commands/validate/validate_run.h"

namespace drover::commands {
namespace {

/// A case with its figure as one text. The figure of a capped row is the share of the uncapped
/// rate, however its table gives it.
std::string figure_text(const Measurement& measurement) {
  std::string text;
  for (std::size_t i = 1; i < devices::case_column_count; ++i) {
    text += measurement.row[static_cast<devices::CaseColumn>(i)] + '\n';
  }
  if (measurement.measure_class != MeasureClass::capped) {
    return text + fmt::format("{} {:.6g}", measurement.answer, measurement.value);
  }
  return text + fmt::format("{:.6g}", capped_share(measurement));
}

}  // namespace

Result<MeasuredRows> reference_rows(const devices::Catalogue& catalogue) {
  MeasuredRows all;
  for (const ReferenceTable& it : reference_tables()) {
    const Result<CsvTable> table = CsvTable::parse(it.text, fmt::format("drover/{}", it.file));
    if (!table) return table.error();
    std::optional<MeasuredRows> rows = measured_rows(*table);
    if (!rows) {
      Result<std::optional<MeasuredRows>> logged = logged_rows(*table, catalogue);
      if (!logged) return logged.error();
      rows = *std::move(logged);
    }
    if (!rows) return error("{}: not a table of measurements", it.file);
    append(all, *std::move(rows));
  }
  return all;
}

MeasuredRows without_repeats(MeasuredRows own, const MeasuredRows& tables) {
  std::set<std::string> figures;
  for (const Measurement& it : tables.measurements) figures.insert(figure_text(it));
  std::erase_if(own.measurements,
                [&](const Measurement& it) { return figures.contains(figure_text(it)); });
  return own;
}

}  // namespace drover::commands
