// What the router sees once a beat that a person should know: the conditions of alerts; and who
// cares for them.
#include <algorithm>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "router/actions/action_words.h"
#include "router/policy/alert_rules.h"
#include "router/state.h"

namespace drover::router {
namespace {

// So near to its cap the site or a pool is at it.
constexpr double at_cap_share = 0.98;
// A job that waits longer than this, in wall seconds, is worth an alert.
constexpr double long_wait_s = 10;

// Names in an acknowledgement, quoted in its audit.
constexpr std::size_t alert_words_max = 100;

constexpr std::uint32_t throttles_for_heat = throttle_thermal_software | throttle_thermal_hardware;

void see_cap(double power_w, double cap_w, std::string subject, std::vector<Sighting>& seen) {
  if (cap_w <= 0 || power_w < at_cap_share * cap_w) return;
  seen.push_back({std::string(condition::power_cap), std::move(subject),
                  fmt::format("draws {} of {}", watts_text(power_w), watts_text(cap_w))});
}

}  // namespace

void Core::watch(Instant now, const Summary& totals) {
  std::vector<Sighting> seen;
  see_hosts(now, seen);
  see_ejections(seen);
  see_power(seen);
  see_unmet_caps(now, seen);
  see_jobs(now, seen);
  see_junk(seen);
  rule_watch.look({roster, policy, jobs, conditions, alerts, totals, now}, seen);
  for (Alert& alert : alerts.observe(now, seen)) mail.publish(now, std::move(alert));
  end_caption(now);
}

void Core::see_hosts(Instant now, std::vector<Sighting>& seen) const {
  const DeviceColumns& columns = roster.devices();
  // What an older sample said is no news of now.
  const Instant heard_after = now - from_seconds(policy.stale_after_s);
  for (HostIndex index = 0; index < roster.hosts().size(); ++index) {
    const HostEntry& host = roster.hosts()[index];
    // One that has left in order is no loss, and one that is forgotten nobody's any more.
    if (host.health == Health::left || host.forgotten) continue;
    if (host.health == Health::lost) {
      seen.push_back(
          {std::string(condition::host_lost), host.hello.host, "what ran there was requeued"});
      continue;
    }
    if (host.health == Health::suspect) {
      seen.push_back(
          {std::string(condition::host_suspect), host.hello.host, "silent: no new work for it"});
    }
    const auto hot = std::count_if(host.devices.begin(), host.devices.end(), [&](DeviceIndex d) {
      return (columns.throttle[d] & throttles_for_heat) != 0 && columns.sampled[d] >= heard_after;
    });
    if (hot == 0) continue;
    seen.push_back({std::string(condition::throttling), host.hello.host,
                    fmt::format("{} of {} slow{} down for heat", hot,
                                counted(host.devices.size(), "device"), hot == 1 ? "s" : "")});
  }
  for (const auto& [device, condition] : conditions.all()) {
    if (condition.usable) continue;
    const std::string& host = roster.hosts()[device.first].hello.host;
    seen.push_back({std::string(condition::device_unusable), to_text(DeviceId{host, device.second}),
                    condition.detail});
  }
}

void Core::see_ejections(std::vector<Sighting>& seen) const {
  for (const Ejection& ejection : ejections.in_force()) {
    if (ejection.shadow) continue;
    seen.push_back({std::string(condition::place_ejected), ejection.place,
                    fmt::format("no new work for it: {}", to_text(ejection.detector))});
  }
}

void Core::see_power(std::vector<Sighting>& seen) const {
  if (policy.limits.site_power_cap_w > 0) {
    see_cap(roster.power_w(), policy.limits.site_power_cap_w, "site", seen);
  }
  for (const auto& [name, cap_w] : policy.limits.pool_power_cap_w) {
    const auto pool = policy.pool_index(name);
    if (pool && cap_w > 0) see_cap(roster.power_w(*pool), cap_w, "pool:" + name, seen);
  }
}

void Core::see_jobs(Instant now, std::vector<Sighting>& seen) const {
  const JobRecord* oldest = queue.longest_waiting();
  if (oldest == nullptr) return;
  const double waited_s = to_seconds(now - oldest->since);
  if (waited_s <= long_wait_s * settings.speed) return;
  const auto reason = queue.waits_for(*oldest);
  seen.push_back({std::string(condition::jobs_waiting), "site",
                  fmt::format("{} in the queue, one for {}{}{}{}", queue.size(),
                              duration_text(waited_s), settings.speed == 1 ? "" : " of fleet time",
                              reason ? ": " : "", reason ? to_text(*reason) : "")});
}

void Core::see_junk(std::vector<Sighting>& seen) {
  for (const SenderCount& sender : dropped.changed()) {
    seen.push_back({std::string(condition::undecodable), sender.sender,
                    fmt::format("{} of it {} dropped so far", counted(sender.count, "message"),
                                sender.count == 1 ? "was" : "were")});
  }
}

void Core::act(Instant now, Caller caller, const AcknowledgeAlert& asked) {
  ActionReply reply;
  const std::string rule = excerpt(asked.rule, alert_words_max);
  const std::string subject = excerpt(asked.subject, alert_words_max);
  const std::string action = fmt::format("acknowledge {}", rule.empty() ? "all alerts" : rule);
  const std::vector<Alert> meant = alerts.acknowledge(now, asked.rule, asked.subject, who(caller));
  reply.applied = !meant.empty();
  for (const Alert& alert : meant) {
    reply.targets.push_back(fmt::format("{} {}", alert.rule, alert.subject));
    if (alert.acknowledged_at == now) mail.publish(now, alert);
  }
  if (!meant.empty()) {
    reply.summary = fmt::format("acknowledged {}: {}; everybody sees so until {} clear{}",
                                counted(meant.size(), "alert", "alerts"), folded(reply.targets),
                                meant.size() == 1 ? "it" : "they", meant.size() == 1 ? "s" : "");
  } else {
    reply.problem = fmt::format("no alert{}{} is raised", rule.empty() ? "" : " " + rule,
                                subject.empty() ? "" : " of " + subject);
  }
  conclude(now, caller, action, subject.empty() ? "alerts" : subject, std::move(reply));
}

}  // namespace drover::router
