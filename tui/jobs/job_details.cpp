#include "tui/jobs/job_details.h"

#include <algorithm>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/jobs/attempt_chart.h"
#include "tui/jobs/request_split.h"
#include "tui/tables/device_queries.h"

namespace drover::tui {
namespace {

constexpr int fact_rows = 4;

/// What the panel shows besides the job's own figures.
struct JobStory {
  std::vector<const Decision*> decisions;
  AttemptTimeline timeline;
  std::vector<RequestPart> parts;
};

JobStory story_of(const Model& model, const JobRow& row, Instant now) {
  JobStory story;
  story.decisions = decisions_on(model, row.reported.job.id);
  story.timeline = attempt_timeline(row, story.decisions, pause_of(model, row.reported), now);
  story.parts = request_parts(row.reported, now);
  return story;
}

/// Rows without the heading: facts, the reason, the charts, and the last decision with its own
/// heading.
int details_rows(const JobChanged& job, const JobStory& story) {
  int rows = fact_rows + (job.returned.empty() ? 0 : 1) + (job.reason ? 1 : 0);
  rows += attempt_chart_rows(story.timeline) + request_chart_rows(story.parts);
  if (!story.decisions.empty()) rows += 1 + decision_rows(*story.decisions.back());
  return rows;
}

void draw_job_facts(DrawRegion& region, int from, const JobChanged& job) {
  const int half = region.columns() / 2;
  const auto fact = [&](int column, int row, std::string_view label, const std::string& value) {
    DrawRegion part = region.part({column, 0, half - 1, region.rows()});
    draw_fact(part, 0, from + row, 10, label, value.empty() ? "-" : value);
  };
  const Workload& work = job.job.work;
  fact(0, 0, "work",
       fmt::format("{} {}, {}", to_text(work.kind), work.model, work_amount_text(work)));
  fact(0, 1, "tenant", fmt::format("{}, priority {}", job.job.tenant, job.job.priority));
  fact(0, 2, "submitted", to_clock_text(job.submitted));
  fact(0, 3, "state", fmt::format("{} since {}", to_text(job.state), to_clock_text(job.since)));
  fact(half, 0, "where", job.target.empty() ? "-" : fmt::format("{} in {}", job.target, job.pool));
  fact(half, 1, "attempt", fmt::format("{}", job.attempt));
  // Usage is reported when an attempt ends.
  fact(half, 2, "used",
       job.usage.device_s > 0
           ? fmt::format("{} device time, {}, {}", duration_text(job.usage.device_s),
                         joules_text(job.usage.energy_j), dollars_text(job.usage.cost_usd))
           : "-");
  fact(half, 3, "result",
       job.state == JobState::finished
           ? fmt::format("{}, {} in {}", counted(job.outcome.output_tokens, "token"),
                         counted(job.outcome.steps, "step"), duration_text(job.latency_s))
           : "-");
}

std::string reason_text(const JobChanged& job) {
  // For a cancelled job, the detail says who cancelled it.
  if (job.state == JobState::cancelled && !job.detail.empty()) return job.detail;
  return fmt::format("{}{}: {}{}{}", reason_prefix(job.state), to_text(*job.reason),
                     facts(*job.reason).meaning, job.detail.empty() ? "" : "; ", job.detail);
}

}  // namespace

const JobRow* chosen_job(const Model& model, const JobList& list) {
  const auto job = list.chosen ? model.jobs().find(*list.chosen) : model.jobs().end();
  return job == model.jobs().end() ? nullptr : &job->second;
}

int job_details_rows(const Model& model, const JobList& list, Instant now) {
  const JobRow* const job = list.open ? chosen_job(model, list) : nullptr;
  return job == nullptr ? 0 : 1 + details_rows(job->reported, story_of(model, *job, now));
}

void draw_job_details(const FrameContext& frame, DrawRegion region, const JobRow& row) {
  const JobChanged& job = row.reported;
  const JobStory story = story_of(frame.model, row, frame.now);
  DrawRegion body = draw_details_heading(region, fmt::format("Job {}", to_text(job.job.id)),
                                         fmt::format("{}, W: why", to_text(job.state)),
                                         details_rows(job, story), frame.ui.details_top);
  int line = -frame.ui.details_top;
  draw_job_facts(body, line, job);
  line += fact_rows;
  if (!job.returned.empty()) body.field(0, line++, body.columns(), job.returned);
  if (job.reason) {
    body.field(0, line++, body.columns(), reason_text(job), job_note_style(job.state));
  }
  line = draw_request_chart(body, line, story.parts);
  line = draw_attempt_chart(body, line, story.timeline);
  if (story.decisions.empty()) return;
  const Decision& last = *story.decisions.back();
  body.heading(line++, decision_title(last), to_clock_text(last.at));
  draw_decision(body, line, last);
}

}  // namespace drover::tui
