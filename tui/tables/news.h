// What happened, in one list: events, alerts that were raised or ended, and what people did.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tui/model/model.h"

namespace drover::tui {

enum class NewsKind : std::uint8_t {
  raised,  // an alert that holds at this moment
  rule,    // by which alerts are raised; holds of no moment
  event,
  alert,       // was raised then
  alert_seen,  // somebody has acknowledged it
  alert_over,
  action,
  action_refused
};

struct News {
  Instant at{};
  NewsKind kind = NewsKind::event;
  Severity severity = Severity::info;
  std::string subject;
  std::string text;
  std::string rule;     // of an alert
  std::string seen_by;  // of a raised alert: who has acknowledged it
};

/// An alert that is raised.
News raised_news(const Alert& alert);
/// What is raised at the model's moment: first what nobody has acknowledged, of that the gravest
/// first, then the newest.
std::vector<News> raised_alerts(const Model& model);
/// The rules by which alerts are raised, in the policy's order; none where it is not known.
std::vector<News> alert_rules(const Model& model);
/// Null: no rule of that name is known.
const AlertRuleText* rule_named(const Model& model, std::string_view name);
/// As many as a model keeps.
inline constexpr std::size_t news_most = events_max + alert_news_max + audits_max;
/// Newest first; with `about`, only what concerns that device.
std::vector<News> latest_news(const Model& model, std::size_t most,
                              const std::optional<DeviceId>& about = std::nullopt);

}  // namespace drover::tui
