// Placements and their reasons: the live decisions below a page of their sums.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/canvas/fit_columns.h"
#include "tui/panels/panels.h"
#include "tui/panels/routing_page.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

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
  draw_column_titles(region, 0, columns, CellStyle::title);
  const DecisionList& list = frame.ui.decisions;
  const auto draw = [&](int row, std::size_t item) {
    const Decision* const decision = decision_of(frame.model, list.numbers[item]);
    if (decision == nullptr) return false;  // the list was laid out for another moment
    for (const auto& [column, at, width] : columns) {
      const std::string text = column->text(*decision);
      region.field(at, row, width, text,
                   text == "-" ? CellStyle::faint : role_of(*decision, column->title),
                   column->align);
    }
    return true;
  };
  draw_items(frame, region, 1, list.place, list.numbers.size(), draw);
  if (list.numbers.empty())
    region.text(1, 1, frame.nothing_text("decision", "no decision yet"), CellStyle::faint);
}

/// Rows of the selected decision's details, with the heading; 0 when closed.
int decision_details_rows(const Model& model, const DecisionList& list) {
  if (!list.open || !list.chosen) return 0;
  const Decision* const decision = decision_of(model, *list.chosen);
  return decision == nullptr ? 0 : 1 + decision_rows(*decision);
}

}  // namespace

TableLayout lay_out_routing(const Rect& area, const Model& model, int details) {
  const RoutingPage page = lay_out_routing_page(model, area.columns);
  // The decisions keep more than a third of the screen.
  return lay_out_table(area, page.rows, page.flows.rows, area.rows * 3 / 5, details);
}

namespace {

void draw_routing(const FrameContext& frame, const DrawRegion& region) {
  const DecisionList& list = frame.ui.decisions;
  const TableLayout layout =
      lay_out_routing(region.area(), frame.model, decision_details_rows(frame.model, list));
  draw_header_page(frame, region, layout, lay_out_routing_page(frame.model, region.columns()).rows,
                   [&](const DrawRegion& page) { draw_routing_page(frame, page); });
  draw_decisions(frame, region.on(layout.list));
  if (layout.details.rows == 0 || !list.chosen) return;
  const Decision* const decision = decision_of(frame.model, *list.chosen);
  if (decision == nullptr) return;
  DrawRegion details = region.on(layout.details);
  const int visible = details.rows() - 1;
  const std::string scroll = scroll_note(decision_rows(*decision), visible, frame.ui.details_top);
  details.heading(0, decision_title(*decision),
                  scroll.empty() ? to_clock_text(decision->at) : scroll);
  DrawRegion body = details.part({0, 1, details.columns(), visible});
  draw_decision(body, -frame.ui.details_top, *decision);
}

ScrolledRows arrange_decisions(const LayoutInput& at, UiState& ui) {
  DecisionList& list = ui.decisions;
  list.numbers = list_decisions(at.model, ui.fleet_filter);
  const int selected = index_of_chosen(list);
  if (selected < 0) list.open = false;
  const int details = decision_details_rows(at.model, list);
  const TableLayout layout = lay_out_routing(at.body, at.model, details);
  if (!list.chosen) list.place.top = 0;
  list.place.scroll_to(selected, static_cast<int>(list.numbers.size()), layout.list.rows - 1);
  return scrolled_rows(layout, lay_out_routing_page(at.model, at.body.columns).rows, details);
}

int count_decisions(const UiState& ui) { return static_cast<int>(ui.decisions.numbers.size()); }
int selected_decision(const Model&, const UiState& ui) { return index_of_chosen(ui.decisions); }
void select_decision(const Model&, UiState& ui, int index, int direction) {
  DecisionList& list = ui.decisions;
  // At the top of the list the newest decision is always selected.
  if (index == 0 && direction == 0 && !list.open) {
    list.chosen.reset();
    list.place = ListViewport{};
    return;
  }
  list.chosen = list.numbers[static_cast<std::size_t>(index)];
  list.place.row = -1;
}
std::string text_of_decision(const Model& model, const UiState& ui, int index) {
  const Decision* const decision =
      decision_of(model, ui.decisions.numbers[static_cast<std::size_t>(index)]);
  if (decision == nullptr) return {};
  return fmt::format("{} {} {} {} {} {} {} {}", to_text(decision->job), decision->model,
                     to_text(decision->action), decision->rule, decision->preferred_pool,
                     decision->pool, decision->target,
                     decision->fallback_reason ? to_text(*decision->fallback_reason) : "");
}
void open_decision(const Model&, UiState& ui) {
  ui.decisions.open = ui.decisions.chosen.has_value();
}
bool leave_decision(UiState& ui) { return leave_list(ui, ui.decisions); }

}  // namespace

const ViewDefinition routing_view = {.name = "routing",
                                     .arrange = arrange_decisions,
                                     .draw = draw_routing,
                                     .count = count_decisions,
                                     .selected = selected_decision,
                                     .select = select_decision,
                                     .place = [](UiState& ui) { return &ui.decisions.place; },
                                     .text = text_of_decision,
                                     .open = open_decision,
                                     .back = leave_decision};

}  // namespace drover::tui
