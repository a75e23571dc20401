// Panels of what happened and of what is raised.
#pragma once

#include <vector>

#include "tui/state/scene.h"
#include "tui/tables/news.h"

namespace drover::tui {

/// How grave it is, as a colour.
Role severity_role(Severity severity);

/// A line each, from `row` on: time, sign, subject, text.
void draw_news(Pen& pen, int row, const std::vector<News>& news);

/// One line of a list of both: of an alert that is raised, for how long.
void draw_news_line(const Scene& scene, Pen& pen, int row, const News& news);

/// What is raised now: a heading, and the gravest first.
void draw_alerts(const Scene& scene, Pen pen);
/// Those of them that fit beside other panels, with their heading; 0 when nothing is raised.
int alert_rows(const Model& model, const Narrowing& narrowing);

}  // namespace drover::tui
