#include "fleet/explanation/job_text.h"

#include <cmath>

#include <fmt/format.h>

#include "fleet/base/text.h"

namespace drover {

std::string work_text(const Workload& work) {
  switch (work.kind) {
    case WorkKind::serve:
      return fmt::format("serve {} {}+{} tokens", work.model, work.input_tokens,
                         work.output_tokens);
    case WorkKind::train:
      return fmt::format("train {} {} on {}", work.model, counted(work.steps, "step"),
                         work.devices);
    case WorkKind::batch:
      return fmt::format("batch {} {} x {}+{} tokens", work.model, work.items, work.input_tokens,
                         work.output_tokens);
  }
  return {};
}

std::string checkpoint_text(const JobChanged& job) {
  if (is_terminal(job.state) || (job.steps_saved == 0 && job.steps_lost <= 0)) return "";
  const auto lost = static_cast<std::uint64_t>(std::llround(job.steps_lost));
  if (job.steps_saved == 0) {
    return fmt::format("no checkpoint{}; {} lost", job.job.work.checkpoint_steps > 0 ? " yet" : "",
                       counted(lost, "step"));
  }
  const bool waits = job.state == JobState::queued;
  std::string text = fmt::format("{} step {} of {}", waits ? "resumes at" : "checkpointed at",
                                 job.steps_saved, job.job.work.steps);
  if (job.steps_lost > 0) text += fmt::format("; {} lost", counted(lost, "step"));
  return text;
}

}  // namespace drover
