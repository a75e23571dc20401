// Every alert that is up is true, and everything that a rule describes is up.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "router/policy/alert_rules.h"
#include "tests/commands/consistency/watch.h"

namespace drover::commands {
namespace {

namespace condition = router::condition;

/// Alerts are looked for once a beat.
constexpr Duration seen_within = std::chrono::seconds(5);
/// The same, where what they are about was looked at in the very same beats.
constexpr Duration told_within = std::chrono::seconds(3);
/// A job that waits longer is worth an alert (docs/policies.md).
constexpr Duration long_wait = std::chrono::seconds(10);
/// Samples and beats until a cap that can be met is met (docs/actions.md).
constexpr Duration caps_within = std::chrono::seconds(10);

Ids hosts_with(const tui::Model& fleet, Health health) {
  Ids names;
  for (const tui::HostRow& host : fleet.hosts()) {
    if (host.reported.health == health) names.insert(host.reported.registration.host);
  }
  return names;
}

Ids lost_hosts(const InterfaceAnswers& at) { return hosts_with(at.fleet, Health::lost); }
Ids suspect_hosts(const InterfaceAnswers& at) { return hosts_with(at.fleet, Health::suspect); }

Ids unusable_devices(const InterfaceAnswers& at) {
  Ids ids;
  for (const DeviceAnswer& device : devices_of(at)) {
    const DeviceCondition& standing = device.standing;
    if (!standing.usable && !is_gone(standing.health)) ids.insert(to_text(device.id));
  }
  return ids;
}

const JobChanged* longest_waiting(const InterfaceAnswers& at) {
  const JobChanged* oldest = nullptr;
  for (const JobChanged& job : at.jobs.jobs) {
    if (job.state != JobState::queued) continue;
    if (oldest == nullptr || job.since < oldest->since) oldest = &job;
  }
  return oldest;
}

Ids long_waits(const InterfaceAnswers& at) {
  const JobChanged* oldest = longest_waiting(at);
  return oldest != nullptr && at.now - oldest->since > long_wait ? Ids{"site"} : Ids{};
}

Ids burning_classes(const InterfaceAnswers& at) {
  Ids ids;
  for (const ClassReport& report : at.summary.classes) {
    if (class_burn(report).fast) ids.insert("class:" + report.name);
  }
  return ids;
}

/// What the router itself looks for, of which tables tell.
struct Condition {
  std::string_view rule;
  Ids (*subjects)(const InterfaceAnswers& at);
};
constexpr std::array<Condition, 5> conditions = {{{condition::host_lost, lost_hosts},
                                                  {condition::host_suspect, suspect_hosts},
                                                  {condition::device_unusable, unusable_devices},
                                                  {condition::jobs_waiting, long_waits},
                                                  {condition::slo_burn, burning_classes}}};

/// What a rule is about now (`holds`), and what keeps its alerts up (`stands`).
struct Described {
  Ids holds, stands;
  bool by_samples = false;
};

std::optional<Described> described(const InterfaceAnswers& at, const AlertRuleText& rule,
                                   bool built_in) {
  for (const Condition& one : conditions) {
    if (one.rule != rule.name) continue;
    const Ids ids = one.subjects(at);
    return Described{ids, ids, false};
  }
  if (built_in || rule.about != "device") return std::nullopt;
  const Ids holds = devices_with(at, rule.when);
  return Described{holds, rule.clear.empty() ? holds : devices_with(at, "!(" + rule.clear + ")"),
                   true};
}

Ids subjects_of(const InterfaceAnswers& at, const std::string& rule) {
  Ids subjects;
  for (const Alert& alert : alerts_of(at)) {
    if (alert.rule == rule) subjects.insert(alert.subject);
  }
  return subjects;
}

void judge_described(const InterfaceAnswers& at, const AlertRuleText& rule,
                     const Described& described, Inconsistencies& wrong) {
  const Ids raised = subjects_of(at, rule.name);
  // Looks are further apart than samples: what has broken off in between begins anew.
  const auto broke_off = [&](const std::string& subject, const std::string& filter) {
    return described.by_samples && !holds_between_looks(at, filter, subject);
  };
  for (const std::string& subject : described.holds) {
    if (raised.contains(subject) || broke_off(subject, rule.when)) continue;
    wrong[fmt::format("A: {} holds for {}, and is not raised", rule.name, subject)] = {
        rule.raise_after + seen_within, ""};
  }
  for (const std::string& subject : raised) {
    if (described.stands.contains(subject) || described.holds.contains(subject)) continue;
    if (broke_off(subject, rule.clear.empty() ? "!(" + rule.when + ")" : rule.clear)) continue;
    wrong[fmt::format("A: {} is raised for {}, and does not hold", rule.name, subject)] = {
        rule.clear_after + seen_within, ""};
  }
}

/// By what summaries and samples have told without a break.
void judge_held(const InterfaceAnswers& at, const AlertRuleText& rule, Inconsistencies& wrong) {
  const Ids raised = subjects_of(at, rule.name);
  // A cap is met after a while, and not at all where it holds back nothing but new work.
  const bool unmet = rule.name == condition::power_cap_unmet;
  const Duration raise_after = unmet ? caps_within : rule.raise_after;
  for (const auto& [key, held] : at.heard.held()) {
    const auto& [name, subject] = key;
    if (name != rule.name) continue;
    const tui::HostRow* const host = at.fleet.find_host(subject);
    // Nothing is known now of a host that is gone or silent, whatever it said last.
    if (host != nullptr && host->reported.health != Health::ok) continue;
    const bool must = held.holds_since != never && !at.heard.admits_only(subject) &&
                      at.now - held.holds_since > raise_after + told_within;
    const bool may_not =
        held.over_since != never && at.now - held.over_since > rule.clear_after + told_within;
    if (must && !raised.contains(subject)) {
      wrong[fmt::format("A: {} holds for {}, and is not raised", name, subject)] = {
          seen_within, fmt::format("for {:.1f} s", to_seconds(at.now - held.holds_since))};
    }
    if (may_not && raised.contains(subject)) {
      wrong[fmt::format("A: {} is raised for {}, and does not hold", name, subject)] = {
          seen_within, fmt::format("for {:.1f} s", to_seconds(at.now - held.over_since))};
    }
  }
}

/// Devices of the ejected places that alerts name, against those that pools count.
void judge_ejected(const InterfaceAnswers& at, Inconsistencies& wrong) {
  std::map<std::string, double> told;
  for (const std::string& place : subjects_of(at, std::string(condition::place_ejected))) {
    const auto parts = split(place, '/');
    if (at.fleet.find_host(std::string(parts.front())) == nullptr || parts.size() != 2) {
      wrong[fmt::format("A: outlier_ejected names no place: {}", place)] = {seen_within, ""};
      continue;
    }
    told[place] = 1;
  }
  double counted = 0;
  for (const PoolReport& pool : at.summary.pools) counted += static_cast<double>(pool.ejected);
  if ((counted > 0) == !told.empty()) return;
  wrong["A: outlier_ejected, and devices of pools that are ejected"] = {
      seen_within + std::chrono::seconds(3),
      fmt::format("{} alerts, {} devices", told.size(), counted)};
}

/// Of one that has waited since then, or of one that nobody has judged.
bool tells_reason(const InterfaceAnswers& at, const Alert& alert, Instant since) {
  return std::any_of(at.jobs.jobs.begin(), at.jobs.jobs.end(), [&](const JobChanged& job) {
    return job.state == JobState::queued && job.since == since &&
           (!job.reason || alert.text.ends_with(to_text(*job.reason)));
  });
}

/// "6 in the queue, the oldest for 12m: capacity".
void judge_waiting_text(const InterfaceAnswers& at, Inconsistencies& wrong) {
  const JobChanged* oldest = longest_waiting(at);
  for (const Alert& alert : alerts_of(at)) {
    if (alert.rule != condition::jobs_waiting || oldest == nullptr) continue;
    const double queued = std::strtod(alert.text.c_str(), nullptr);
    const auto differs = [&](const std::string& what, const std::string& there) {
      wrong[fmt::format("A: jobs_waiting tells another {} than jobs", what)] = {
          seen_within, fmt::format("'{}' and '{}'", alert.text, there)};
    };
    const double waiting = static_cast<double>(at.summary.queued);
    // Texts and what is published are of the last beat, and a queue may move in between.
    const bool of_beat =
        at.heard.summary() && queued == static_cast<double>(at.heard.summary()->queued);
    if (queued != waiting && !of_beat) differs("number", shown(waiting));
    // The text is of the last beat, and of an answer that was under way.
    const double waits_s = to_seconds(at.now - oldest->since);
    constexpr std::string_view before = "the oldest for ";
    const std::string age =
        alert.text.substr(std::min(alert.text.size(), alert.text.find(before) + before.size()), 6);
    const auto told = parse_duration(age.substr(0, age.find_first_of(": ")), "alert");
    const double told_s = told ? to_seconds(*told) : absent;
    // Minutes are told whole, hours in tenths.
    const double apart_s = 2 + 0.05 * waits_s + (waits_s < 60 ? 0 : 30);
    if (!(std::abs(told_s - waits_s) <= apart_s)) differs("age", duration_text(waits_s));
    if (!tells_reason(at, alert, oldest->since)) {
      // It may be another one at each beat: none may stand where it is not so.
      const std::string reason = alert.text.substr(alert.text.rfind(' ') + 1);
      differs(fmt::format("reason, {},", reason), std::string(to_text(*oldest->reason)));
    }
  }
}

}  // namespace

void judge_alerts(const InterfaceAnswers& at, Inconsistencies& wrong) {
  for (const AlertRule& rule : at.policy.alerts) {
    if (!rule.enabled) continue;
    if (const auto about = described(at, rule.published, rule.built_in)) {
      judge_described(at, rule.published, *about, wrong);
    }
    judge_held(at, rule.published, wrong);
  }
  judge_ejected(at, wrong);
  judge_waiting_text(at, wrong);
}

}  // namespace drover::commands
