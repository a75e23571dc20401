#include "tui/panels/alert_panel.h"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/filter/filter.h"
#include "tui/panels/news_panels.h"
#include "tui/panels/panels.h"

namespace drover::tui {
namespace {

constexpr int rows_with_rule = 6;     // heading, care or way on, when, over when, why, subjects
constexpr int rows_without_rule = 3;  // heading, care, that no rule is known
constexpr int rule_label_columns = 12;
constexpr std::size_t subjects_most = 40;  // in a line; it is cut where it does not fit

std::string raise_span_text(Duration span) {
  return span <= Duration{0} ? "at once" : duration_text(to_seconds(span));
}

/// Those that the filter leaves.
std::vector<std::string> raised_by(const Scene& scene, const std::string& rule) {
  const Model& model = scene.model;
  const Narrowing& narrowing = scene.choices.narrowing;
  std::vector<std::string> subjects;
  for (auto it = model.alerts().lower_bound({rule, ""});
       it != model.alerts().end() && it->first.rule == rule; ++it) {
    if (narrowing.active() && !narrowing.shows(model, raised_news(it->second.alert))) continue;
    subjects.push_back(it->first.subject);
  }
  return subjects;
}

std::string over_when(const AlertRuleText& rule) {
  return rule.clear.empty() ? "that no longer holds" : rule.clear;
}

/// "3: gpu-a/3, gpu-b/1 .."
std::string subjects_text(const std::vector<std::string>& subjects) {
  if (subjects.empty()) return "nothing";
  const std::size_t shown = std::min(subjects.size(), subjects_most);
  return fmt::format("{}: {}{}", subjects.size(),
                     fmt::join(subjects.begin(), subjects.begin() + static_cast<long>(shown), ", "),
                     shown < subjects.size() ? ", .." : "");
}

bool has_details(const News& news) {
  return news.kind == NewsKind::rule || news.kind == NewsKind::raised ||
         news.kind == NewsKind::alert || news.kind == NewsKind::alert_seen ||
         news.kind == NewsKind::alert_over;
}

std::string care_text(const Scene& scene, const News& news) {
  const auto known = scene.model.alerts().find({news.rule, news.subject});
  if (known == scene.model.alerts().end()) return "it is over";
  const Alert& alert = known->second.alert;
  const std::string since = fmt::format("raised at {}, {} ago", to_clock_text(alert.since),
                                        duration_text(to_seconds(scene.now - alert.since)));
  if (alert.acknowledged_by.empty()) return since + "; nobody has acknowledged it (key a)";
  return fmt::format("{}; seen by {} at {}", since, alert.acknowledged_by,
                     to_clock_text(alert.acknowledged_at));
}

/// Where Enter leads from a rule.
std::string way_on_text(const AlertRuleText* rule) {
  if (rule == nullptr) return {};
  return devices_held_by(*rule) ? "the devices that it holds for: Enter"
                                : "nowhere: no filter of devices tells it";
}

}  // namespace

std::optional<std::string> devices_held_by(const AlertRuleText& rule) {
  if (rule.about != "device") return std::nullopt;
  const auto parsed = filter::Filter::parse(rule.when);
  if (!std::holds_alternative<filter::Filter>(parsed)) return std::nullopt;
  return rule.when;
}

void draw_rule_line(const Scene& scene, Pen& pen, int row, const News& news) {
  const AlertRuleText* const rule = rule_named(scene.model, news.rule);
  if (rule == nullptr) return;  // laid out for another moment
  const std::size_t raised = raised_by(scene, rule->name).size();
  const int name = std::clamp(pen.columns() / 6, 8, 18);
  pen.field(1, row, name, rule->name, raised > 0 ? severity_role(rule->severity) : Role::plain);
  int at = 2 + name;
  pen.field(at, row, 3, raised > 0 ? fmt::format("{}", raised) : "-",
            raised > 0 ? severity_role(rule->severity) : Role::faint, Align::right);
  at += 4;
  pen.field(at, row, 8, to_text(rule->severity), severity_role(rule->severity));
  at += 9;
  pen.field(at, row, 6, rule->about, Role::faint);
  at += 7;
  pen.field(at, row, 7, raise_span_text(rule->raise_after), Role::faint, Align::right);
  at += 8;
  std::string text = rule->when;
  if (!rule->clear.empty()) text += fmt::format("   over: {}", rule->clear);
  pen.field(at, row, pen.columns() - at, text);
}

void draw_rules(const Scene& scene, Pen pen) {
  const std::vector<News> rules = alert_rules(scene.model);
  const int shown = std::max(0, pen.rows() - 1);
  const int left = static_cast<int>(rules.size()) - shown;
  pen.heading(0, fmt::format("Rules {}", rules.size()),
              rules.empty() ? "the router has told none"
              : left > 0    ? fmt::format("{} more: f", left)
                            : "raised now, severity, about, held for");
  for (int line = 1; line < pen.rows() && line <= static_cast<int>(rules.size()); ++line) {
    draw_rule_line(scene, pen, line, rules[static_cast<std::size_t>(line) - 1]);
  }
}

int alert_details_rows(const Model& model, const NewsList& list) {
  const News* const news = chosen_news(list);
  if (news == nullptr || !has_details(*news)) return 0;
  return rule_named(model, news->rule) == nullptr ? rows_without_rule : rows_with_rule;
}

void draw_alert_details(const Scene& scene, Pen pen) {
  const News* const news = chosen_news(scene.choices.news);
  if (news == nullptr || !has_details(*news)) return;
  const AlertRuleText* const rule = rule_named(scene.model, news->rule);
  const bool alone = news->kind == NewsKind::rule;
  pen.heading(0,
              alone ? fmt::format("Rule {}", news->rule)
                    : fmt::format("Alert {} of {}", news->rule, news->subject),
              rule == nullptr ? std::string()
                              : fmt::format("{}, about: {}", to_text(rule->severity), rule->about));
  int row = 1;
  const auto fact = [&](std::string_view label, const std::string& value, Role role = Role::plain) {
    draw_fact(pen, 0, row++, rule_label_columns, label, value, role);
  };
  fact(alone ? "leads to" : "now", alone ? way_on_text(rule) : care_text(scene, *news));
  if (rule == nullptr) return fact("rule", "not told by the policy in force", Role::faint);
  fact("raised when",
       fmt::format("{}, {}", rule->when,
                   rule->raise_after <= Duration{0} ? "at once"
                                                    : "for " + raise_span_text(rule->raise_after)));
  fact("over when",
       fmt::format("{}, {}", over_when(*rule),
                   rule->clear_after <= Duration{0} ? "at once"
                                                    : "for " + raise_span_text(rule->clear_after)));
  fact("why", rule->help);
  fact("raised for", subjects_text(raised_by(scene, rule->name)));
}

}  // namespace drover::tui
