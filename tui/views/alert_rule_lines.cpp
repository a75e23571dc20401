#include "tui/views/alert_rule_lines.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "fleet/filter/filter.h"
#include "tui/panels/panels.h"

namespace drover::tui {

std::string raise_span_text(Duration span) {
  return span <= Duration{0} ? "at once" : duration_text(to_seconds(span));
}

std::vector<std::string> raised_by(const Model& model, const FleetFilter& fleet_filter,
                                   const std::string& rule) {
  std::vector<std::string> subjects;
  for (auto it = model.alerts().lower_bound({rule, ""});
       it != model.alerts().end() && it->first.rule == rule; ++it) {
    if (fleet_filter.active() && !fleet_filter.shows(model, raised_log_entry(it->second.alert)))
      continue;
    subjects.push_back(it->first.subject);
  }
  return subjects;
}

std::optional<std::string> matching_devices_filter(const AlertRuleText& rule) {
  if (rule.about != "device") return std::nullopt;
  const auto parsed = filter::Filter::parse(rule.when);
  if (!std::holds_alternative<filter::Filter>(parsed)) return std::nullopt;
  return rule.when;
}

namespace {

std::vector<LogLine> rule_lines(const Model& model, int columns) {
  std::vector<LogLine> lines;
  for (LogEntry& rule : alert_rules(model)) {
    lines.emplace_back();
    lines.back().text = rule.text;
    lines.back().entry = std::move(rule);
  }
  wrap_log_lines(lines, columns);
  return lines;
}

}  // namespace

void draw_rule_line(const FrameContext& frame, DrawRegion& region, int row, const LogLine& line) {
  const AlertRuleText* const rule = rule_named(frame.model, line.entry.rule);
  if (rule == nullptr) return;  // the list was laid out for another moment
  const std::size_t raised = raised_by(frame.model, frame.ui.fleet_filter, rule->name).size();
  const CellStyle severity = severity_style(rule->severity);
  const int text = rule_text_column(region.columns());
  int at = text - 28;
  region.field(1, row, at - 2, rule->name, raised > 0 ? severity : CellStyle::plain);
  region.field(at, row, 3, raised > 0 ? fmt::format("{}", raised) : "-",
               raised > 0 ? severity : CellStyle::faint, Align::right);
  at += 4;
  region.field(at, row, 8, to_text(rule->severity), severity);
  at += 9;
  region.field(at, row, 6, rule->about, CellStyle::faint);
  at += 7;
  region.field(at, row, 7, raise_span_text(rule->raise_after), CellStyle::faint, Align::right);
  region.field(text, row, region.columns() - text, line.text);
}

int rule_rows(const Model& model, int columns) {
  return 1 + static_cast<int>(std::max<std::size_t>(1, rule_lines(model, columns).size()));
}

void draw_rules(const FrameContext& frame, DrawRegion region) {
  const std::size_t rules = alert_rules(frame.model).size();
  const std::vector<LogLine> lines = rule_lines(frame.model, region.columns());
  const bool all = static_cast<int>(lines.size()) < region.rows();
  region.heading(0, fmt::format("Rules {}", rules),
                 rules == 0 ? "not reported by the router"
                 : all      ? "raised alerts, severity, about, raised after"
                            : "more: f");
  for (int row = 1; row < region.rows() && row <= static_cast<int>(lines.size()); ++row) {
    const LogLine& line = lines[static_cast<std::size_t>(row) - 1];
    line.kind == LogLine::Kind::continuation ? draw_log_line(frame, region, row, line)
                                             : draw_rule_line(frame, region, row, line);
  }
}

}  // namespace drover::tui
