// The views jobs and routing: layout, selection and commands. Both open details of the selection.
#include <algorithm>

#include <fmt/format.h>

#include "tui/panels/header_page.h"
#include "tui/panels/jobs_page.h"
#include "tui/panels/routing_page.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

/// Closes the details, else clears the selection; false if there was neither.
template <typename Selection>
bool close(bool& open, std::optional<Selection>& selection) {
  const bool was = open || selection.has_value();
  if (!open) selection.reset();
  open = false;
  return was;
}

ScrolledRows arrange_jobs(const LayoutInput& at, UiState& ui) {
  JobList& list = ui.jobs;
  list.open = list.open && list.chosen && at.model.jobs().contains(*list.chosen);
  const int details = job_details_rows(at.model, list);
  const TableLayout layout = lay_out_jobs(at.body, at.model, details);
  const int rows = layout.list.rows - 1;
  list.lines = list_jobs(at.model, ui.fleet_filter, list.filter, rows);
  list.place.scroll_to(index_of_chosen(list), static_cast<int>(list.lines.size()), rows);
  if (layout.details.rows > 0) return {details, layout.details.rows};
  const int page = lay_out_jobs_page(at.model, at.body.columns).rows;
  return {page, page_rows_seen(page, layout.top.rows)};
}

int count_jobs(const UiState& ui) { return static_cast<int>(ui.jobs.lines.size()); }
int selected_job(const Model&, const UiState& ui) { return index_of_chosen(ui.jobs); }
void select_job(const Model&, UiState& ui, int index, int direction) {
  choose_job(ui.jobs, index, direction);
}
std::string text_of_job(const Model& model, const UiState& ui, int index) {
  const JobLine& line = ui.jobs.lines[static_cast<std::size_t>(index)];
  const auto job = model.jobs().find(line.job);
  if (line.kind == JobLine::Kind::heading || job == model.jobs().end()) return {};
  const JobChanged& reported = job->second.reported;
  return fmt::format("{} {} {} {} {} {} {} {}", to_text(reported.job.id),
                     to_text(reported.job.work.kind), reported.job.work.model, reported.job.tenant,
                     to_text(reported.state), reported.target, reported.pool,
                     reported.reason ? to_text(*reported.reason) : "");
}
void open_job(const Model&, UiState& ui) { ui.jobs.open = ui.jobs.chosen.has_value(); }
bool leave_job(UiState& ui) {
  ui.details_top = 0;  // from now on it scrolls the page above the list
  return close(ui.jobs.open, ui.jobs.chosen);
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
  if (layout.details.rows > 0) return {details, layout.details.rows};
  const int page = lay_out_routing_page(at.model, at.body.columns).rows;
  return {page, page_rows_seen(page, layout.top.rows)};
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
bool leave_decision(UiState& ui) {
  ui.details_top = 0;
  return close(ui.decisions.open, ui.decisions.chosen);
}

}  // namespace

const ViewDefinition jobs_view = {.name = "jobs",
                                  .arrange = arrange_jobs,
                                  .draw = draw_jobs,
                                  .count = count_jobs,
                                  .selected = selected_job,
                                  .select = select_job,
                                  .place = [](UiState& ui) { return &ui.jobs.place; },
                                  .text = text_of_job,
                                  .open = open_job,
                                  .back = leave_job};

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
