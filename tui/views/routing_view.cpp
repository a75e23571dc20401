// Where work goes, and why: the live decisions below what they come to.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/canvas/fit_columns.h"
#include "tui/canvas/layout.h"
#include "tui/panels/panels.h"
#include "tui/panels/routing_page.h"
#include "tui/panels/top_page.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

constexpr int roomy_rows = 22;

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
std::string wanted_column(const Decision& d) { return d.wanted_pool.empty() ? "-" : d.wanted_pool; }
std::string chosen_column(const Decision& d) { return d.target.empty() ? "-" : d.target; }
std::string score_column(const Decision& d) {
  return d.top.empty() ? "-" : fmt::format("{:.3f}", d.top.front().score);
}
std::string step_column(const Decision& d) {
  return d.fallback_step == 0 ? "-" : fmt::format("{}", d.fallback_step);
}
std::string considered_column(const Decision& d) { return fmt::format("{}", d.considered); }
std::string reason_column(const Decision& d) {
  std::string text = d.fallback_reason ? std::string(to_text(*d.fallback_reason)) : "-";
  if (!d.change.empty()) text += fmt::format(" ({})", d.change);
  return text;
}

constexpr auto left_aligned = Align::left;
constexpr auto right = Align::right;
constexpr std::array<DecisionColumn, 12> decision_columns = {
    {{"TIME", 8, left_aligned, 0, time_column},
     {"JOB", 8, left_aligned, 1, job_column},
     {"KIND", 5, left_aligned, 8, kind_column},
     {"MODEL", 14, left_aligned, 3, model_column},
     {"ACTION", 9, left_aligned, 9, action_column},
     {"RULE", 12, left_aligned, 11, rule_column},
     {"WANTED", 12, left_aligned, 7, wanted_column},
     {"CHOSEN", 14, left_aligned, 2, chosen_column},
     {"SCORE", 5, right, 4, score_column},
     {"STEP", 4, right, 5, step_column},
     {"FROM", 5, right, 10, considered_column},
     {"WHY", 15, left_aligned, 6, reason_column}}};

Role role_of(const Decision& decision, std::string_view title) {
  const bool bad = decision.action == Action::reject;
  if (title == "WHY" || title == "STEP") {
    return bad ? Role::critical : decision.fallback_reason ? Role::warm : Role::faint;
  }
  if (title == "ACTION") {
    return bad ? Role::critical : decision.action == Action::assign ? Role::good : Role::accent;
  }
  if (title == "CHOSEN") return decision.fallback_step > 0 ? Role::warm : Role::plain;
  return title == "TIME" || title == "RULE" || title == "FROM" ? Role::faint : Role::plain;
}

void draw_decisions(const Scene& scene, Pen pen) {
  const std::vector<int> columns = fit_columns<DecisionColumn>(decision_columns, pen.columns() - 1);
  // What is left over goes to the last column, which holds words.
  int spare = pen.columns() - 1;
  for (const int number : columns) {
    spare -= decision_columns[static_cast<std::size_t>(number)].width + 1;
  }
  pen.text(0, 0, std::string(static_cast<std::size_t>(std::max(0, pen.columns())), ' '),
           Role::title);
  const DecisionList& decisions = scene.choices.decisions;
  const auto each_column = [&](auto&& draw) {
    int at = 1;
    for (const int number : columns) {
      const DecisionColumn& column = decision_columns[static_cast<std::size_t>(number)];
      const int width = column.width + (column.title == "WHY" ? std::max(0, spare) : 0);
      draw(at, width, column);
      at += width + 1;
    }
  };
  each_column([&](int at, int width, const DecisionColumn& column) {
    pen.field(at, 0, width, column.title, Role::title, column.align);
  });
  const int selected = index_of_chosen(decisions);
  for (int line = 1; line < pen.rows(); ++line) {
    const int item = decisions.place.top + line - 1;
    if (item >= static_cast<int>(decisions.numbers.size())) break;
    const Decision* const found =
        decision_of(scene.model, decisions.numbers[static_cast<std::size_t>(item)]);
    if (found == nullptr) continue;  // laid out for another moment
    const Decision& decision = *found;
    scene.hits.add(pen.row_area(line), Hit::Kind::item, item);
    each_column([&](int at, int width, const DecisionColumn& column) {
      const std::string text = column.text(decision);
      pen.field(at, line, width, text, text == "-" ? Role::faint : role_of(decision, column.title),
                column.align);
    });
    if (item == selected) pen.tint(line, Role::selected);
  }
  if (decisions.numbers.empty())
    pen.text(1, 1, scene.nothing_text("decision", "no decision yet"), Role::faint);
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
  const int most = details == 0 ? area.rows * 3 / 5 : area.rows < roomy_rows ? 2 : area.rows / 3;
  const int top = top_page_rows(page.rows, page.flows.rows, most, details > 0);
  const std::array<Wish, 3> rows = {Wish{top, top, 0}, Wish{3, 1'000, 2},
                                    Wish{std::min(details, area.rows / 2), details, 0}};
  const std::vector<Rect> parts = cut_rows(area, rows);
  return {parts[0], parts[1], parts[2]};
}

void draw_routing(const Scene& scene, const Pen& pen) {
  const Choices& choices = scene.choices;
  const TableLayout layout = lay_out_routing(pen.area(), scene.model,
                                             decision_details_rows(scene.model, choices.decisions));
  const bool open = layout.details.rows > 0;
  draw_top_page(pen.on(layout.top), lay_out_routing_page(scene.model, pen.columns()).rows,
                open ? std::nullopt : std::optional(choices.details_top),
                [&](const Pen& page) { draw_routing_page(scene, page); });
  draw_decisions(scene, pen.on(layout.list));
  if (layout.details.rows == 0 || !choices.decisions.chosen) return;
  const Decision* const decision = decision_of(scene.model, *choices.decisions.chosen);
  if (decision == nullptr) return;
  Pen details = pen.on(layout.details);
  const int visible = details.rows() - 1;
  const std::string scroll = scroll_note(decision_rows(*decision), visible, choices.details_top);
  details.heading(0, decision_title(*decision),
                  scroll.empty() ? to_clock_text(decision->at) : scroll);
  Pen body = pen.on({layout.details.column, layout.details.row + 1, details.columns(), visible});
  draw_decision(body, -choices.details_top, *decision);
}

}  // namespace drover::tui
