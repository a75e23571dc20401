#include "commands/why/idle_device.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "commands/query/reports.h"
#include "fleet/base/text.h"
#include "tui/tables/device_queries.h"

namespace drover::commands {
namespace {

/// Each costs the router a few dozen decisions.
constexpr std::size_t asked_max = 4;

/// Oldest first.
std::vector<const JobChanged*> queued_jobs(const tui::Model& model) {
  std::vector<const JobChanged*> queued;
  for (const auto& [id, row] : model.jobs()) {
    if (row.reported.state == JobState::queued) queued.push_back(&row.reported);
  }
  std::ranges::stable_sort(queued, {}, [](const JobChanged* job) { return job->submitted; });
  return queued;
}

/// Whether a candidate of the router includes the device: a replica, devices ("a/0-3"), a group of
/// a host ("a/g1") or several ("a/g0 and 3 more").
bool includes(const tui::Model& model, const CandidateStatus& candidate,
              tui::DeviceTable::Row row) {
  const DeviceId id = model.id_of(row);
  const std::string_view target =
      std::string_view(candidate.target).substr(0, candidate.target.find(" and "));
  if (!target.starts_with(id.host + "/g")) return tui::has_device(model, target, id);
  const auto& groups = model.host_of(row).reported.registration.groups;
  return std::ranges::any_of(groups, [&](const Group& group) {
    return target == fmt::format("{}/g{}", id.host, group.number) && id.index >= group.first &&
           id.index < group.first + group.count;
  });
}

/// The first that includes the device. One that is too small for the job by itself comes after one
/// together with other hosts.
const CandidateStatus* candidate_for(const tui::Model& model, const WhyReply& reply,
                                     tui::DeviceTable::Row row) {
  const CandidateStatus* found = nullptr;
  for (const CandidateStatus& candidate : reply.candidates) {
    if (!includes(model, candidate, row)) continue;
    if (std::ranges::count(candidate.reasons, Reason::topology) == 0) return &candidate;
    if (found == nullptr) found = &candidate;
  }
  return found;
}

/// The model has only the first jobs of a long queue.
std::uint64_t count_queued(const tui::Model& model) {
  return model.summary() ? model.summary()->queued : queued_jobs(model).size();
}

/// A line for each reason.
std::string reasons_text(const CandidateStatus* candidate) {
  if (candidate == nullptr) return "    this device is in no pool of its rule\n";
  if (candidate->reasons.empty()) return "    this device is a candidate for the next decision\n";
  std::string text;
  for (const Reason reason : candidate->reasons) {
    text += fmt::format("    not here: {}: {}\n", to_text(reason), facts(reason).meaning);
  }
  return text;
}

}  // namespace

bool is_idle(const tui::Model& model, tui::DeviceTable::Row row) {
  return !model.spec_of(row).real && tui::jobs_on(model, model.id_of(row)).empty();
}

std::vector<JobId> waiting_jobs_to_ask(const tui::Model& model) {
  std::set<std::tuple<WorkKind, std::string, std::optional<Reason>>> known;
  std::vector<JobId> jobs;
  for (const JobChanged* const job : queued_jobs(model)) {
    if (jobs.size() == asked_max) break;
    if (known.emplace(job->job.work.kind, job->job.work.model, job->reason).second) {
      jobs.push_back(job->job.id);
    }
  }
  return jobs;
}

std::string idle_text(const tui::Model& model, tui::DeviceTable::Row row,
                      std::span<const WhyReply> waiting) {
  if (!is_idle(model, row)) return "";
  const std::uint64_t queued = count_queued(model);
  if (queued == 0) return "no job is on it, and none waits\n";
  std::string text = fmt::format("no job is on it; {} for a device\n",
                                 queued == 1 ? "1 job waits" : fmt::format("{} jobs wait", queued));
  for (const WhyReply& reply : waiting) {
    text += fmt::format("  {} {}\n{}", to_short_text(reply.job->job.id),
                        printable(work_text(reply.job->job.work)),
                        reasons_text(candidate_for(model, reply, row)));
  }
  return text;
}

Json idle_json(const tui::Model& model, tui::DeviceTable::Row row,
               std::span<const WhyReply> waiting) {
  if (!is_idle(model, row)) return {};
  Json jobs = Json::array();
  for (const WhyReply& reply : waiting) {
    const CandidateStatus* const candidate = candidate_for(model, reply, row);
    Json reasons = Json::array();
    if (candidate != nullptr) {
      for (const Reason reason : candidate->reasons) reasons.add(Json(to_text(reason)));
    }
    jobs.add(Json::object()
                 .set("job", to_text(reply.job->job.id))
                 .set("candidate", candidate == nullptr ? Json() : Json(candidate->target))
                 .set("reasons", std::move(reasons)));
  }
  return Json::object().set("waiting", count_queued(model)).set("jobs", std::move(jobs));
}

}  // namespace drover::commands
