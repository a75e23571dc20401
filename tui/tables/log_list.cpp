#include "tui/tables/log_list.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "tui/tables/device_queries.h"
#include "tui/tables/fleet_filter.h"

namespace drover::tui {
namespace {

LogLine line_of(LogLine::Kind kind, LogEntry entry) {
  LogLine line;
  line.kind = kind;
  line.text = entry_text(entry);
  line.entry = std::move(entry);
  return line;
}

void add_section(std::vector<LogLine>& lines, std::string heading, std::string note,
                 std::vector<LogEntry> section) {
  LogLine first;
  first.kind = LogLine::Kind::heading;
  first.heading = std::move(heading);
  first.note = std::move(note);
  lines.push_back(std::move(first));
  for (LogEntry& entry : section) lines.push_back(line_of(LogLine::Kind::entry, std::move(entry)));
}

std::string note_of(const std::vector<LogEntry>& raised) {
  if (raised.empty()) return "no alerts";
  const auto seen = std::count_if(raised.begin(), raised.end(), [](const LogEntry& entry) {
    return !entry.acknowledged_by.empty();
  });
  return seen > 0 ? fmt::format("most severe first, {} acknowledged", seen) : "most severe first";
}

bool contains(const std::vector<LogEntry>& entries, const LogEntry& wanted) {
  return std::ranges::any_of(entries, [&](const LogEntry& it) { return is_same(it, wanted); });
}

bool contains_one_of(const LogGroup& group, const std::vector<LogEntry>& opened) {
  return std::ranges::any_of(opened, [&](const LogEntry& it) { return contains(group, it); });
}

void add_groups(std::vector<LogLine>& lines, std::vector<LogEntry> section,
                const std::vector<LogEntry>& opened) {
  for (LogGroup& group : group_log(std::move(section))) {
    if (group.size() == 1) {
      lines.push_back(line_of(LogLine::Kind::entry, std::move(group.front())));
      continue;
    }
    LogLine line = line_of(LogLine::Kind::group, group.front());
    line.text = group_text(group);
    line.open = contains_one_of(group, opened);
    line.group = std::move(group);
    lines.push_back(line);
    if (!line.open) continue;
    for (LogEntry& entry : line.group)
      lines.push_back(line_of(LogLine::Kind::member, std::move(entry)));
  }
}

}  // namespace

std::string_view to_text(LogFilter filter) {
  static constexpr std::array<std::string_view, log_filter_count> names = {"all", "alerts",
                                                                           "events", "rules"};
  return names[static_cast<std::size_t>(filter)];
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

std::vector<LogLine> grouped_lines(std::vector<LogLine> lines,
                                   const std::vector<LogEntry>& opened) {
  std::vector<LogLine> grouped;
  std::vector<LogEntry> section;
  const auto end_section = [&] { add_groups(grouped, std::exchange(section, {}), opened); };
  for (LogLine& line : lines) {
    if (line.kind == LogLine::Kind::entry && line.entry.kind != LogEntryKind::rule) {
      section.push_back(std::move(line.entry));
      continue;
    }
    end_section();
    grouped.push_back(std::move(line));
  }
  end_section();
  return grouped;
}

int index_of_chosen(const LogList& list) {
  if (!list.chosen) return -1;
  const auto is_line_of_chosen = [&](const LogLine& line) {
    return line.selectable() && line.group.empty() && is_same(line.entry, *list.chosen);
  };
  const auto is_group_of_chosen = [&](const LogLine& line) {
    return line.kind == LogLine::Kind::group && contains(line.group, *list.chosen);
  };
  const int group = index_where(list.lines, is_group_of_chosen);
  if (group >= 0 && (list.chose_group || !list.lines[static_cast<std::size_t>(group)].open)) {
    return group;
  }
  return index_where(list.lines, is_line_of_chosen);
}

std::string subjects_of(const LogLine& line) {
  return line.kind == LogLine::Kind::group ? subjects_text(line.group) : line.entry.subject;
}

void step_log_filter(LogList& list) { advance(list.filter, log_filter_count, 1); }

void choose_entry(LogList& list, int index, int direction) {
  const LogLine* const line =
      nearest_line(list.lines, index, direction, [](const LogLine& it) { return it.selectable(); });
  if (line == nullptr) return;
  list.chosen = line->entry;
  list.chose_group = line->kind == LogLine::Kind::group;
  list.place.row = -1;
}

const LogLine* selected_log_line(const LogList& list) {
  const int index = index_of_chosen(list);
  return index < 0 ? nullptr : &list.lines[static_cast<std::size_t>(index)];
}

const LogEntry* selected_log_entry(const LogList& list) {
  const LogLine* const line = selected_log_line(list);
  return line == nullptr ? nullptr : &line->entry;
}

bool toggle_group(LogList& list) {
  const LogLine* const line = selected_log_line(list);
  if (line == nullptr || line->kind != LogLine::Kind::group) return false;
  list.chosen = line->entry;
  list.chose_group = true;
  if (line->open) {
    std::erase_if(list.opened, [&](const LogEntry& it) { return contains(line->group, it); });
  } else {
    list.opened.push_back(line->entry);
    if (list.opened.size() > open_groups_max) list.opened.erase(list.opened.begin());
  }
  return true;
}

bool leave_selection(LogList& list) {
  const auto is_open_around_chosen = [&](const LogLine& line) {
    return list.chosen && line.open && contains(line.group, *list.chosen);
  };
  const int open = index_where(list.lines, is_open_around_chosen);
  if (open < 0) return std::exchange(list.chosen, std::nullopt).has_value();
  list.chose_group = true;
  return toggle_group(list);
}

}  // namespace drover::tui
