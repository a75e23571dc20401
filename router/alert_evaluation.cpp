#include "router/alert_evaluation.h"

#include <algorithm>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "router/actions/reply_text.h"
#include "router/policy/alert_rules.h"

namespace drover::router {
namespace {

// From this share of its cap, the site or a pool counts as at the cap.
constexpr double at_cap_share = 0.98;
// A longer wait, in wall seconds, raises an alert.
constexpr double long_wait_s = 10;

// Length limit of names in an acknowledgement, which its audit quotes.
constexpr std::size_t alert_words_max = 100;

constexpr std::uint32_t throttles_for_heat =
    throttle_sw_thermal_slowdown | throttle_hw_thermal_slowdown;

/// A last sample without reasons says nothing about heat.
bool throttles_hot(const DeviceColumns& columns, DeviceIndex device) {
  const double reasons = reading(columns, device, Metric::throttle);
  return reasons > 0 && (static_cast<std::uint32_t>(reasons) & throttles_for_heat) != 0;
}

void see_cap(double power_w, double cap_w, std::string subject, std::vector<AlertCondition>& seen) {
  if (cap_w <= 0 || power_w < at_cap_share * cap_w) return;
  seen.push_back({std::string(condition::power_cap), std::move(subject),
                  fmt::format("power {} of {}", watts_text(power_w), watts_text(cap_w))});
}

}  // namespace

void AlertEvaluation::set_rules(const std::vector<AlertRule>& rules) {
  alerts_.set_rules(rules);
  rules_.set_rules(rules);
}

void AlertEvaluation::evaluate(Instant now, const Summary& totals) {
  std::vector<AlertCondition> seen;
  add_host_conditions(now, seen);
  add_ejection_conditions(seen);
  add_power_conditions(seen);
  power.add_unmet_cap_conditions(now, seen);
  add_job_conditions(now, seen);
  add_class_conditions(totals, seen);
  add_drop_conditions(seen);
  rules_.evaluate({fleet_state, policy, jobs, conditions, boards, alerts_, totals, now}, seen);
  for (Alert& alert : alerts_.observe(now, seen)) outbox.publish(now, std::move(alert));
}

void AlertEvaluation::add_host_conditions(Instant now, std::vector<AlertCondition>& seen) const {
  const DeviceColumns& columns = fleet_state.devices();
  for (HostIndex index = 0; index < fleet_state.hosts().size(); ++index) {
    const HostEntry& host = fleet_state.hosts()[index];
    // A host that left cleanly is not lost, and a forgotten host is nobody's concern.
    if (host.health == Health::left || host.forgotten) continue;
    if (host.health == Health::lost) {
      seen.push_back({std::string(condition::host_lost), host.registration.host,
                      fleet_state.is_real(host) ? host.health_why : "its work was requeued"});
      continue;
    }
    if (host.health == Health::suspect) {
      seen.push_back({std::string(condition::host_suspect), host.registration.host,
                      fleet_state.is_real(host) ? host.health_why : "suspect: no new work for it"});
    }
    // Older samples do not describe the present.
    const Instant heard_after =
        now - from_seconds(stale_after_s(policy.stale_after_s, host.registration.sample_every));
    const auto hot = std::ranges::count_if(host.devices, [&](DeviceIndex d) {
      return throttles_hot(columns, d) && columns.sampled[d] >= heard_after;
    });
    if (hot == 0) continue;
    seen.push_back({std::string(condition::throttling), host.registration.host,
                    fmt::format("{} of {} throttle{} thermally", hot,
                                counted(host.devices.size(), "device"), hot == 1 ? "s" : "")});
  }
  for (const auto& [device, condition] : conditions.all()) {
    if (condition.usable) continue;
    const std::string& host = fleet_state.host_name(device.first);
    seen.push_back({std::string(condition::device_unusable), to_text(DeviceId{host, device.second}),
                    condition.detail});
  }
}

void AlertEvaluation::add_ejection_conditions(std::vector<AlertCondition>& seen) const {
  for (const Ejection& ejection : outliers.in_force()) {
    if (ejection.shadow) continue;
    seen.push_back({std::string(condition::place_ejected), ejection.place,
                    fmt::format("no new work for it: {}", in_words(ejection.detector))});
  }
}

void AlertEvaluation::add_power_conditions(std::vector<AlertCondition>& seen) const {
  if (policy.limits.site_power_cap_w > 0) {
    see_cap(fleet_state.power_w(), policy.limits.site_power_cap_w, "site", seen);
  }
  for (const auto& [name, cap_w] : policy.limits.pool_power_cap_w) {
    const auto pool = policy.pool_index(name);
    if (pool && cap_w > 0) see_cap(fleet_state.power_w(*pool), cap_w, "pool:" + name, seen);
  }
}

void AlertEvaluation::add_job_conditions(Instant now, std::vector<AlertCondition>& seen) const {
  const JobRecord* oldest = queue.longest_waiting();
  if (oldest == nullptr) return;
  const double waited_s = to_seconds(now - oldest->since);
  if (waited_s <= long_wait_s * settings.speed) return;
  const auto reason = queue.waits_for(*oldest);
  seen.push_back({std::string(condition::jobs_waiting), "site",
                  fmt::format("{} in the queue, the oldest for {}{}{}{}", queue.size(),
                              duration_text(waited_s), settings.speed == 1 ? "" : " of fleet time",
                              reason ? ": " : "", reason ? to_text(*reason) : "")});
}

void AlertEvaluation::add_class_conditions(const Summary& totals,
                                           std::vector<AlertCondition>& seen) {
  const auto missed = [](const ClassOutcomes& outcomes) {
    return fmt::format(
        "{:.0f}% of {}",
        100 * static_cast<double>(outcomes.missed) / static_cast<double>(outcomes.judged),
        counted(outcomes.judged, "job"));
  };
  for (const ClassReport& report : totals.classes) {
    if (!class_burn(report).fast) continue;
    seen.push_back({std::string(condition::slo_burn), "class:" + report.name,
                    fmt::format("{} missed the target in 5 min, {} in 1 h",
                                missed(report.short_window), missed(report.long_window))});
  }
}

void AlertEvaluation::add_drop_conditions(std::vector<AlertCondition>& seen) {
  for (const SenderCount& sender : rejected.take_senders()) {
    seen.push_back(
        {std::string(condition::undecodable), sender.sender,
         fmt::format("{} from this sender {} dropped so far", counted(sender.count, "message"),
                     sender.count == 1 ? "was" : "were")});
  }
}

void AlertEvaluation::handle(Instant now, const Caller& caller, const AcknowledgeAlert& asked) {
  ActionReply reply;
  const std::string rule = excerpt(asked.rule, alert_words_max);
  const std::string subject = excerpt(asked.subject, alert_words_max);
  const std::string action = fmt::format("acknowledge {}", rule.empty() ? "all alerts" : rule);
  const std::vector<Alert> meant =
      alerts_.acknowledge(now, asked.rule, asked.subject, client_name(caller));
  reply.applied = !meant.empty();
  for (const Alert& alert : meant) {
    reply.targets.push_back(fmt::format("{} {}", alert.rule, alert.subject));
    if (alert.acknowledged_at == now) outbox.publish(now, alert);
  }
  if (!meant.empty()) {
    reply.summary =
        fmt::format("acknowledged {}: {}; visible to all viewers until {} clear{}",
                    counted(meant.size(), "alert", "alerts"), compact_targets(reply.targets),
                    meant.size() == 1 ? "it" : "they", meant.size() == 1 ? "s" : "");
  } else {
    reply.problem = fmt::format("no alert{}{} is raised", rule.empty() ? "" : " " + rule,
                                subject.empty() ? "" : " of " + subject);
  }
  publisher.reply_to_action(now, caller, action, subject.empty() ? "alerts" : subject,
                            std::move(reply));
}

}  // namespace drover::router
