#include "tui/news.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "tui/device_facts.h"

namespace drover::tui {
namespace {

News news_of(const EventRow& row) {
  return {row.at, NewsKind::event, row.event.severity, row.event.subject, row.event.text, {}};
}

News news_of(const AlertRow& row) {
  const Alert& alert = row.alert;
  if (!alert.raised) {
    return {row.at,        NewsKind::alert_over,    Severity::info,
            alert.subject, alert.rule + " is over", alert.rule};
  }
  return {row.at,
          NewsKind::alert,
          alert.severity,
          alert.subject,
          alert.text.empty() ? alert.rule : fmt::format("{}: {}", alert.rule, alert.text),
          alert.rule};
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
          {}};
}

/// The newest `most` of one source, those that concern the device alone.
template <typename Rows>
void gather(std::vector<News>& news, const Model& model, const Rows& rows, std::size_t most,
            const std::optional<DeviceId>& about) {
  std::size_t taken = 0;
  for (auto row = rows.rbegin(); row != rows.rend() && taken < most; ++row) {
    News item = news_of(*row);
    if (about && !concerns(model, item.subject, *about)) continue;
    news.push_back(std::move(item));
    ++taken;
  }
}

}  // namespace

std::vector<News> raised_alerts(const Model& model) {
  std::vector<News> raised;
  for (const auto& [key, row] : model.alerts()) {
    News news = news_of(row);
    news.kind = NewsKind::raised;
    news.at = row.alert.since;
    raised.push_back(std::move(news));
  }
  std::stable_sort(raised.begin(), raised.end(), [](const News& a, const News& b) {
    return std::tie(b.severity, b.at) < std::tie(a.severity, a.at);
  });
  return raised;
}

std::vector<News> latest_news(const Model& model, std::size_t most,
                              const std::optional<DeviceId>& about) {
  std::vector<News> news;
  gather(news, model, model.events(), most, about);
  gather(news, model, model.alert_news(), most, about);
  gather(news, model, model.audits(), most, about);
  std::stable_sort(news.begin(), news.end(),
                   [](const News& a, const News& b) { return a.at > b.at; });
  if (news.size() > most) news.resize(most);
  return news;
}

}  // namespace drover::tui
