#include "tui/tables/log_list.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace drover::tui {
namespace {

void add_section(std::vector<LogLine>& lines, std::string heading, std::string note,
                 std::vector<LogEntry> section) {
  lines.push_back({std::move(heading), std::move(note), {}});
  for (LogEntry& entry : section) lines.push_back({{}, {}, std::move(entry)});
}

std::string note_of(const std::vector<LogEntry>& raised) {
  if (raised.empty()) return "no alerts";
  const auto seen = std::count_if(raised.begin(), raised.end(), [](const LogEntry& entry) {
    return !entry.acknowledged_by.empty();
  });
  return seen > 0 ? fmt::format("most severe first, {} acknowledged", seen) : "most severe first";
}

}  // namespace

std::string_view to_text(LogFilter filter) {
  static constexpr std::array<std::string_view, log_filter_count> names = {"all", "alerts",
                                                                           "events", "rules"};
  return names[static_cast<std::size_t>(filter)];
}

LogEntryKey key_of(const LogEntry& entry) {
  return {entry.at, entry.kind, entry.subject, entry.text};
}

std::vector<LogLine> list_log(const Model& model, const FleetFilter& fleet_filter,
                              LogFilter filter) {
  std::vector<LogLine> lines;
  const auto hidden = [&](const LogEntry& entry) { return !fleet_filter.shows(model, entry); };
  if (filter == LogFilter::all || filter == LogFilter::alerts) {
    std::vector<LogEntry> raised = raised_alerts(model);
    std::erase_if(raised, hidden);
    std::string heading = fmt::format("Alerts {}", raised.size());
    std::string note = note_of(raised);
    add_section(lines, std::move(heading), std::move(note), std::move(raised));
  }
  if (filter == LogFilter::all || filter == LogFilter::events) {
    std::vector<LogEntry> entries = latest_log_entries(model, log_entries_max);
    std::erase_if(entries, hidden);
    add_section(lines, "Events", "newest first", std::move(entries));
  }
  if (filter == LogFilter::rules) {
    // Filters do not apply to rules, which have no device.
    std::vector<LogEntry> rules = alert_rules(model);
    std::string heading = fmt::format("Rules {}", rules.size());
    std::string note = rules.empty() ? "not reported by the router" : "from the policy";
    add_section(lines, std::move(heading), std::move(note), std::move(rules));
  }
  return lines;
}

int index_of_chosen(const LogList& list) {
  if (!list.chosen) return -1;
  return index_where(list.lines, [&](const LogLine& line) {
    return line.heading.empty() && key_of(line.entry) == *list.chosen;
  });
}

void select_log_entry(LogList& list, int index, int direction) {
  const LogLine* const line = nearest_line(list.lines, index, direction,
                                           [](const LogLine& it) { return it.heading.empty(); });
  if (line == nullptr) return;
  list.chosen = key_of(line->entry);
  list.place.row = -1;
}

const LogEntry* selected_log_entry(const LogList& list) {
  const int index = index_of_chosen(list);
  return index < 0 ? nullptr : &list.lines[static_cast<std::size_t>(index)].entry;
}

}  // namespace drover::tui
