#include "fleet/filter/alert_rule.h"

#include <array>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/filter/filter.h"

namespace drover {
namespace {

using toml_file::Table;

struct About {
  std::string_view name;
  filter::Subjects subjects;
};
constexpr std::array<About, 3> abouts = {
    {{"device", filter::devices}, {"pool", filter::pools}, {"site", filter::sites}}};

Severity read_severity(Table table, Severity otherwise) {
  const std::string word = table.text("severity", std::string(to_text(otherwise)));
  for (const Severity each : {Severity::info, Severity::warning, Severity::critical}) {
    if (word == to_text(each)) return each;
  }
  table.add_problem("severity",
                    fmt::format("found \"{}\", expected info, warning or critical", excerpt(word)));
  return otherwise;
}

Duration read_span(Table table, std::string_view key, Duration otherwise) {
  const Duration span = table.duration(key, otherwise);
  if (span <= alert_span_max) return span;
  table.add_problem(key,
                    fmt::format("found {}, expected at most {}", duration_text(to_seconds(span)),
                                duration_text(to_seconds(alert_span_max))));
  return otherwise;
}

/// A filter that matches everything is not a condition.
void check_filter(Table table, std::string_view key, const std::string& text,
                  filter::Subjects subjects) {
  const auto parsed = filter::Filter::parse(text, subjects);
  if (const auto* problem = std::get_if<filter::Problem>(&parsed)) {
    table.add_problem(key, fmt::format("{}, at character {} of \"{}\"", problem->message,
                                       problem->at + 1, printable(text)));
  } else if (std::get<filter::Filter>(parsed).empty()) {
    table.add_problem(key, "found nothing, expected a filter (docs/filters.md)");
  }
}

void read_filters(Table table, AlertRuleText& published) {
  published.about = table.text("about", published.about);
  const auto subjects = filtered_subjects(published.about);
  if (!subjects) {
    table.add_problem("about", fmt::format("found \"{}\", expected device, pool or site",
                                           excerpt(published.about)));
  }
  if (table.has("when")) published.clear.clear();
  published.when =
      table.text("when", published.when.empty() ? std::nullopt : std::optional(published.when));
  if (subjects) check_filter(table, "when", published.when, *subjects);
  if (table.has("clear") || !published.clear.empty()) {
    published.clear = table.text("clear", published.clear);
    if (subjects) check_filter(table, "clear", published.clear, *subjects);
  }
  published.help = table.text("text", published.help);
}

}  // namespace

std::optional<filter::Subjects> filtered_subjects(std::string_view about) {
  for (const About& row : abouts) {
    if (row.name == about) return row.subjects;
  }
  return std::nullopt;
}

void read_alert_rule(Table table, AlertRule& rule) {
  AlertRuleText& published = rule.published;
  rule.enabled = table.boolean("enabled", true);
  published.severity = read_severity(table, published.severity);
  published.raise_after = read_span(table, "for", published.raise_after);
  published.clear_after = read_span(table, "clear_for", published.clear_after);
  if (!rule.built_in) return read_filters(table, published);
  for (const char* key : {"when", "clear", "about", "text"}) {
    if (!table.has(key)) continue;
    table.add_problem(key, fmt::format("{} is built in: expected only enabled, "
                                       "severity, for and clear_for",
                                       published.name));
  }
}

}  // namespace drover
