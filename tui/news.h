// What happened, in one list: events, alerts that were raised or ended, and what people did.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tui/scene.h"

namespace drover::tui {

enum class NewsKind : std::uint8_t { event, alert, alert_over, action, action_refused };

struct News {
  Instant at{};
  NewsKind kind = NewsKind::event;
  Severity severity = Severity::info;
  std::string subject;
  std::string text;
};

/// Newest first; with `about`, only what concerns that device.
std::vector<News> latest_news(const Model& model, std::size_t most,
                              const std::optional<DeviceId>& about = std::nullopt);
/// A line each, from `row` on: time, sign, subject, text.
void draw_news(Pen& pen, int row, const std::vector<News>& news);

/// What is raised now: a heading, and the gravest first.
void draw_alerts(const Scene& scene, Pen pen);
/// Those of them that fit beside other panels, with their heading; 0 when nothing is raised.
int alert_rows(const Model& model);

}  // namespace drover::tui
