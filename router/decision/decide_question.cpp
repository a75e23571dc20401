// What candidates are held against: of the job, of the rule, and of each pool.
#include <algorithm>
#include <set>
#include <utility>

#include "router/decision/decide_candidates.h"

namespace drover::router {

Question make_question(const Roster& roster, const Policy& policy, const Rule& rule, const Ask& ask,
                       const WorkClass* work_class, Instant now, Purpose purpose) {
  const Workload& work = ask.job->work;
  Question question{.roster = roster, .policy = policy, .rule = rule, .ask = ask};
  question.needs = needs_of(policy, *ask.job, work_class);
  question.work_class = work_class;
  question.now = now;
  question.purpose = purpose;
  question.waited_s = std::max(0.0, to_seconds(now - ask.submitted));
  question.need_tokens = std::uint64_t{work.input_tokens} + work.output_tokens;
  question.far = policy.network.given() || !question.needs.data_set.empty();
  return question;
}

void accept_precisions(Question& question, const std::vector<Precision>& of_rule) {
  const std::vector<Precision>& of_job = question.ask.job->work.precisions;
  question.degraded = false;
  question.precisions = of_job.empty() ? of_rule : of_job;
  if (!of_job.empty() && !of_rule.empty()) {
    std::erase_if(question.precisions, [&](Precision precision) {
      return std::find(of_rule.begin(), of_rule.end(), precision) == of_rule.end();
    });
  }
  question.none_accepted = question.precisions.empty() && !(of_job.empty() && of_rule.empty());
}

void ask_pool(Question& question, std::uint32_t pool_number) {
  const Roster& roster = question.roster;
  question.pool_number = pool_number;
  question.pool = &question.policy.pools[pool_number];
  const Limits& limits = question.policy.limits;
  const auto cap = limits.pool_power_cap_w.find(question.pool->name);
  question.pool_cap_w = cap == limits.pool_power_cap_w.end() ? 0 : cap->second;
  question.site_power_w = question.pool_power_w = question.pool_jobs = 0;
  if (question.pool_cap_w > 0 || limits.site_power_cap_w > 0) {
    std::int64_t site_mw = 0;
    std::int64_t pool_mw = 0;
    for (const GroupEntry& group : roster.groups()) {
      if (group.gone || is_gone(roster.hosts()[group.host].health)) continue;
      site_mw += group.believed_mw;
      if (group.in_pool(pool_number)) pool_mw += group.believed_mw;
    }
    question.site_power_w = static_cast<double>(site_mw) / 1000;
    question.pool_power_w = static_cast<double>(pool_mw) / 1000;
  }
  question.rack_power_w.clear();
  if (limits.rack_power_w > 0) {
    for (const GroupEntry& group : roster.groups()) {
      const HostEntry& host = roster.hosts()[group.host];
      if (group.gone || is_gone(host.health)) continue;
      question.rack_power_w[host.hello.rack] += static_cast<double>(group.believed_mw) / 1000;
    }
  }
  if (question.pool->max_share >= 1) return;
  for (const ReplicaEntry& replica : roster.replicas()) {
    if (replica.promised_requests == 0 || !roster.groups()[replica.group].in_pool(pool_number)) {
      continue;
    }
    question.pool_jobs += replica.promised_requests;
  }
  for (const GroupEntry& group : roster.groups()) {
    if (!group.in_pool(pool_number)) continue;
    std::set<JobId> gangs;
    for (DeviceIndex device = group.first; device < group.first + group.group.count; ++device) {
      if (!roster.devices().gang[device].empty()) gangs.insert(roster.devices().gang[device]);
    }
    question.pool_jobs += static_cast<double>(gangs.size());
  }
}

}  // namespace drover::router
