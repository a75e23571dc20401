#include "tui/actions.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "fleet/action_duration.h"
#include "fleet/base/overloaded.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/target.h"

namespace drover::tui {
namespace {

constexpr std::size_t names_max = 4;  // targets named in a sentence; the others are counted
constexpr ActionDuration inject_duration{std::chrono::seconds(60)};  // the default of drover inject

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::string& word : split(trimmed(text), ' ')) {
    if (!word.empty()) words.push_back(std::move(word));
  }
  return words;
}

std::string shown_names(std::vector<std::string> names) {
  for (std::string& name : names) name = printable(name);
  return shortened_list(names, names_max);
}

/// The tagged devices, else the selected one; in the telemetry view, the selected host; in the
/// tree, the selected host or rack.
std::vector<std::string> chosen_targets(const UiState& ui) {
  std::vector<std::string> targets;
  for (const DeviceId& device : ui.tagged_devices) targets.push_back(to_text(device));
  if (!targets.empty()) return targets;
  const auto& host = ui.hosts.chosen;
  if (ui.view == ViewId::telemetry && host) return {"host:" + *host};
  if (ui.view == ViewId::fleet && ui.map_group) {
    // A host, rack or pool; other groups are no targets.
    if (ui.map_grouping == Grouping::kind || ui.map_grouping == Grouping::state) return {};
    return {fmt::format("{}:{}", to_text(ui.map_grouping), *ui.map_group)};
  }
  if (ui.device) {
    targets.push_back(to_text(*ui.device));
  } else if (ui.as_tree() && ui.tree.chosen) {
    targets.push_back(*ui.tree.chosen);
  }
  return targets;
}

Result<std::vector<Target>> targets_of(const UiState& ui, std::vector<std::string> names) {
  std::vector<Target> targets;
  if (names.empty()) names = chosen_targets(ui);
  if (names.empty())
    return error("nothing is selected: name a target, such as gpu-a/3 or host:gpu-a");
  for (const std::string& name : names) {
    DROVER_ASSIGN(const auto target, parse_target(name));
    targets.push_back(target);
  }
  return targets;
}

bool reaches(const Model& model, const Target& target, DeviceTable::Row row) {
  const Register& registration = model.host_of(row).reported.registration;
  switch (target.kind) {
    case TargetKind::device:
      return registration.host == target.name && model.devices().index(row) == target.device;
    case TargetKind::host:
      return registration.host == target.name;
    case TargetKind::rack:
      return registration.rack == target.name;
    case TargetKind::pool:
      return model.is_in_pool(row, target.name);
    case TargetKind::site:
      return true;
  }
  return false;
}

struct Reach {
  std::vector<std::string> names;
  std::uint32_t devices = 0;
  double runs = 0;  // requests and training jobs, as last reported
};

Reach reach_of(const Model& model, const std::vector<Target>& targets) {
  Reach reach;
  for (const Target& target : targets) reach.names.push_back(to_text(target));
  for (DeviceTable::Row row = 0; row < model.devices().rows(); ++row) {
    const bool any = std::any_of(targets.begin(), targets.end(),
                                 [&](const Target& target) { return reaches(model, target, row); });
    if (!any) continue;
    ++reach.devices;
    const double running = model.reading(row, Metric::running);
    if (running > 0) reach.runs += running;
  }
  return reach;
}

std::string reach_text(const Reach& reach) {
  return fmt::format("{} ({}, {:.0f} running there)", shown_names(reach.names),
                     counted(reach.devices, "device"), reach.runs);
}

/// Removes "for 30s" or "for 10m fleet" from the end of the words; returns the duration in fleet
/// time.
Result<Duration> take_span(std::vector<std::string>& words, std::string_view before, double speed,
                           const ActionDuration& otherwise) {
  const auto at = std::find(words.rbegin(), words.rend(), before);
  if (at == words.rend() || at == words.rbegin()) return otherwise.in_fleet_time(speed);
  const auto first = static_cast<std::size_t>(words.rend() - at);
  DROVER_ASSIGN(const auto span,
                parse_action_duration(joined(std::span(words).subspan(first), " "), before));
  words.resize(first - 1);
  return span.in_fleet_time(speed);
}

