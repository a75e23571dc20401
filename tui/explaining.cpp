// The page that explains a job or an idle device: opening it, and asking the router for it.
#include <fmt/format.h>

#include "fleet/base/text.h"
#include "tui/dashboard_state.h"
#include "tui/explain/idle_device.h"
#include "tui/tables/device_queries.h"

namespace drover::tui {
namespace {

/// The job of the selected decision, or of the newest one; an error if it has none.
Result<JobId> job_of_decision(const Model& model, const DecisionList& list) {
  const auto index = static_cast<std::size_t>(std::max(0, index_of_chosen(list)));
  const Decision* const decision =
      index < list.lines.size() ? decision_of(model, list.lines[index].number) : nullptr;
  if (decision == nullptr) return error("no decision is selected");
  if (decision->job.empty()) return error("the decision is about a replica, not about a job");
  return decision->job;
}

}  // namespace

void DashboardState::explain_job(const JobId& job) {
  go_deeper(step_here(), ViewId::jobs);
  ui().explained = {true, to_text(job)};
  if (model().jobs().contains(job)) ui().jobs.chosen = job;
}

Status DashboardState::explain_device(const DeviceId& device) {
  const auto row = model().find(device);
  if (!row) return error("{}", unknown_device_text(model(), device));
  if (model().spec_of(*row).real) {
    return error("{} is a real device: Drover places no work on it", to_text(device));
  }
  const std::vector<const JobRow*> jobs = jobs_on(model(), device);
  if (!jobs.empty()) {
    explain_job(jobs.front()->reported.job.id);
    return {};
  }
  TrailStep from = step_here();
  ui().device = device;
  go_deeper(std::move(from), ViewId::device);
  ui().explained = {true, {}};
  return {};
}

Status DashboardState::explain_selected() {
  if (ui().explaining()) {
    back();
    return {};
  }
  if (ui().view == ViewId::jobs) {
    if (!ui().jobs.chosen) return error("no job is selected: j and k choose one");
    explain_job(*ui().jobs.chosen);
    return {};
  }
  if (ui().view == ViewId::routing) {
    DROVER_ASSIGN(const auto job, job_of_decision(model(), ui().decisions));
    explain_job(job);
    return {};
  }
  if (!ui().device) return error("nothing is selected to explain: choose a device, or :why JOB");
  return explain_device(*ui().device);
}

Status DashboardState::explain(std::string_view subject) {
  if (subject.empty()) return explain_selected();
  if (subject.find('/') != std::string_view::npos) {
    DROVER_ASSIGN(const auto device, parse_device_id(subject));
    return explain_device(device);
  }
  if (const auto job = find_job(model(), subject, 1)) {
    explain_job(*job);
    return {};
  }
  // The router keeps more jobs than the model.
  const bool digits = subject.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  if (!cursor.live() || !digits) {
    return error("no job or several begin with {}", excerpt(subject));
  }
  go_deeper(step_here(), ViewId::jobs);
  ui().explained = {true, std::string(subject)};
  return {};
}

const WhyAnswers* DashboardState::answers_now() const {
  return cursor.live() && !replay() ? &why_answers : nullptr;
}

/// Asks the router for what the page shows, unless it has been asked for it. While an action is
/// open nothing is asked: a refusal would not say which of the two it is about.
void DashboardState::ask_why() {
  if (!ui().explaining() || answers_now() == nullptr || !connected) return;
  if (pending_action.deadline() != never) return;
  const Duration second = fleet_second(options);
  std::vector<WhySubject> subjects;
  if (ui().view == ViewId::jobs) {
    subjects.push_back(why_subject(model(), ui().explained.job));
  } else if (ui().device) {
    subjects = idle_subjects.follow(model(), *ui().device, now, second);
  }
  for (WhyRequest& request : why_answers.follow(now, second, subjects)) {
    effects.push_back(Send{router_peer, {"dashboard", ++asked_count, now, std::move(request)}, 0});
  }
}

}  // namespace drover::tui
