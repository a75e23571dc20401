#include "tui/tables/news.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "tui/tables/device_facts.h"

namespace drover::tui {
namespace {

News news_of(const EventRow& row) {
  return {row.at, NewsKind::event, row.event.severity, row.event.subject, row.event.text, {}, {}};
}

std::string said_of(const Alert& alert) {
  return alert.text.empty() ? alert.rule : fmt::format("{}: {}", alert.rule, alert.text);
}

News news_of(const AlertRow& row) {
  const Alert& alert = row.alert;
  if (!alert.raised) {
    return {row.at,
            NewsKind::alert_over,
            Severity::info,
            alert.subject,
            alert.rule + " is over",
            alert.rule,
            {}};
  }
  if (!alert.acknowledged_by.empty()) {
    return {row.at,
            NewsKind::alert_seen,
            Severity::info,
            alert.subject,
            fmt::format("{}: {} has seen it", alert.rule, alert.acknowledged_by),
            alert.rule,
            alert.acknowledged_by};
  }
  return {row.at, NewsKind::alert, alert.severity, alert.subject, said_of(alert), alert.rule, {}};
}

News news_of(const AuditRow& row) {
  const Audit& audit = row.audit;
  std::string text = fmt::format("{}: {}", audit.who, audit.action);
  if (!audit.applied) text += ", refused";
  if (!audit.detail.empty()) text += fmt::format(" ({})", audit.detail);
  return {row.at,
          audit.applied ? NewsKind::action : NewsKind::action_refused,
          audit.applied ? Severity::info : Severity::warning,
          audit.target,
          text,
          {},
          {}};
}

/// The router says each action twice: for people who read along, and on record. The record is
/// enough.
class Recorded {
 public:
  explicit Recorded(const Model& model) {
    for (const AuditRow& row : model.audits()) {
      told_.emplace(row.at, row.audit.target,
                    fmt::format("{}: {}", row.audit.who, row.audit.action));
    }
  }
  bool tells(const EventRow& row) const {
    const std::string& text = row.event.text;
    const auto known = told_.lower_bound({row.at, row.event.subject, ""});
    for (auto it = known; it != told_.end() && std::get<0>(*it) == row.at; ++it) {
      if (std::get<1>(*it) == row.event.subject && text.starts_with(std::get<2>(*it))) return true;
    }
    return false;
  }

 private:
  std::set<std::tuple<Instant, std::string, std::string>> told_;
};

/// The newest `most` of one source, those that concern the device alone.
template <typename Rows>
void gather(std::vector<News>& news, const Model& model, const Rows& rows, std::size_t most,
            const std::optional<DeviceId>& about, auto&& leave_out) {
  std::size_t taken = 0;
  for (auto row = rows.rbegin(); row != rows.rend() && taken < most; ++row) {
    if (leave_out(*row)) continue;
    News item = news_of(*row);
    if (about && !concerns(model, item.subject, *about)) continue;
    news.push_back(std::move(item));
    ++taken;
  }
}

}  // namespace

News raised_news(const Alert& alert) {
  return {alert.since,    NewsKind::raised, alert.severity,       alert.subject,
          said_of(alert), alert.rule,       alert.acknowledged_by};
}

std::vector<News> raised_alerts(const Model& model) {
  std::vector<News> raised;
  for (const auto& [key, row] : model.alerts()) raised.push_back(raised_news(row.alert));
  std::stable_sort(raised.begin(), raised.end(), [](const News& a, const News& b) {
    const bool a_seen = !a.seen_by.empty(), b_seen = !b.seen_by.empty();
    return std::tie(a_seen, b.severity, b.at) < std::tie(b_seen, a.severity, a.at);
  });
  return raised;
}

std::vector<News> alert_rules(const Model& model) {
  std::vector<News> rules;
  if (!model.policy()) return rules;
  for (const AlertRuleText& rule : model.policy()->alert_rules) {
    rules.push_back(
        {Instant::min(), NewsKind::rule, rule.severity, rule.name, rule.when, rule.name, {}});
  }
  return rules;
}

const AlertRuleText* rule_named(const Model& model, std::string_view name) {
  if (!model.policy()) return nullptr;
  for (const AlertRuleText& rule : model.policy()->alert_rules) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

std::vector<News> latest_news(const Model& model, std::size_t most,
                              const std::optional<DeviceId>& about) {
  std::vector<News> news;
  const Recorded recorded(model);
  const auto nothing = [](const auto&) { return false; };
  gather(news, model, model.events(), most, about,
         [&](const EventRow& row) { return recorded.tells(row); });
  gather(news, model, model.alert_news(), most, about, nothing);
  gather(news, model, model.audits(), most, about, nothing);
  std::stable_sort(news.begin(), news.end(),
                   [](const News& a, const News& b) { return a.at > b.at; });
  if (news.size() > most) news.resize(most);
  return news;
}

}  // namespace drover::tui
