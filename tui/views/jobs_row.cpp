// How the lists of jobs and of decisions are moved in: both open the details of what is chosen.
#include <algorithm>

#include <fmt/format.h>

#include "tui/panels/jobs_page.h"
#include "tui/panels/routing_page.h"
#include "tui/panels/top_page.h"
#include "tui/views/view_rows.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

/// Closes what is open, else lets the selection go.
template <typename Selection>
bool close(bool& open, std::optional<Selection>& selection) {
  const bool was = open || selection.has_value();
  if (!open) selection.reset();
  open = false;
  return was;
}

ScrolledRows arrange_jobs(const Arrangement& at, Choices& choices) {
  JobList& list = choices.jobs;
  list.open = list.open && list.chosen && at.model.jobs().contains(*list.chosen);
  const int details = job_details_rows(at.model, list);
  const TableLayout layout = lay_out_jobs(at.body, at.model, details);
  const int rows = layout.list.rows - 1;
  list.lines = list_jobs(at.model, choices.narrowing, list.filter, rows);
  list.place.settle(index_of_chosen(list), static_cast<int>(list.lines.size()), rows);
  if (layout.details.rows > 0) return {details, layout.details.rows};
  const int page = lay_out_jobs_page(at.model, at.body.columns).rows;
  return {page, page_rows_seen(page, layout.top.rows)};
}

int count_jobs(const Choices& choices) { return static_cast<int>(choices.jobs.lines.size()); }
int selected_job(const Model&, const Choices& choices) { return index_of_chosen(choices.jobs); }
void select_job(const Model&, Choices& choices, int index, int direction) {
  choose_job(choices.jobs, index, direction);
}
std::string text_of_job(const Model& model, const Choices& choices, int index) {
  const JobLine& line = choices.jobs.lines[static_cast<std::size_t>(index)];
  const auto job = model.jobs().find(line.job);
  if (line.kind == JobLine::Kind::heading || job == model.jobs().end()) return {};
  const JobChanged& said = job->second.said;
  return fmt::format("{} {} {} {} {} {} {} {}", to_text(said.job.id), to_text(said.job.work.kind),
                     said.job.work.model, said.job.tenant, to_text(said.state), said.target,
                     said.pool, said.reason ? to_text(*said.reason) : "");
}
ListPlace* place_of_jobs(Choices& choices) { return &choices.jobs.place; }
void open_job(const Model&, Choices& choices) {
  choices.jobs.open = choices.jobs.chosen.has_value();
}
bool leave_job(Choices& choices) {
  choices.details_top = 0;  // what scrolls now is what stands above the list
  return close(choices.jobs.open, choices.jobs.chosen);
}

ScrolledRows arrange_decisions(const Arrangement& at, Choices& choices) {
  DecisionList& list = choices.decisions;
  list.numbers = list_decisions(at.model, choices.narrowing);
  const int selected = index_of_chosen(list);
  if (selected < 0) list.open = false;
  const int details = decision_details_rows(at.model, list);
  const TableLayout layout = lay_out_routing(at.body, at.model, details);
  if (!list.chosen) list.place.top = 0;
  list.place.settle(selected, static_cast<int>(list.numbers.size()), layout.list.rows - 1);
  if (layout.details.rows > 0) return {details, layout.details.rows};
  const int page = lay_out_routing_page(at.model, at.body.columns).rows;
  return {page, page_rows_seen(page, layout.top.rows)};
}

int count_decisions(const Choices& choices) {
  return static_cast<int>(choices.decisions.numbers.size());
}
int selected_decision(const Model&, const Choices& choices) {
  return index_of_chosen(choices.decisions);
}
void select_decision(const Model&, Choices& choices, int index, int direction) {
  DecisionList& list = choices.decisions;
  // The top of a live list is its newest, whatever that will be.
  if (index == 0 && direction == 0 && !list.open) {
    list.chosen.reset();
    list.place = ListPlace{};
    return;
  }
  list.chosen = list.numbers[static_cast<std::size_t>(index)];
  list.place.row = -1;
}
std::string text_of_decision(const Model& model, const Choices& choices, int index) {
  const Decision* const decision =
      decision_of(model, choices.decisions.numbers[static_cast<std::size_t>(index)]);
  if (decision == nullptr) return {};
  return fmt::format("{} {} {} {} {} {} {} {}", to_text(decision->job), decision->model,
                     to_text(decision->action), decision->rule, decision->wanted_pool,
                     decision->pool, decision->target,
                     decision->fallback_reason ? to_text(*decision->fallback_reason) : "");
}
ListPlace* place_of_decisions(Choices& choices) { return &choices.decisions.place; }
void open_decision(const Model&, Choices& choices) {
  choices.decisions.open = choices.decisions.chosen.has_value();
}
bool leave_decision(Choices& choices) {
  choices.details_top = 0;
  return close(choices.decisions.open, choices.decisions.chosen);
}

}  // namespace

const ViewRow& jobs_row() {
  static constexpr ViewRow row = {.name = "jobs",
                                  .arrange = arrange_jobs,
                                  .draw = draw_jobs,
                                  .count = count_jobs,
                                  .selected = selected_job,
                                  .select = select_job,
                                  .place = place_of_jobs,
                                  .text = text_of_job,
                                  .open = open_job,
                                  .back = leave_job};
  return row;
}

const ViewRow& routing_row() {
  static constexpr ViewRow row = {.name = "routing",
                                  .arrange = arrange_decisions,
                                  .draw = draw_routing,
                                  .count = count_decisions,
                                  .selected = selected_decision,
                                  .select = select_decision,
                                  .place = place_of_decisions,
                                  .text = text_of_decision,
                                  .open = open_decision,
                                  .back = leave_decision};
  return row;
}

}  // namespace drover::tui
