#include "tui/state/trail.h"

#include <fmt/format.h>

#include "fleet/base/result.h"
#include "tui/state/ui_state.h"

namespace drover::tui {
namespace {

/// The value of a filter, in quotes, as names may contain its operators.
std::string quoted(std::string_view value) {
  std::string text = "\"";
  for (const char letter : value) {
    if (letter == '"') text += '\\';
    text += letter;
  }
  return text + '"';
}

}  // namespace

TrailStep step_of(const UiState& ui) {
  return {.view = ui.view,
          .filter = ui.fleet_filter.text(),
          .narrowed_to = ui.narrowed_to,
          .device = ui.device,
          .job = ui.jobs.chosen,
          .decision = ui.decisions.chosen,
          .entry = ui.log.chosen,
          .host = ui.hosts.chosen,
          .node = ui.tree.chosen,
          .user = ui.users.chosen,
          .pool = ui.pool,
          .map_group = ui.map_group,
          .decision_group = ui.decisions.chose_group,
          .entry_group = ui.log.chose_group,
          .job_open = ui.jobs.open,
          .decision_open = ui.decisions.open,
          .place = ui.place,
          .topology_host = ui.topology_host,
          .explains = ui.explained.shown,
          .explained_job = ui.explained.job,
          .figure = ui.figure.index,
          .details_top = ui.details_top};
}

void restore(UiState& ui, const TrailStep& step) {
  ui.view = step.view;
  if (ui.fleet_filter.text() != step.filter) {
    DROVER_REQUIRE(!ui.fleet_filter.set(step.filter));  // it was in force before
  }
  ui.narrowed_to = step.narrowed_to;
  ui.device = step.device;
  ui.jobs.chosen = step.job;
  ui.jobs.open = step.job_open;
  ui.decisions.chosen = step.decision;
  ui.decisions.open = step.decision_open;
  ui.log.chosen = step.entry;
  ui.decisions.chose_group = step.decision_group;
  ui.log.chose_group = step.entry_group;
  ui.hosts.chosen = step.host;
  ui.tree.chosen = step.node;
  ui.users.chosen = step.user;
  ui.pool = step.pool;
  ui.map_group = step.map_group;
  ui.figure = {};
  ui.figure.index = step.figure;
  ui.place = step.place;
  ui.topology_host = step.topology_host;
  ui.explained = {step.explains, step.explained_job};
  ui.details_top = step.details_top;
}

void narrow(UiState& ui, const std::vector<FilterCondition>& conditions, std::string_view name) {
  const std::string& before = ui.fleet_filter.text();
  std::string condition;
  for (const auto& [field, value] : conditions) {
    if (!condition.empty()) condition += " & ";
    condition += fmt::format("{} == {}", field, value.empty() ? "none" : quoted(value));
  }
  const std::string both = before.empty() ? condition : fmt::format("({}) & {}", before, condition);
  // A filter can be too long for another condition; the one condition is what was asked for.
  if (ui.fleet_filter.set(both)) {
    DROVER_REQUIRE(!ui.fleet_filter.set(condition));
  }
  ui.narrowed_to = name;
}

}  // namespace drover::tui
