#include "tui/views/device_table_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "tui/tables/device_queries.h"

namespace drover::tui {
namespace {

/// ", 3 real (=)"; empty if all devices are emulated.
std::string real_text(const Totals& totals) {
  if (totals.real == 0) return {};
  return fmt::format(", {} real ({})",
                     totals.real == totals.devices ? "all" : std::to_string(totals.real),
                     real_mark);
}

}  // namespace

std::string sort_mark(const DeviceList& devices, int number, bool ascii) {
  const bool first = number == devices.sort_column;
  const bool second = devices.second && devices.second->column == number;
  if (!first && !second) return {};
  const bool down = first ? devices.descending : devices.second->descending;
  std::string mark = ascii ? (down ? "v" : "^") : (down ? "▼" : "▲");
  if (devices.second) mark += first ? '1' : '2';
  return mark;
}

std::string order_text(const DeviceList& devices) {
  const auto key = [](const SortKey& by) {
    return fmt::format("{}, {}", device_columns()[static_cast<std::size_t>(by.column)].title,
                       by.descending ? "descending" : "ascending");
  };
  std::string text = "by " + key({devices.sort_column, devices.descending});
  if (devices.second) text += ", then " + key(*devices.second);
  if (devices.grouping) {
    text += fmt::format("; groups by {}", to_text(*devices.grouping));
  }
  return text;
}

bool is_as_above(const EvaluationContext& at, const DeviceColumn& column, DeviceTable::Row row,
                 std::optional<DeviceTable::Row> above) {
  if (!above || (column.title != "RUN" && column.title != "QUEUE")) return false;
  // Both, as one number beside a sign reads as if the other were unknown.
  for (const Metric metric : {Metric::running, Metric::queue}) {
    if (at.model.reading(row, metric) != at.model.reading(*above, metric)) return false;
  }
  const auto of_above = replicas_on(at.model, at.model.id_of(*above));
  return std::ranges::any_of(replicas_on(at.model, at.model.id_of(row)),
                             [&](const ReplicaRow* replica) {
                               return std::ranges::find(of_above, replica) != of_above.end();
                             });
}

std::string devices_title(const FrameContext& frame, const DeviceList& list) {
  const UiState& ui = frame.ui;
  const Totals totals = totals_of(frame.model, frame.now, frame.rows_shown());
  std::string title = counted(totals.devices, "device");
  if (totals.lost > 0) title += fmt::format(", {} lost", totals.lost);
  if (totals.stale > 0) title += fmt::format(", {} stale", totals.stale);
  title += real_text(totals);
  if (!ui.tagged_devices.empty()) {
    title += fmt::format(", {} tagged", ui.tagged_devices.size());
  }
  // The tree has columns of its own.
  if (!ui.tree.shown && list.wanted.size() > list.columns.size()) {
    const std::size_t more = list.wanted.size() - list.columns.size();
    title += fmt::format(", {} more", counted(more, "column"));
  }
  return title;
}

}  // namespace drover::tui
