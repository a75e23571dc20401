#include "tui/panels/news_panels.h"

#include <algorithm>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/panels/panels.h"

namespace drover::tui {
namespace {

constexpr int alerts_beside = 5;  // rows of them that other panels leave

struct NewsLook {
  std::string_view sign;
  Role role;
};

NewsLook news_look(const News& news) {
  const Role grave = severity_role(news.severity);
  switch (news.kind) {
    case NewsKind::event:
    case NewsKind::rule:
      return {" ", grave};
    case NewsKind::raised:
      if (!news.seen_by.empty()) return {"+", Role::faint};
      return {news.severity == Severity::critical ? "!!" : "!", grave};
    case NewsKind::alert:
      return {"!", grave};
    case NewsKind::alert_seen:
      return {"+", Role::accent};
    case NewsKind::alert_over:
      return {"=", Role::good};
    case NewsKind::action:
      return {">", Role::accent};
    case NewsKind::action_refused:
      return {">", Role::warm};
  }
  return {" ", Role::plain};
}

/// What is told of it; of a raised alert also who has seen it.
std::string told(const News& news) {
  if (news.kind != NewsKind::raised || news.seen_by.empty()) return news.text;
  return fmt::format("{} (seen by {})", news.text, news.seen_by);
}

}  // namespace

Role severity_role(Severity severity) {
  if (severity == Severity::critical) return Role::critical;
  return severity == Severity::warning ? Role::warm : Role::plain;
}

void draw_news_line(const Scene& scene, Pen& pen, int row, const News& news) {
  const NewsLook look = news_look(news);
  const int subject = std::clamp(pen.columns() / 5, 8, 24);
  const bool raised = news.kind == NewsKind::raised;
  // Of what holds now, for how long; of what happened, when.
  const std::string when =
      raised ? duration_text(to_seconds(scene.now - news.at)) : to_clock_text(news.at);
  pen.field(0, row, 8, when, Role::faint, raised ? Align::right : Align::left);
  pen.text(9, row, look.sign, look.role);
  pen.field(12, row, subject, news.subject, look.role);
  pen.field(13 + subject, row, pen.columns() - subject - 13, told(news), look.role);
}

void draw_news(Pen& pen, int row, const std::vector<News>& news) {
  const int subject = std::min(16, std::max(8, pen.columns() / 5));
  for (const News& item : news) {
    const NewsLook look = news_look(item);
    int at = pen.text(0, row, to_clock_text(item.at), Role::faint) + 1;
    at = pen.text(at, row, look.sign, look.role) + 1;
    pen.field(at, row, subject, item.subject, look.role);
    pen.field(at + subject + 1, row, pen.columns() - at - subject - 1, item.text, look.role);
    ++row;
  }
}

int alert_rows(const Model& model, const Narrowing& narrowing) {
  int raised = 0;
  for (auto alert = model.alerts().begin(); alert != model.alerts().end() && raised < alerts_beside;
       ++alert) {
    if (!narrowing.active() || narrowing.shows(model, raised_news(alert->second.alert))) ++raised;
  }
  return raised == 0 ? 0 : 1 + raised;
}

void draw_alerts(const Scene& scene, Pen pen) {
  std::vector<News> alerts = raised_alerts(scene.model);
  std::erase_if(alerts, [&](const News& alert) {
    return !scene.choices.narrowing.shows(scene.model, alert);
  });
  const auto shown = static_cast<std::size_t>(std::max(0, pen.rows() - 1));
  pen.heading(0, fmt::format("Alerts {}", alerts.size()),
              alerts.size() > shown ? fmt::format("the gravest {}", shown) : "gravest first");
  if (alerts.empty()) pen.text(0, 1, "nothing is raised", Role::faint);
  const int subject = std::min(16, std::max(8, pen.columns() / 5));
  for (std::size_t i = 0; i < std::min(shown, alerts.size()); ++i) {
    const News& alert = alerts[i];
    const int row = static_cast<int>(i) + 1;
    const NewsLook look = news_look(alert);
    pen.text(0, row, look.sign, look.role);
    pen.field(3, row, 5, duration_text(to_seconds(scene.now - alert.at)), Role::faint,
              Align::right);
    pen.field(9, row, subject, alert.subject, look.role);
    pen.field(10 + subject, row, pen.columns() - subject - 10, told(alert), look.role);
  }
}

}  // namespace drover::tui
