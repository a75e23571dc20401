#include "tui/explain/idle_device.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/explanation/job_text.h"
#include "fleet/job_target.h"
#include "tui/tables/device_queries.h"

namespace drover::tui {
namespace {

/// Each costs the router a few dozen decisions.
constexpr std::size_t asked_max = 4;

/// Oldest first.
std::vector<const JobChanged*> queued_jobs(const Model& model) {
  std::vector<const JobChanged*> queued;
  for (const auto& [id, row] : model.jobs()) {
    if (row.reported.state == JobState::queued) queued.push_back(&row.reported);
  }
  std::ranges::stable_sort(queued, {}, [](const JobChanged* job) { return job->submitted; });
  return queued;
}

/// Whether a candidate of the router includes the device: a replica, devices ("a/0-3"), a group of
/// a host ("a/g1") or several ("a/g0 and 3 more").
bool includes(const Model& model, const CandidateStatus& candidate, DeviceTable::Row row) {
  const DeviceId id = model.id_of(row);
  const std::string_view target =
      std::string_view(candidate.target).substr(0, candidate.target.find(" and "));
  if (!target.starts_with(id.host + "/g")) return has_device(model, target, id);
  const auto& groups = model.host_of(row).reported.registration.groups;
  return std::ranges::any_of(groups, [&](const Group& group) {
    return target == fmt::format("{}/g{}", id.host, group.number) && id.index >= group.first &&
           id.index < group.first + group.count;
  });
}

/// Why a job with candidates, none of which names the device, may not come here.
std::string text_without_candidate(const Model& model, const WhyReply& reply,
                                   DeviceTable::Row row) {
  bool any_in_pool = false, replicas_only = true;
  for (const CandidateStatus& candidate : reply.candidates) {
    if (!model.is_in_pool(row, candidate.pool)) continue;
    any_in_pool = true;
    std::string_view target = candidate.target;
    const auto part = take_target_part(target);
    replicas_only = replicas_only && part && replica_in(part->place).has_value();
  }
  if (!any_in_pool) return "none of its candidates is in a pool of this device";
  // Of a candidate of several hosts only the first one is named.
  const bool no_replica = replicas_only && replicas_on(model, model.id_of(row)).empty();
  return no_replica ? "its candidates are replicas, and no replica is on this device"
                    : "none of its candidates names this device";
}

/// A line for each reason.
void add_reasons(std::vector<TreeLine>& lines, const CandidateStatus& candidate) {
  if (candidate.reasons.empty()) {
    lines.push_back({2, "this device is a candidate for the next decision", TreeRole::good});
  }
  for (const Reason reason : candidate.reasons) {
    lines.push_back({2, fmt::format("not here: {}: {}", to_text(reason), facts(reason).meaning),
                     TreeRole::warning});
  }
}

/// What the decision rejected of the device's kind in its pools. False if it rejected none.
bool add_rejections_like(std::vector<TreeLine>& lines, const Model& model, DeviceTable::Row row,
                         const Decision& decision) {
  const std::size_t before = lines.size();
  for (const Rejection& rejection : decision.rejections) {
    if (rejection.device_class != model.spec_of(row).id || !model.is_in_pool(row, rejection.pool)) {
      continue;
    }
    lines.push_back({2,
                     fmt::format("not on {} of its kind in pool {}: {}: {}", rejection.count,
                                 printable(rejection.pool), to_text(rejection.reason),
                                 facts(rejection.reason).meaning),
                     TreeRole::warning});
  }
  return lines.size() > before;
}

}  // namespace

bool is_idle(const Model& model, DeviceTable::Row row) {
  return !model.spec_of(row).real && jobs_on(model, model.id_of(row)).empty();
}

std::vector<JobId> waiting_jobs_to_ask(const Model& model) {
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

const std::vector<WhySubject>& IdleSubjects::follow(const Model& model, const DeviceId& device,
                                                    Instant now, Duration wall) {
  const bool due = now < found_at_ || saturating_add(found_at_, wall) <= now;
  if (!due && device_ == device) return found_;
  device_ = device;
  found_at_ = now;
  found_.clear();
  const auto row = model.find(device);
  if (!row || !is_idle(model, *row)) return found_;
  for (const JobId& job : waiting_jobs_to_ask(model)) {
    found_.push_back(why_subject(model, to_text(job)));
  }
  return found_;
}

std::uint64_t count_waiting(const Model& model) {
  // The model has only the first jobs of a long queue.
  if (model.summary()) return model.summary()->queued;
  return static_cast<std::uint64_t>(std::ranges::count_if(
      model.jobs(), [](const auto& job) { return job.second.reported.state == JobState::queued; }));
}

/// The first that includes the device. One that is too small for the job by itself comes after one
/// together with other hosts.
const CandidateStatus* candidate_on(const Model& model, const WhyReply& reply,
                                    DeviceTable::Row row) {
  const CandidateStatus* found = nullptr;
  for (const CandidateStatus& candidate : reply.candidates) {
    if (!includes(model, candidate, row)) continue;
    if (std::ranges::count(candidate.reasons, Reason::topology) == 0) return &candidate;
    if (found == nullptr) found = &candidate;
  }
  return found;
}

std::vector<TreeLine> idle_lines(const Model& model, DeviceTable::Row row,
                                 std::span<const WhyReply> waiting) {
  if (!is_idle(model, row)) return {};
  const std::uint64_t queued = count_waiting(model);
  if (queued == 0) return {{0, "no job is on it, and none waits", TreeRole::heading}};
  std::vector<TreeLine> lines = {
      {0,
       fmt::format("no job is on it; {} for a device",
                   queued == 1 ? "1 job waits" : fmt::format("{} jobs wait", queued)),
       TreeRole::heading}};
  for (const WhyReply& reply : waiting) {
    lines.push_back({1, fmt::format("{} {}", to_short_text(reply.job->job.id),
                                    printable(work_text(reply.job->job.work)))});
    if (const CandidateStatus* const candidate = candidate_on(model, reply, row)) {
      add_reasons(lines, *candidate);
    } else if (!reply.candidates.empty()) {
      lines.push_back({2, text_without_candidate(model, reply, row)});
    } else if (reply.decisions.empty()) {
      lines.push_back({2, "no decision on it is known"});
    } else if (!add_rejections_like(lines, model, row, reply.decisions.back())) {
      lines.push_back({2, "its last decision says nothing of this kind of device"});
    }
  }
  return lines;
}

}  // namespace drover::tui
