// What happened, in one list: events, alerts that were raised or ended, and what people did.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tui/model.h"

namespace drover::tui {

enum class NewsKind : std::uint8_t {
  raised,  // an alert that holds at this moment
  event,
  alert,  // was raised then
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
  std::string rule;  // of an alert
};

/// What is raised at the model's moment: the gravest first, then the newest.
std::vector<News> raised_alerts(const Model& model);
/// Newest first; with `about`, only what concerns that device.
std::vector<News> latest_news(const Model& model, std::size_t most,
                              const std::optional<DeviceId>& about = std::nullopt);

}  // namespace drover::tui
