// Raised alerts and other entries of the log.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/panels/panels.h"

namespace drover::tui {
namespace {

constexpr int alerts_beside = 6;  // rows of alerts beside other panels
constexpr std::size_t alerts_counted_max = 100;
constexpr int wrapped_columns_least = 12;  // narrower texts are cut
constexpr int log_text_lines_max = 4;      // of an entry in the list; its details show all

/// Where the text of an entry begins in a list of this width.
int log_text_column(const LogEntry& entry, int columns) {
  if (entry.kind == LogEntryKind::rule) return rule_text_column(columns);
  return 13 + std::clamp(columns / 5, 8, 24);
}

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

/// The text of an entry or a group in lines of at most `columns`. The last of `lines_max` lines may
/// be longer.
std::vector<std::string> text_lines(const std::string& text, int columns, int lines_max) {
  if (columns_of(text) <= columns || columns < wrapped_columns_least) return {text};
  std::vector<std::string> lines = wrapped(text, columns);
  while (static_cast<int>(lines.size()) > std::max(1, lines_max)) {
    const std::string last = std::move(lines.back());
    lines.pop_back();
    lines.back() += " " + last;
  }
  return lines;
}

/// The columns of a panel's entries: time or age, sign, subject, text.
struct PanelColumns {
  int sign, when, subject, subject_width, text;
};

PanelColumns panel_columns(int columns, bool raised) {
  const int subject = std::min(16, std::max(8, columns / 5));
  if (raised) return {0, 3, 9, subject, 10 + subject};
  return {9, 0, 11, subject, 12 + subject};
}

/// Draws a group from a row on, and returns the row after it.
int draw_panel_group(DrawRegion& region, int row, const LogGroup& group, const std::string& when) {
  const LogEntry& entry = group.front();
  const bool raised = entry.kind == LogEntryKind::raised;
  const PanelColumns at = panel_columns(region.columns(), raised);
  const EntryMarker marker = entry_marker(entry);
  region.field(at.when, row, raised ? 5 : 8, when, CellStyle::faint, Align::right);
  region.text(at.sign, row, marker.sign, marker.style);
  region.field(at.subject, row, at.subject_width, subjects_text(group, at.subject_width),
               marker.style);
  const int width = region.columns() - at.text;
  for (const std::string& line : text_lines(group_text(group), width, region.rows() - row)) {
    region.field(at.text, row++, width, line, marker.style);
  }
  return row;
}

std::vector<LogGroup> shown_alerts(const Model& model, const FleetFilter& fleet_filter) {
  std::vector<LogEntry> alerts = raised_alerts(model);
  std::erase_if(alerts, [&](const LogEntry& alert) {
    return fleet_filter.active() && !fleet_filter.shows(model, alert);
  });
  return group_log(std::move(alerts));
}

}  // namespace

std::string_view fold_sign(bool open, bool ascii) {
  if (ascii) return open ? "-" : "+";
  return open ? "▾" : "▸";
}

int rule_text_column(int columns) { return 30 + std::clamp(columns / 4, 8, 18); }

CellStyle severity_style(Severity severity) {
  if (severity == Severity::critical) return CellStyle::critical;
  return severity == Severity::warning ? CellStyle::warm : CellStyle::plain;
}

void wrap_log_lines(std::vector<LogLine>& lines, int columns) {
  std::vector<LogLine> wrapped_lines;
  for (LogLine& line : lines) {
    const int width = columns - log_text_column(line.entry, columns);
    std::vector<std::string> parts;
    if (line.selectable()) parts = text_lines(line.text, width, log_text_lines_max);
    if (!parts.empty()) line.text = parts.front();
    wrapped_lines.push_back(std::move(line));
    for (std::size_t i = 1; i < parts.size(); ++i) {
      LogLine more;
      more.kind = LogLine::Kind::continuation;
      more.entry = wrapped_lines.back().entry;
      more.text = parts[i];
      wrapped_lines.push_back(std::move(more));
    }
  }
  lines = std::move(wrapped_lines);
}

void draw_log_line(const FrameContext& frame, DrawRegion& region, int row, const LogLine& line) {
  const LogEntry& entry = line.entry;
  const EntryMarker marker = entry_marker(entry);
  const int text = log_text_column(entry, region.columns());
  region.field(text, row, region.columns() - text, line.text,
               entry.kind == LogEntryKind::rule ? CellStyle::plain : marker.style);
  if (line.kind == LogLine::Kind::continuation) return;
  const bool raised = entry.kind == LogEntryKind::raised;
  // The age of a raised alert, the time of any other entry.
  const std::string when =
      raised ? duration_text(to_seconds(frame.now - entry.at)) : to_clock_text(entry.at);
  region.field(0, row, 8, when, CellStyle::faint, raised ? Align::right : Align::left);
  region.text(9, row, marker.sign, marker.style);
  const bool is_group = line.kind == LogLine::Kind::group;
  if (is_group) region.text(11, row, fold_sign(line.open, region.ascii()), CellStyle::accent);
  const int indent = line.kind == LogLine::Kind::member ? 2 : 0;
  const int subject = text - 13 - indent;
  region.field(12 + indent, row, subject,
               is_group ? subjects_text(line.group, subject) : entry.subject, marker.style);
}

void draw_log_entries(DrawRegion& region, int row, std::vector<LogEntry> entries) {
  for (const LogGroup& group : group_log(std::move(entries))) {
    if (row >= region.rows()) return;
    row = draw_panel_group(region, row, group, to_clock_text(group.front().at));
  }
}

int alert_rows(const Model& model, const FleetFilter& fleet_filter, int columns) {
  // So many fill the panel as a rule; to group them in each frame only to count lines is not worth
  // it.
  if (model.alerts().size() > alerts_counted_max && !fleet_filter.active())
    return 1 + alerts_beside;
  const int width = columns - panel_columns(columns, true).text;
  std::size_t rows = 0;
  for (const LogGroup& group : shown_alerts(model, fleet_filter)) {
    rows += text_lines(group_text(group), width, alerts_beside).size();
    if (rows >= alerts_beside) return 1 + alerts_beside;
  }
  return rows == 0 ? 0 : 1 + static_cast<int>(rows);
}

void draw_alerts(const FrameContext& frame, DrawRegion region) {
  const std::vector<LogGroup> alerts = shown_alerts(frame.model, frame.ui.fleet_filter);
  std::size_t all = 0, shown = 0;
  for (const LogGroup& group : alerts) all += group.size();
  if (alerts.empty()) region.text(0, 1, "no alerts", CellStyle::faint);
  int row = 1;
  for (const LogGroup& group : alerts) {
    if (row >= region.rows()) break;
    row = draw_panel_group(region, row, group,
                           duration_text(to_seconds(frame.now - group.front().at)));
    shown += group.size();
  }
  region.heading(0, fmt::format("Alerts {}", all),
                 all > shown ? fmt::format("{} most severe", shown) : "most severe first");
}

void draw_events(const FrameContext& frame, DrawRegion region) {
  const FleetFilter& fleet_filter = frame.ui.fleet_filter;
  // All entries, as a group may have more of them than the panel has rows.
  std::vector<LogEntry> entries = latest_log_entries(frame.model, log_entries_max);
  std::erase_if(entries, [&](const LogEntry& entry) {
    return fleet_filter.active() && !fleet_filter.shows(frame.model, entry);
  });
  region.heading(0, "Events", entries.empty() ? "" : "newest first");
  if (entries.empty())
    region.text(0, 1, frame.nothing_text("event", "no events yet"), CellStyle::faint);
  draw_log_entries(region, 1, std::move(entries));
}

}  // namespace drover::tui
