// Placements and their reasons: the live decisions below a page of their sums.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/canvas/fit_columns.h"
#include "tui/canvas/layout.h"
#include "tui/panels/header_page.h"
#include "tui/panels/panels.h"
#include "tui/panels/routing_page.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

constexpr int roomy_decision_rows = 22;

struct DecisionColumn {
  std::string_view title;
  int width;
  Align align;
  int rank;
  std::string (*text)(const Decision& decision);
};

std::string time_column(const Decision& d) { return to_clock_text(d.at); }
std::string job_column(const Decision& d) { return d.job.empty() ? "-" : to_short_text(d.job); }
std::string kind_column(const Decision& d) { return std::string(to_text(d.kind)); }
std::string model_column(const Decision& d) { return d.model; }
std::string action_column(const Decision& d) { return std::string(to_text(d.action)); }
std::string rule_column(const Decision& d) { return d.rule.empty() ? "-" : d.rule; }
std::string preferred_column(const Decision& d) {
  return d.preferred_pool.empty() ? "-" : d.preferred_pool;
}
std::string chosen_column(const Decision& d) { return d.target.empty() ? "-" : d.target; }
std::string score_column(const Decision& d) {
  return d.top.empty() ? "-" : fmt::format("{:.3f}", d.top.front().score);
}
std::string fallback_column(const Decision& d) {
  return d.fallback_step == 0 ? "-" : fmt::format("{}", d.fallback_step);
}
std::string candidates_column(const Decision& d) { return fmt::format("{}", d.considered); }
std::string reason_column(const Decision& d) {
  std::string text = d.fallback_reason ? std::string(to_text(*d.fallback_reason)) : "-";
  if (!d.change.empty()) text += fmt::format(" ({})", d.change);
  return text;
}

constexpr std::array<DecisionColumn, 12> decision_columns = {
    {{"TIME", 8, Align::left, 0, time_column},
     {"JOB", 8, Align::left, 1, job_column},
     {"KIND", 5, Align::left, 8, kind_column},
     {"MODEL", 13, Align::left, 3, model_column},
     {"ACTION", 9, Align::left, 9, action_column},
     {"RULE", 12, Align::left, 11, rule_column},
     {"PREFERRED", 12, Align::left, 7, preferred_column},
     {"CHOSEN", 13, Align::left, 2, chosen_column},
     {"SCORE", 5, Align::right, 4, score_column},
     {"FALLBACK", 8, Align::right, 5, fallback_column},
     {"CANDIDATES", 10, Align::right, 10, candidates_column},
     {"REASON", 15, Align::left, 6, reason_column}}};

CellStyle role_of(const Decision& decision, std::string_view title) {
  const bool bad = decision.action == Action::reject;
  if (title == "REASON" || title == "FALLBACK") {
    return bad                        ? CellStyle::critical
           : decision.fallback_reason ? CellStyle::warm
                                      : CellStyle::faint;
  }
  if (title == "ACTION") {
    return bad                                 ? CellStyle::critical
           : decision.action == Action::assign ? CellStyle::good
                                               : CellStyle::accent;
  }
  if (title == "CHOSEN") return decision.fallback_step > 0 ? CellStyle::warm : CellStyle::plain;
  return title == "TIME" || title == "RULE" || title == "CANDIDATES" ? CellStyle::faint
                                                                     : CellStyle::plain;
}

void draw_decisions(const FrameContext& frame, DrawRegion region) {
  auto columns = fit_columns<DecisionColumn>(decision_columns, 1, region.columns() - 1);
  // The remaining width goes to the last column, which is text.
  widen(columns, "REASON", std::max(0, region.columns() - column_after(columns, 1)));
  region.on(region.row_area(0)).blank(CellStyle::title);
  const DecisionList& decisions = frame.ui.decisions;
  for (const auto& [column, at, width] : columns) {
    region.field(at, 0, width, column->title, CellStyle::title, column->align);
  }
  const int selected = index_of_chosen(decisions);
  for (int line = 1; line < region.rows(); ++line) {
    const int item = decisions.place.top + line - 1;
    if (item >= static_cast<int>(decisions.numbers.size())) break;
    const Decision* const found =
        decision_of(frame.model, decisions.numbers[static_cast<std::size_t>(item)]);
    if (found == nullptr) continue;  // the list was laid out for another moment
    const Decision& decision = *found;
    frame.click_targets.add(region.row_area(line), ClickTarget::Kind::item, item);
    for (const auto& [column, at, width] : columns) {
      const std::string text = column->text(decision);
      region.field(at, line, width, text,
                   text == "-" ? CellStyle::faint : role_of(decision, column->title),
                   column->align);
    }
    if (item == selected) region.tint(line, CellStyle::selected);
  }
  if (decisions.numbers.empty())
    region.text(1, 1, frame.nothing_text("decision", "no decision yet"), CellStyle::faint);
}

}  // namespace

int decision_details_rows(const Model& model, const DecisionList& list) {
  if (!list.open || !list.chosen) return 0;
  const Decision* const decision = decision_of(model, *list.chosen);
  return decision == nullptr ? 0 : 1 + decision_rows(*decision);
}

TableLayout lay_out_routing(const Rect& area, const Model& model, int details) {
  const RoutingPage page = lay_out_routing_page(model, area.columns);
  // The decisions keep more than a third of the screen.
  const int most = details == 0                      ? area.rows * 3 / 5
                   : area.rows < roomy_decision_rows ? 2
                                                     : area.rows / 3;
  const int top = header_page_rows(page.rows, page.flows.rows, most, details > 0);
  const std::array<SizeHint, 3> rows = {SizeHint{top, top, 0}, SizeHint{3, 1'000, 2},
                                        SizeHint{std::min(details, area.rows / 2), details, 0}};
  const std::vector<Rect> parts = cut_rows(area, rows);
  return {parts[0], parts[1], parts[2]};
}

void draw_routing(const FrameContext& frame, const DrawRegion& region) {
  const UiState& ui = frame.ui;
  const TableLayout layout =
      lay_out_routing(region.area(), frame.model, decision_details_rows(frame.model, ui.decisions));
  const bool open = layout.details.rows > 0;
  draw_header_page(region.on(layout.top), lay_out_routing_page(frame.model, region.columns()).rows,
                   open ? std::nullopt : std::optional(ui.details_top),
                   [&](const DrawRegion& page) { draw_routing_page(frame, page); });
  draw_decisions(frame, region.on(layout.list));
  if (layout.details.rows == 0 || !ui.decisions.chosen) return;
  const Decision* const decision = decision_of(frame.model, *ui.decisions.chosen);
  if (decision == nullptr) return;
  DrawRegion details = region.on(layout.details);
  const int visible = details.rows() - 1;
  const std::string scroll = scroll_note(decision_rows(*decision), visible, ui.details_top);
  details.heading(0, decision_title(*decision),
                  scroll.empty() ? to_clock_text(decision->at) : scroll);
  DrawRegion body =
      region.on({layout.details.column, layout.details.row + 1, details.columns(), visible});
  draw_decision(body, -ui.details_top, *decision);
}

}  // namespace drover::tui