/// Removes the word from the end if it is the last one, and returns whether it was.
bool take_word(std::vector<std::string>& words, std::string_view word) {
  if (words.empty() || words.back() != word) return false;
  words.pop_back();
  return true;
}

Result<FleetAction> set_drain(const Model& model, const UiState& ui, double speed,
                              std::string_view text, bool drained) {
  std::vector<std::string> words = words_of(text);
  DROVER_ASSIGN(const auto within, take_span(words, "within", speed, {}));
  if (!drained && within > Duration{0}) return error("expected targets; resume takes no 'within'");
  DROVER_ASSIGN(const auto targets, targets_of(ui, std::move(words)));
  FleetAction action;
  const std::string reach = reach_text(reach_of(model, targets));
  const std::string then = within > Duration{0} ? fmt::format("after {} running work is requeued",
                                                              duration_phrase(within, speed))
                                                : "running work finishes";
  action.question = drained ? fmt::format("Drain {}: no new work; {}", reach, then)
                            : fmt::format("Resume {}: new work is allowed again", reach);
  for (const Target& one : targets) {
    action.requests.push_back(SetDrain{to_text(one), drained, within});
  }
  return action;
}

}  // namespace

Result<FleetAction> drain_action(const Model& model, const UiState& ui, double speed,
                                 std::string_view text) {
  return set_drain(model, ui, speed, text, true);
}

Result<FleetAction> resume_action(const Model& model, const UiState& ui, double speed,
                                  std::string_view text) {
  return set_drain(model, ui, speed, text, false);
}

Result<FleetAction> cap_action(const Model& model, const UiState&, double speed,
                               std::string_view text) {
  std::vector<std::string> words = words_of(text);
  SetPowerCap cap;
  cap.confirmed = take_word(words, "anyway");
  DROVER_ASSIGN(const auto duration, take_span(words, "for", speed, {}));
  cap.admission_only = take_word(words, "admission-only");
  if (words.size() != 2)
    return error("expected a target and watts: site 20kW, pool:h100 4.5kW for 10m, site none");
  cap.target = words[0];
  cap.duration = duration;
  DROVER_ASSIGN(const auto target, parse_target(words[0]));
  if (target.kind != TargetKind::site && target.kind != TargetKind::pool) {
    return error("found '{}', expected site or pool:NAME", excerpt(words[0]));
  }
  const std::string reach = reach_text(reach_of(model, {target}));
  FleetAction action;
  if (words[1] == "none") {
    action.question = fmt::format("Remove the cap of {}: the policy's limit applies", reach);
  } else {
    DROVER_ASSIGN(const auto watts, parse_power(words[1], "watts"));
    if (watts <= 0) return error("found {}, expected more than 0 watts, or none", watts);
    cap.watts = watts;
    action.question = fmt::format(
        "Cap {} at {}{}: new work that would exceed it waits or falls back, {}", reach,
        watts_text(watts),
        cap.duration > Duration{0} ? " for " + duration_phrase(cap.duration, speed) : "",
        cap.admission_only ? "running work is not throttled" : "devices are throttled to meet it");
  }
  action.requests.push_back(cap);
  return action;
}

