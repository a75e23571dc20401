// The rules by which alerts are raised: a line each, and one in full below the list.
#pragma once

#include <optional>
#include <string>

#include "tui/state/scene.h"
#include "tui/tables/news_list.h"

namespace drover::tui {

/// The filter of the devices that a rule about devices holds for; none of a rule about something
/// else, or whose condition no filter says.
std::optional<std::string> devices_held_by(const AlertRuleText& rule);

/// A rule as a line: name, severity, what it is about, how many it has raised, spans, filters.
void draw_rule_line(const Scene& scene, Pen& pen, int row, const News& news);
/// All of them, with a heading.
void draw_rules(const Scene& scene, Pen pen);

/// The chosen alert, or rule, in full: its rule's thresholds and spans, what it is raised for, who
/// cares. Rows with the heading; 0 when nothing of the kind is chosen.
int alert_details_rows(const Model& model, const NewsList& list);
void draw_alert_details(const Scene& scene, Pen pen);

}  // namespace drover::tui
