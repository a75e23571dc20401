#include "commands/why/idle_device.h"

#include <utility>

#include "fleet/explanation/why_tree.h"
#include "tui/explain/idle_device.h"

namespace drover::commands {

std::string idle_text(const tui::Model& model, tui::DeviceTable::Row row,
                      std::span<const WhyReply> waiting) {
  return indented_text(tui::idle_lines(model, row, waiting));
}

Json idle_json(const tui::Model& model, tui::DeviceTable::Row row,
               std::span<const WhyReply> waiting) {
  if (!tui::is_idle(model, row)) return {};
  Json jobs = Json::array();
  for (const WhyReply& reply : waiting) {
    const CandidateStatus* const candidate = tui::candidate_on(model, reply, row);
    Json reasons = Json::array();
    if (candidate != nullptr) {
      for (const Reason reason : candidate->reasons) reasons.add(Json(to_text(reason)));
    }
    jobs.add(Json::object()
                 .set("job", to_text(reply.job->job.id))
                 .set("candidate", candidate == nullptr ? Json() : Json(candidate->target))
                 .set("reasons", std::move(reasons)));
  }
  return Json::object().set("waiting", tui::count_waiting(model)).set("jobs", std::move(jobs));
}

}  // namespace drover::commands