Result<FleetAction> cancel_action(const Model& model, const UiState& ui, double,
                                  std::string_view jobs) {
  CancelJobs cancel;
  cancel.jobs = words_of(jobs);
  if (cancel.jobs.empty()) {
    for (const JobId& job : ui.tagged_jobs) cancel.jobs.push_back(to_text(job));
  }
  const auto& selected = ui.jobs.chosen;
  if (cancel.jobs.empty() && selected) cancel.jobs.push_back(to_text(*selected));
  if (cancel.jobs.empty())
    return error("no job is selected: name one by the first digits of its id");
  if (cancel.jobs.size() > cancel_jobs_max) {
    return error("found {} jobs, expected at most {} at once", cancel.jobs.size(), cancel_jobs_max);
  }
  std::vector<std::string> names;
  for (const std::string& job : cancel.jobs) {
    const auto id = parse_job_id(job);
    const auto known = id ? model.jobs().find(*id) : model.jobs().end();
    names.push_back(known == model.jobs().end()
                        ? job
                        : fmt::format("{} ({} {})", to_short_text(*id),
                                      to_text(known->second.reported.state),
                                      known->second.reported.job.work.model));
  }
  FleetAction action;
  action.question =
      fmt::format("Cancel {}: it ends as cancelled, and its progress is lost", shown_names(names));
  action.requests.push_back(std::move(cancel));
  return action;
}

Result<FleetAction> inject_action(const Model& model, const UiState& ui, double speed,
                                  std::string_view text) {
  std::vector<std::string> words = words_of(text);
  DROVER_ASSIGN(const auto duration, take_span(words, "for", speed, inject_duration));
  if (words.empty())
    return error(
        "expected a fault: throttle=0.5, hang, xid=79, ecc, lose, slow-link=0.1, inlet=+10C");
  std::string fault_text = words.back();
  words.pop_back();
  if ((fault_text == "fleet" || fault_text == "wall") && !words.empty()) {
    fault_text = words.back() + " " + fault_text;
    words.pop_back();
  }
  DROVER_ASSIGN(const auto request, parse_fault_request(fault_text));
  const Fault fault = request.in_fleet_time(speed);
  DROVER_ASSIGN(const auto targets, targets_of(ui, std::move(words)));
  FleetAction action;
  action.question =
      fmt::format("Inject {} into {} for {}", to_text(fault), reach_text(reach_of(model, targets)),
                  duration_phrase(duration, speed));
  for (const Target& one : targets) {
    InjectFault inject{to_text(one), fault, 0, 1};
    inject.fault.duration = duration;
    action.requests.push_back(std::move(inject));
  }
  return action;
}

/// The alerts of a group, each once. Too many for one action each are named by their rule, if it
/// has raised no others.
Result<std::vector<AcknowledgeAlert>> alerts_of(const Model& model, const LogGroup& group) {
  std::map<std::string, std::set<std::string>> subjects_of_rule;
  for (const LogEntry& entry : group) subjects_of_rule[entry.rule].insert(entry.subject);
  std::vector<AcknowledgeAlert> alerts;
  for (const auto& [rule, subjects] : subjects_of_rule) {
    const auto raised = std::ranges::count(
        model.alerts(), rule, [](const auto& alert) -> const auto& { return alert.first.rule; });
    if (subjects.size() > tags_max && static_cast<std::size_t>(raised) == subjects.size()) {
      alerts.push_back({rule, ""});
      continue;
    }
    for (const std::string& subject : subjects) alerts.push_back({rule, subject});
  }
  if (alerts.size() <= tags_max) return alerts;
  return error("found {} alerts, expected at most {}: name a rule, or all", alerts.size(),
               tags_max);
}

/// What the words name, or else the selected alert or group of alerts. An empty rule or subject
/// stands for all.
Result<std::vector<AcknowledgeAlert>> alerts_named(const Model& model, const UiState& ui,
                                                   const std::vector<std::string>& words) {
  if (words.size() > 2) return error("expected a rule and optionally a subject, or all");
  if (words.size() == 2) return std::vector<AcknowledgeAlert>{{words[0], words[1]}};
  if (words.size() == 1)
    return std::vector<AcknowledgeAlert>{{words[0] == "all" ? "" : words[0], ""}};
  const LogLine* const line = selected_log_line(ui.log);
  if (line == nullptr || line->entry.rule.empty() || line->entry.kind == LogEntryKind::rule) {
    return error("no alert is selected: name its rule, such as hot, or all");
  }
  if (line->group.empty()) {
    return std::vector<AcknowledgeAlert>{{line->entry.rule, line->entry.subject}};
  }
  return alerts_of(model, line->group);
}

