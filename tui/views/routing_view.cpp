// Placements and their reasons: the live decisions, newest first, below a page of their sums.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/canvas/fit_columns.h"
#include "tui/groups/pool_choice.h"
#include "tui/panels/panels.h"
#include "tui/tables/device_columns.h"
#include "tui/views/routing_flows.h"
#include "tui/views/view_layouts.h"
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
/// "capacity"; "stayed: queue_slo" if it is in its preferred pool all the same.
std::string decision_reason(const Decision& d) {
  if (!d.fallback_reason) return {};
  return fmt::format("{}{}", stayed(d) ? "stayed: " : "", to_text(*d.fallback_reason));
}
std::string reason_column(const Decision& d) {
  std::string text = d.fallback_reason ? decision_reason(d) : "-";
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

/// The text of a column; of a group, its number of decisions instead of a job.
std::string text_of(const Model& model, const DecisionColumn& column, const DecisionLine& line,
                    const Decision& decision) {
  if (line.group.empty()) return column.text(decision);
  if (column.title == "JOB") return times_text(line);
  if (column.title != "CHOSEN") return column.text(decision);
  const std::string target = target_of(model, line);
  return target.empty() ? "-" : target;
}

CellStyle role_of(const Decision& decision, std::string_view title) {
  const bool bad = decision.action == Action::reject;
  if (title == "REASON" || title == "FALLBACK") {
    return bad                                             ? CellStyle::critical
           : decision.fallback_reason && !stayed(decision) ? CellStyle::warm
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

constexpr int routing_wide_columns = 116;   // from here on, costs are beside the flows
constexpr int routing_roomy_columns = 170;  // from here on, pools are beside both
constexpr int pools_columns = 96;
constexpr int routing_gap = 2;
constexpr int diagram_rows_least = 34;  // of the view: lower ones show the list of flows alone

// Heading, titles, three pools, and the line that says that there is more.
constexpr int pools_rows_least = 6;
constexpr int flows_rows_least = 4;

/// The decisions keep more than a third of the screen.
int routing_top_rows(int rows) { return rows * 3 / 5; }

/// Of the list of flows, which leaves room for pools below it. `above`: rows above it.
int flows_rows(const Model& model, int above, int rows) {
  const int room =
      routing_top_rows(rows) - above - std::min(pool_panel_rows(model), pools_rows_least);
  return std::min(1 + flow_lines(model), std::max(flows_rows_least, room));
}

void draw_routing_page(const FrameContext& frame, const RoutingPage& page,
                       const DrawRegion& region) {
  if (page.diagram.rows > 0) draw_flows_of_minute(frame, region.on(page.diagram));
  draw_flows(frame, region.on(page.flows));
  draw_fallbacks(frame, region.on(page.costs));
  draw_pools(frame, region.on(page.pools));
}

class RoutingView : public View {
 public:
  explicit RoutingView(UiState& ui) : View(ui, &ui.decisions.place), list_(ui.decisions) {}

  void forget_layout() override { list_.lines.clear(); }
  void draw(const FrameContext& frame, const DrawRegion& region) const override {
    draw_header_page(frame, region, layout_, page_.rows,
                     [&](const DrawRegion& page) { draw_routing_page(frame, page_, page); });
    make_pools_clickable(frame);
    draw_list(frame, region.on(layout_.list));
    if (layout_.details.rows == 0 || !list_.chosen) return;
    const Decision* const decision = decision_of(frame.model, *list_.chosen);
    if (decision == nullptr) return;
    DrawRegion details = region.on(layout_.details);
    DrawRegion body =
        draw_details_heading(details, decision_title(*decision), to_clock_text(decision->at),
                             decision_rows(*decision), ui_.details_top);
    draw_decision(body, -ui_.details_top, *decision);
  }

  std::vector<CompactLine> compact_lines(const FrameContext& frame, int lines_max) const override {
    const auto text = [&](const DecisionLine& line, int item) -> CompactLine {
      const Decision* const decision = decision_of(frame.model, line.number);
      if (decision == nullptr) return {"-", CellStyle::faint, item};
      const bool warm = decision->fallback_reason && !stayed(*decision);
      const std::string target = target_of(frame.model, line);
      return {fmt::format("{} {} {} {}", decision->model,
                          target.empty() ? to_text(decision->action) : std::string_view(target),
                          decision_reason(*decision), times_text(line)),
              warm ? CellStyle::warm : CellStyle::plain, item};
    };
    return list_lines(list_.lines, list_.place, selected(frame.model), lines_max, text);
  }

  ScrolledRows lay_out(const LayoutInput& at) override {
    // Wall seconds are also how long a table keeps its order.
    list_.lines = group_decisions(at.model, list_decisions(at.model, ui_.fleet_filter),
                                  at.resort_every, list_.opened);
    const int chosen = selected(at.model);
    if (chosen < 0) list_.open = false;
    const int details = decision_details_rows(at.model, list_);
    page_ = lay_out_routing_page(at.model, at.body.columns, at.body.rows);
    layout_ = lay_out_routing(at.body, page_, details);
    follow_pool(at.model);
    if (!list_.chosen) list_.place.top = 0;
    list_.place.scroll_to(chosen, items(), layout_.list.rows - 1);
    return scrolled_rows(layout_, page_.rows, details);
  }

  std::optional<int> count() const override { return static_cast<int>(list_.lines.size()); }
  int selected(const Model&) const override { return index_of_chosen(list_); }

  void select(const Model&, int index, int direction) override {
    ui_.pool.reset();
    // At the top of the list the newest decision is always selected.
    if (index == 0 && direction == 0 && !list_.open) {
      list_.chosen.reset();
      list_.place = ListViewport{};
      return;
    }
    choose_decision(list_, index);
  }

  std::string search_text(const Model& model, int index) const override {
    const Decision* const decision =
        decision_of(model, list_.lines[static_cast<std::size_t>(index)].number);
    if (decision == nullptr) return {};
    return fmt::format("{} {} {} {} {} {} {} {}", to_text(decision->job), decision->model,
                       to_text(decision->action), decision->rule, decision->preferred_pool,
                       decision->pool, decision->target,
                       decision->fallback_reason ? to_text(*decision->fallback_reason) : "");
  }

  /// Left and right choose a pool, up and down a decision.
  void move(const KeyContext& context, Move direction) override {
    if (direction != Move::left && direction != Move::right) return View::move(context, direction);
    const std::vector<std::string> pools = listed_pools(context.model);
    if (pools.empty()) return context.cursor.say("the router has reported no pool yet");
    step_pool(pools, direction == Move::right ? 1 : -1, ui_.pool);
    follow_ = true;
  }

  bool chose_other() const override { return ui_.pool.has_value(); }

  /// Opens the devices of a pool, opens or closes a group, or the details of a decision.
  std::optional<ViewId> open_selected(const KeyContext&) override {
    if (ui_.pool) {
      narrow(ui_, "pool", *ui_.pool);
      return ViewId::devices;
    }
    if (toggle_group(list_)) return std::nullopt;
    list_.open = list_.chosen.has_value();
    return std::nullopt;
  }

  bool close() override {
    if (!list_.open) return close_group(list_);
    return leave_list(ui_, list_);
  }
  bool back() override {
    if (std::exchange(ui_.pool, std::nullopt)) return true;
    if (!list_.open && close_group(list_)) return true;
    return leave_list(ui_, list_);
  }

 private:
  /// Rows of the page that are on the screen; the last one may say that there are more.
  int page_rows_shown() const {
    return page_.rows > layout_.top.rows ? layout_.top.rows - 1 : layout_.top.rows;
  }

  void follow_pool(const Model& model) {
    const int line = pool_index(listed_pools(model), ui_.pool);
    if (!std::exchange(follow_, false) || line < 0 || layout_.details.rows > 0) return;
    const int row = page_.pools.row + pool_panel_first_row + line;
    ui_.details_top = std::clamp(ui_.details_top, std::max(0, row + 1 - page_rows_shown()), row);
  }

  void make_pools_clickable(const FrameContext& frame) const {
    const int top = layout_.details.rows > 0 ? 0 : ui_.details_top;
    int row = page_.pools.row + pool_panel_first_row - top;
    for (const std::string& name : listed_pools(frame.model)) {
      const int pool = pool_index(frame.model.pools(), name);
      if (pool >= 0 && row >= 0 && row < page_rows_shown()) {
        frame.click_targets.add({layout_.top.column + page_.pools.column, layout_.top.row + row,
                                 page_.pools.columns, 1},
                                ClickTarget::Kind::pool, pool);
      }
      ++row;
    }
  }

  void draw_list(const FrameContext& frame, DrawRegion region) const {
    auto columns = fit_columns<DecisionColumn>(decision_columns, 1, region.columns() - 1);
    // The remaining width goes to the last column, which is text.
    widen(columns, "REASON", std::max(0, region.columns() - column_after(columns, 1)));
    region.on(region.row_area(0)).blank(CellStyle::title);
    draw_column_titles(region, 0, columns, CellStyle::title);
    const auto draw = [&](int row, std::size_t item) {
      const DecisionLine& line = list_.lines[item];
      const Decision* const decision = decision_of(frame.model, line.number);
      if (decision == nullptr) return false;  // the list was laid out for another moment
      if (!line.group.empty())
        region.text(0, row, fold_sign(line.open, region.ascii()), CellStyle::accent);
      for (const auto& [column, at, width] : columns) {
        const std::string text = text_of(frame.model, *column, line, *decision);
        region.field(at, row, width, text,
                     text == "-" ? CellStyle::faint : role_of(*decision, column->title),
                     column->align);
      }
      return true;
    };
    draw_items(frame, region, 1, list_.place, list_.lines.size(), selected(frame.model), draw);
    if (list_.lines.empty())
      region.text(1, 1, frame.nothing_text("decision", "no decision yet"), CellStyle::faint);
  }

  DecisionList& list_;
  RoutingPage page_;
  TableLayout layout_;
  bool follow_ = false;  // the page must scroll until the chosen pool is visible
};

}  // namespace

RoutingPage lay_out_routing_page(const Model& model, int columns, int rows) {
  const int costs = fallback_panel_rows(model);
  const int pools = pool_panel_rows(model);
  const bool draws = columns >= routing_wide_columns && rows >= diagram_rows_least;
  RoutingPage page;
  if (columns >= routing_roomy_columns) {
    const int left = columns - pools_columns - routing_gap;
    const int flows = 1 + flow_lines(model);
    const int diagram =
        draws ? flows_of_minute_rows(model, routing_top_rows(rows) - flows - costs) : 0;
    page.diagram = {0, 0, left, diagram};
    page.flows = {0, diagram, left, flows};
    page.costs = {0, diagram + flows, left, costs};
    page.pools = {left + routing_gap, 0, pools_columns, pools};
    page.rows = std::max(diagram + flows + costs, pools);
  } else if (columns >= routing_wide_columns) {
    const int left = columns - fallback_panel_columns - routing_gap;
    const int right = left + routing_gap;
    const int flows = flows_rows(model, draws ? costs : 0, rows);
    page.costs = {right, 0, fallback_panel_columns, costs};
    if (draws) {
      // The list stands below the costs, beside the drawing.
      const int most = std::max(costs + flows, routing_top_rows(rows) - pools);
      page.diagram = {0, 0, left, std::max(costs + flows, flows_of_minute_rows(model, most))};
      page.flows = {right, costs, fallback_panel_columns, flows};
    } else {
      page.flows = {0, 0, left, flows};
    }
    page.pools = {0, std::max({page.diagram.rows, flows, costs}), columns, pools};
    page.rows = page.pools.row + pools;
  } else {
    const int flows = flows_rows(model, 0, rows);
    page.flows = {0, 0, columns, flows};
    page.pools = {0, flows, columns, pools};
    page.costs = {0, flows + pools, columns, costs};
    page.rows = flows + pools + costs;
  }
  return page;
}

TableLayout lay_out_routing(const Rect& area, const RoutingPage& page, int details) {
  const int first = page.diagram.rows > 0 ? page.diagram.rows : page.flows.rows;
  return lay_out_table(area, page.rows, first, routing_top_rows(area.rows), details);
}

std::unique_ptr<View> make_routing_view(UiState& ui) { return std::make_unique<RoutingView>(ui); }

}  // namespace drover::tui
