#include "tui/panels/log_strip.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/canvas/chart.h"
#include "tui/tables/log_entry.h"

namespace drover::tui {
namespace {

constexpr int strip_label_columns = 10;
constexpr int strip_count_columns = 6;

struct StripRow {
  std::string_view title;
  CellStyle style;
  bool (*counts)(const LogEntry& entry);
};

bool is_event(const LogEntry& entry, Severity severity) {
  return entry.kind == LogEntryKind::event && entry.severity == severity;
}

constexpr std::array<StripRow, log_strip_rows - 2> strip_rows = {{
    {"alerts", CellStyle::critical,
     [](const LogEntry& entry) { return entry.kind == LogEntryKind::alert; }},
    {"cleared", CellStyle::good,
     [](const LogEntry& entry) { return entry.kind == LogEntryKind::alert_cleared; }},
    {"critical", CellStyle::critical,
     [](const LogEntry& entry) { return is_event(entry, Severity::critical); }},
    {"warnings", CellStyle::warm,
     [](const LogEntry& entry) { return is_event(entry, Severity::warning); }},
    {"other", CellStyle::plain,
     [](const LogEntry& entry) { return is_event(entry, Severity::info); }},
    {"actions", CellStyle::accent,
     [](const LogEntry& entry) {
       return entry.kind == LogEntryKind::action || entry.kind == LogEntryKind::action_refused;
     }},
}};

/// The shortest of these spans that contains the whole log; an hour at most.
Duration span_of(Duration age) {
  using std::chrono::minutes;
  for (const Duration span : {minutes(1), minutes(2), minutes(5), minutes(10), minutes(30)}) {
    if (age < span) return span;
  }
  return minutes(60);
}

/// Whether older entries than the oldest one were dropped.
bool is_full(const Model& model) {
  return model.events().size() >= events_max || model.alert_history().size() >= alert_history_max ||
         model.audits().size() >= audits_max;
}

}  // namespace

void draw_log_strip(const FrameContext& frame, DrawRegion region) {
  std::vector<LogEntry> entries = latest_log_entries(frame.model, log_entries_max);
  std::erase_if(entries, [&](const LogEntry& entry) {
    return frame.ui.fleet_filter.active() && !frame.ui.fleet_filter.shows(frame.model, entry);
  });
  const Instant oldest = entries.empty() ? frame.now : entries.back().at;
  const Duration span = span_of(frame.now - oldest);
  const int columns = region.columns() - strip_label_columns - strip_count_columns - 1;
  const auto bins = static_cast<std::size_t>(std::max(1, columns));
  const bool dropped = is_full(frame.model) && frame.now - oldest < span;
  region.heading(0, fmt::format("Log over the last {}", duration_text(to_seconds(span))),
                 dropped ? fmt::format("kept since {}", to_clock_text(oldest)) : "entries");
  int row = 1;
  for (const StripRow& strip : strip_rows) {
    std::vector<double> shares(bins, absent);
    std::size_t count = 0;
    double most = 1;
    for (const LogEntry& entry : entries) {
      const double age = to_seconds(frame.now - entry.at) / to_seconds(span);
      if (!strip.counts(entry) || !(age >= 0 && age < 1)) continue;
      ++count;
      const auto ago =
          std::min(bins - 1, static_cast<std::size_t>(age * static_cast<double>(bins)));
      double& bin = shares[bins - 1 - ago];
      bin = bin > 0 ? bin + 1 : 1;
      most = std::max(most, bin);
    }
    for (double& share : shares) share /= most;
    region.text(0, row, strip.title, CellStyle::faint);
    region.sparkline(strip_label_columns, row, columns, shares, strip.style);
    region.field(region.columns() - strip_count_columns, row, strip_count_columns,
                 count == 0 ? "-" : count_text(static_cast<double>(count)),
                 count == 0 ? CellStyle::faint : strip.style, Align::right);
    ++row;
  }
  draw_time_axis(region, strip_label_columns, row, columns,
                 {frame.now, span / (2 * static_cast<Duration::rep>(bins))}, TimeLabels::ago);
}

}  // namespace drover::tui
