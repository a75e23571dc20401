#include "tui/news.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "fleet/units.h"
#include "tui/device_facts.h"
#include "tui/views.h"

namespace drover::tui {
namespace {

constexpr int alerts_beside = 5;  // rows of them that other panels leave

News news_of(const EventRow& row) {
  return {row.at, NewsKind::event, row.event.severity, row.event.subject, row.event.text};
}

News news_of(const AlertRow& row) {
  const Alert& alert = row.alert;
  if (!alert.raised) {
    return {row.at, NewsKind::alert_over, Severity::info, alert.subject, alert.rule + " is over"};
  }
  return {row.at, NewsKind::alert, alert.severity, alert.subject,
          alert.text.empty() ? alert.rule : fmt::format("{}: {}", alert.rule, alert.text)};
}

News news_of(const AuditRow& row) {
  const Audit& audit = row.audit;
  std::string text = fmt::format("{}: {}", audit.who, audit.action);
  if (!audit.applied) text += ", refused";
  if (!audit.detail.empty()) text += fmt::format(" ({})", audit.detail);
  return {row.at, audit.applied ? NewsKind::action : NewsKind::action_refused,
          audit.applied ? Severity::info : Severity::warning, audit.target, text};
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

struct Look {
  std::string_view sign;
  Role role;
};

Look look_of(const News& news) {
  const Role grave = news.severity == Severity::critical  ? Role::critical
                     : news.severity == Severity::warning ? Role::warm
                                                          : Role::plain;
  switch (news.kind) {
    case NewsKind::event:
      return {" ", grave};
    case NewsKind::alert:
      return {"!", grave};
    case NewsKind::alert_over:
      return {"=", Role::good};
    case NewsKind::action:
      return {">", Role::accent};
    case NewsKind::action_refused:
      return {">", Role::warm};
  }
  return {" ", Role::plain};
}

}  // namespace

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

void draw_news(Pen& pen, int row, const std::vector<News>& news) {
  const int subject = std::min(16, std::max(8, pen.columns() / 5));
  for (const News& item : news) {
    const Look look = look_of(item);
    int at = pen.text(0, row, to_clock_text(item.at), Role::faint) + 1;
    at = pen.text(at, row, look.sign, look.role) + 1;
    pen.field(at, row, subject, item.subject, look.role);
    pen.field(at + subject + 1, row, pen.columns() - at - subject - 1, item.text, look.role);
    ++row;
  }
}

int alert_rows(const Model& model) {
  const auto raised = static_cast<int>(std::min<std::size_t>(model.alerts().size(), 1'000));
  return raised == 0 ? 0 : 1 + std::min(raised, alerts_beside);
}

void draw_alerts(const Scene& scene, Pen pen) {
  std::vector<const Alert*> alerts;
  for (const auto& [key, row] : scene.model.alerts()) alerts.push_back(&row.alert);
  std::stable_sort(alerts.begin(), alerts.end(), [](const Alert* a, const Alert* b) {
    return std::tie(b->severity, b->since) < std::tie(a->severity, a->since);
  });
  const auto shown = static_cast<std::size_t>(std::max(0, pen.rows() - 1));
  pen.heading(0, fmt::format("Alerts {}", alerts.size()),
              alerts.size() > shown ? fmt::format("the gravest {}", shown) : "gravest first");
  if (alerts.empty()) pen.text(0, 1, "nothing is raised", Role::faint);
  const int subject = std::min(16, std::max(8, pen.columns() / 5));
  for (std::size_t i = 0; i < std::min(shown, alerts.size()); ++i) {
    const Alert& alert = *alerts[i];
    const int row = static_cast<int>(i) + 1;
    const Role role = alert.severity == Severity::critical  ? Role::critical
                      : alert.severity == Severity::warning ? Role::warm
                                                            : Role::plain;
    pen.text(0, row, alert.severity == Severity::critical ? "!!" : "!", role);
    pen.field(3, row, 5, duration_text(to_seconds(scene.now - alert.since)), Role::faint,
              Align::right);
    pen.field(9, row, subject, alert.subject, role);
    pen.field(10 + subject, row, pen.columns() - subject - 10,
              alert.text.empty() ? alert.rule : fmt::format("{}: {}", alert.rule, alert.text),
              role);
  }
}

}  // namespace drover::tui