Result<FleetAction> acknowledge_action(const Model& model, const UiState& ui, double,
                                       std::string_view text) {
  DROVER_ASSIGN(const auto wanted, alerts_named(model, ui, words_of(text)));
  FleetAction action;
  std::vector<std::string> names;
  const std::vector<LogEntry> raised = raised_alerts(model);
  for (const AcknowledgeAlert& request : wanted) {
    const std::size_t before = names.size();
    for (const LogEntry& entry : raised) {
      if (entry.acknowledged_by.empty() && (request.rule.empty() || entry.rule == request.rule) &&
          (request.subject.empty() || entry.subject == request.subject)) {
        names.push_back(fmt::format("{} of {}", entry.rule, entry.subject));
      }
    }
    if (names.size() > before) action.requests.push_back(request);
  }
  if (names.empty()) return error("no unacknowledged alert matches");
  action.question =
      fmt::format("Acknowledge {}: shown to everyone until it clears", shown_names(names));
  return action;
}

Result<FleetAction> policy_action(const Model&, const UiState&, double, std::string_view file) {
  FleetAction action;
  action.policy_file = std::string(trimmed(file));
  if (action.policy_file.empty()) return error("expected a policy file: policy FILE.toml");
  action.question = fmt::format("Apply the policy in {}: all further decisions follow it",
                                printable(action.policy_file));
  return action;
}

void PendingAction::ask(Instant now, std::size_t requests, Duration timeout) {
  *this = PendingAction{};
  asked_ = open_ = requests;
  deadline_ = saturating_add(now, timeout);
}

void PendingAction::settle(bool done, const std::string& what) {
  --open_;
  if (done) ++done_;
  std::string& first = done ? reached_ : problem_;
  if (first.empty()) first = what;
}

bool PendingAction::receive(const Message& body) {
  if (open_ == 0) return false;
  const std::size_t open = open_;
  std::visit(
      Overloaded{[&](const ActionReply& reply) {
                   const std::string_view way =
                       reply.confirm ? "; to do it anyway, end the command with 'anyway'" : "";
                   if (!reply.applied)
                     return settle(false, fmt::format("{}{}", reply.problem, way));
                   settle(true, reply.summary.empty() ? shown_names(reply.targets) : reply.summary);
                 },
                 [&](const CancelReply& reply) {
                   if (!reply.problem.empty()) return settle(false, reply.problem);
                   std::vector<std::string> results;
                   for (const CancelResult& result : reply.results) {
                     results.push_back(
                         fmt::format("{} {}", result.asked.substr(0, 8), to_text(result.status)));
                   }
                   settle(true, reply.summary.empty() ? shown_names(results) : reply.summary);
                 },
                 [&](const RequestError& problem) { settle(false, problem.what); },
                 [](const auto&) {}},
      body);
  return open_ < open;
}

void PendingAction::tick(Instant now) {
  if (open_ == 0 || now < deadline_) return;
  if (problem_.empty()) problem_ = "no reply from the router: the result is unknown";
  open_ = 0;
}

std::string PendingAction::text() const {
  if (asked_ == 0) return {};
  if (open_ == asked_) return "request sent, waiting for the router";
  if (asked_ == 1 && done_ == 1 && !reached_.empty()) return printable(reached_);
  std::string text;
  if (asked_ > 1) text = fmt::format("{} of {} ", done_, asked_);
  if (done_ > 0) text += "done" + (reached_.empty() ? "" : ": " + printable(reached_));
  if (!problem_.empty()) {
    text += fmt::format("{}not done: {}", done_ > 0 ? "; " : "", printable(problem_));
  }
  return text;
}

}  // namespace drover::tui
