#include "tui/views/routing_view.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/canvas/fit_columns.h"

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

/// Rows of the selected decision's details, with the heading; 0 when closed.
int decision_details_rows(const Model& model, const DecisionList& list) {
  if (!list.open || !list.chosen) return 0;
  const Decision* const decision = decision_of(model, *list.chosen);
  return decision == nullptr ? 0 : 1 + decision_rows(*decision);
}

}  // namespace

TableLayout lay_out_routing(const Rect& area, const RoutingPage& page, int details) {
  // The decisions keep more than a third of the screen.
  return lay_out_table(area, page.rows, page.flows.rows, area.rows * 3 / 5, details);
}

std::vector<std::uint64_t> list_decisions(const Model& model, const FleetFilter& fleet_filter) {
  std::vector<std::uint64_t> numbers;
  const auto& decisions = model.decisions();
  for (auto decision = decisions.rbegin(); decision != decisions.rend(); ++decision) {
    if (fleet_filter.shows(model, *decision)) numbers.push_back(decision->number);
  }
  return numbers;
}

const Decision* decision_of(const Model& model, std::uint64_t number) {
  const auto& decisions = model.decisions();
  const auto at = std::lower_bound(
      decisions.begin(), decisions.end(), number,
      [](const Decision& decision, std::uint64_t wanted) { return decision.number < wanted; });
  return at == decisions.end() || at->number != number ? nullptr : &*at;
}

void RoutingView::draw_list(const FrameContext& frame, DrawRegion region) const {
  auto columns = fit_columns<DecisionColumn>(decision_columns, 1, region.columns() - 1);
  // The remaining width goes to the last column, which is text.
  widen(columns, "REASON", std::max(0, region.columns() - column_after(columns, 1)));
  region.on(region.row_area(0)).blank(CellStyle::title);
  draw_column_titles(region, 0, columns, CellStyle::title);
  const auto draw = [&](int row, std::size_t item) {
    const Decision* const decision = decision_of(frame.model, list_.numbers[item]);
    if (decision == nullptr) return false;  // the list was laid out for another moment
    for (const auto& [column, at, width] : columns) {
      const std::string text = column->text(*decision);
      region.field(at, row, width, text,
                   text == "-" ? CellStyle::faint : role_of(*decision, column->title),
                   column->align);
    }
    return true;
  };
  draw_items(frame, region, 1, list_.place, list_.numbers.size(), selected(frame.model), draw);
  if (list_.numbers.empty())
    region.text(1, 1, frame.nothing_text("decision", "no decision yet"), CellStyle::faint);
}

void RoutingView::draw(const FrameContext& frame, const DrawRegion& region) const {
  draw_header_page(frame, region, layout_, page_.rows,
                   [&](const DrawRegion& page) { draw_routing_page(frame, page_, page); });
  draw_list(frame, region.on(layout_.list));
  if (layout_.details.rows == 0 || !list_.chosen) return;
  const Decision* const decision = decision_of(frame.model, *list_.chosen);
  if (decision == nullptr) return;
  DrawRegion details = region.on(layout_.details);
  const int visible = details.rows() - 1;
  const std::string scroll = scroll_note(decision_rows(*decision), visible, ui_.details_top);
  details.heading(0, decision_title(*decision),
                  scroll.empty() ? to_clock_text(decision->at) : scroll);
  DrawRegion body = details.part({0, 1, details.columns(), visible});
  draw_decision(body, -ui_.details_top, *decision);
}

std::vector<CompactLine> RoutingView::compact_lines(const FrameContext& frame,
                                                    int lines_max) const {
  const auto text = [&](std::uint64_t number, int item) -> CompactLine {
    const Decision* const decision = decision_of(frame.model, number);
    if (decision == nullptr) return {"-", CellStyle::faint, item};
    const bool fell = decision->fallback_reason.has_value();
    return {fmt::format("{} {} {}", decision->model,
                        decision->target.empty() ? to_text(decision->action)
                                                 : std::string_view(decision->target),
                        fell ? to_text(*decision->fallback_reason) : ""),
            fell ? CellStyle::warm : CellStyle::plain, item};
  };
  return list_lines(list_.numbers, list_.place, selected(frame.model), lines_max, text);
}

ScrolledRows RoutingView::lay_out(const LayoutInput& at) {
  list_.numbers = list_decisions(at.model, ui_.fleet_filter);
  const int chosen = selected(at.model);
  if (chosen < 0) list_.open = false;
  const int details = decision_details_rows(at.model, list_);
  page_ = lay_out_routing_page(at.model, at.body.columns);
  layout_ = lay_out_routing(at.body, page_, details);
  if (!list_.chosen) list_.place.top = 0;
  list_.place.scroll_to(chosen, items(), layout_.list.rows - 1);
  return scrolled_rows(layout_, page_.rows, details);
}

int RoutingView::selected(const Model&) const {
  return index_where(list_.numbers, [&](std::uint64_t number) { return number == list_.chosen; });
}

void RoutingView::select(const Model&, int index, int direction) {
  // At the top of the list the newest decision is always selected.
  if (index == 0 && direction == 0 && !list_.open) {
    list_.chosen.reset();
    list_.place = ListViewport{};
    return;
  }
  list_.chosen = list_.numbers[static_cast<std::size_t>(index)];
  list_.place.row = -1;
}

std::string RoutingView::search_text(const Model& model, int index) const {
  const Decision* const decision =
      decision_of(model, list_.numbers[static_cast<std::size_t>(index)]);
  if (decision == nullptr) return {};
  return fmt::format("{} {} {} {} {} {} {} {}", to_text(decision->job), decision->model,
                     to_text(decision->action), decision->rule, decision->preferred_pool,
                     decision->pool, decision->target,
                     decision->fallback_reason ? to_text(*decision->fallback_reason) : "");
}

std::optional<ViewId> RoutingView::open_selected(const KeyContext&) {
  list_.open = list_.chosen.has_value();
  return std::nullopt;
}

}  // namespace drover::tui
