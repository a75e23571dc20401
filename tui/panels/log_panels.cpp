// Raised alerts and other entries of the log.
#include <algorithm>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/panels/panels.h"

namespace drover::tui {
namespace {

constexpr int alerts_beside = 5;  // rows of alerts beside other panels

struct EntryMarker {
  std::string_view sign;
  CellStyle style;
};

EntryMarker entry_marker(const LogEntry& entry) {
  const CellStyle severity = severity_style(entry.severity);
  switch (entry.kind) {
    case LogEntryKind::event:
    case LogEntryKind::rule:
      return {" ", severity};
    case LogEntryKind::raised:
      if (!entry.acknowledged_by.empty()) return {"+", CellStyle::faint};
      return {entry.severity == Severity::critical ? "!!" : "!", severity};
    case LogEntryKind::alert:
      return {"!", severity};
    case LogEntryKind::alert_acknowledged:
      return {"+", CellStyle::accent};
    case LogEntryKind::alert_cleared:
      return {"=", CellStyle::good};
    case LogEntryKind::action:
      return {">", CellStyle::accent};
    case LogEntryKind::action_refused:
      return {">", CellStyle::warm};
  }
  return {" ", CellStyle::plain};
}

/// The entry's text; of a raised alert also who acknowledged it.
std::string text_of(const LogEntry& entry) {
  if (entry.kind != LogEntryKind::raised || entry.acknowledged_by.empty()) return entry.text;
  return fmt::format("{} (acknowledged by {})", entry.text, entry.acknowledged_by);
}

}  // namespace

CellStyle severity_style(Severity severity) {
  if (severity == Severity::critical) return CellStyle::critical;
  return severity == Severity::warning ? CellStyle::warm : CellStyle::plain;
}

void draw_log_line(const FrameContext& frame, DrawRegion& region, int row, const LogEntry& entry) {
  const EntryMarker marker = entry_marker(entry);
  const int subject = std::clamp(region.columns() / 5, 8, 24);
  const bool raised = entry.kind == LogEntryKind::raised;
  // The age of a raised alert, the time of any other entry.
  const std::string when =
      raised ? duration_text(to_seconds(frame.now - entry.at)) : to_clock_text(entry.at);
  region.field(0, row, 8, when, CellStyle::faint, raised ? Align::right : Align::left);
  region.text(9, row, marker.sign, marker.style);
  region.field(12, row, subject, entry.subject, marker.style);
  region.field(13 + subject, row, region.columns() - subject - 13, text_of(entry), marker.style);
}

void draw_log_entries(DrawRegion& region, int row, const std::vector<LogEntry>& entries) {
  const int subject = std::min(16, std::max(8, region.columns() / 5));
  for (const LogEntry& item : entries) {
    const EntryMarker marker = entry_marker(item);
    int at = region.text(0, row, to_clock_text(item.at), CellStyle::faint) + 1;
    at = region.text(at, row, marker.sign, marker.style) + 1;
    region.field(at, row, subject, item.subject, marker.style);
    region.field(at + subject + 1, row, region.columns() - at - subject - 1, item.text,
                 marker.style);
    ++row;
  }
}

int alert_rows(const Model& model, const FleetFilter& fleet_filter) {
  int raised = 0;
  for (auto alert = model.alerts().begin(); alert != model.alerts().end() && raised < alerts_beside;
       ++alert) {
    if (!fleet_filter.active() || fleet_filter.shows(model, raised_log_entry(alert->second.alert)))
      ++raised;
  }
  return raised == 0 ? 0 : 1 + raised;
}

void draw_alerts(const FrameContext& frame, DrawRegion region) {
  std::vector<LogEntry> alerts = raised_alerts(frame.model);
  std::erase_if(alerts, [&](const LogEntry& alert) {
    return !frame.ui.fleet_filter.shows(frame.model, alert);
  });
  const auto shown = static_cast<std::size_t>(std::max(0, region.rows() - 1));
  region.heading(
      0, fmt::format("Alerts {}", alerts.size()),
      alerts.size() > shown ? fmt::format("the {} most severe", shown) : "most severe first");
  if (alerts.empty()) region.text(0, 1, "no alerts", CellStyle::faint);
  const int subject = std::min(16, std::max(8, region.columns() / 5));
  for (std::size_t i = 0; i < std::min(shown, alerts.size()); ++i) {
    const LogEntry& alert = alerts[i];
    const int row = static_cast<int>(i) + 1;
    const EntryMarker marker = entry_marker(alert);
    region.text(0, row, marker.sign, marker.style);
    region.field(3, row, 5, duration_text(to_seconds(frame.now - alert.at)), CellStyle::faint,
                 Align::right);
    region.field(9, row, subject, alert.subject, marker.style);
    region.field(10 + subject, row, region.columns() - subject - 10, text_of(alert), marker.style);
  }
}

void draw_events(const FrameContext& frame, DrawRegion region) {
  const FleetFilter& fleet_filter = frame.ui.fleet_filter;
  const auto rows = static_cast<std::size_t>(std::max(0, region.rows() - 1));
  std::vector<LogEntry> entries =
      latest_log_entries(frame.model, fleet_filter.active() ? log_entries_max : rows);
  std::erase_if(entries,
                [&](const LogEntry& entry) { return !fleet_filter.shows(frame.model, entry); });
  entries.resize(std::min(entries.size(), rows));
  region.heading(0, "Events", entries.empty() ? "" : "newest first");
  draw_log_entries(region, 1, entries);
  if (entries.empty())
    region.text(0, 1, frame.nothing_text("event", "no events yet"), CellStyle::faint);
}

}  // namespace drover::tui
