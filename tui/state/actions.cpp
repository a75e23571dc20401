#include "tui/state/actions.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fleet/action_span.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/target.h"
#include "tui/tables/device_facts.h"

namespace drover::tui {
namespace {

constexpr std::size_t named_most = 4;  // targets in a sentence; of the others the number
constexpr ActionSpan inject_lasts{std::chrono::seconds(60)};  // as `drover inject` has it

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::string& word : split(trimmed(text), ' ')) {
    if (!word.empty()) words.push_back(std::move(word));
  }
  return words;
}

std::string joined_names(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), named_most); ++i) {
    text += (i > 0 ? ", " : "") + printable(names[i]);
  }
  if (names.size() > named_most) text += fmt::format(" and {} more", names.size() - named_most);
  return text;
}

/// What is tagged, else what is selected; on the data plane the host.
std::vector<std::string> chosen_targets(const Choices& choices) {
  std::vector<std::string> targets;
  for (const DeviceId& device : choices.tagged_devices) targets.push_back(to_text(device));
  if (!targets.empty()) return targets;
  if (choices.view == View::data_plane && choices.hosts.chosen) {
    return {"host:" + *choices.hosts.chosen};
  }
  if (choices.device) targets.push_back(to_text(*choices.device));
  return targets;
}

Result<std::vector<Target>> targets_of(const Choices& choices, std::vector<std::string> names) {
  std::vector<Target> targets;
  if (names.empty()) names = chosen_targets(choices);
  if (names.empty())
    return error("nothing is selected: name a target, such as gpu-a/3 or host:gpu-a");
  for (const std::string& name : names) {
    const auto target = parse_target(name);
    if (!target) return target.error();
    targets.push_back(*target);
  }
  return targets;
}

bool reaches(const Model& model, const Target& target, DeviceTable::Row row) {
  const Hello& hello = model.host_of(row).said.hello;
  switch (target.kind) {
    case TargetKind::device:
      return hello.host == target.name && model.devices().index(row) == target.device;
    case TargetKind::host:
      return hello.host == target.name;
    case TargetKind::rack:
      return hello.rack == target.name;
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
  double runs = 0;  // requests and trainings, as last reported
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
  return fmt::format("{} ({}, {:.0f} running there)", joined_names(reach.names),
                     counted(reach.devices, "device"), reach.runs);
}

/// Takes "for 30s" or "for 10m fleet" from the end of the words; answers fleet time.
Result<Duration> take_span(std::vector<std::string>& words, std::string_view before, double speed,
                           const ActionSpan& otherwise) {
  const auto at = std::find(words.rbegin(), words.rend(), before);
  if (at == words.rend() || at == words.rbegin()) return otherwise.in_fleet_time(speed);
  const auto first = static_cast<std::size_t>(words.rend() - at);
  const auto span = parse_action_span(
      fmt::format("{}",
                  fmt::join(words.begin() + static_cast<std::ptrdiff_t>(first), words.end(), " ")),
      before);
  if (!span) return span.error();
  words.resize(first - 1);
  return span->in_fleet_time(speed);
}

/// Takes the word from the end, if it stands there.
bool take_word(std::vector<std::string>& words, std::string_view word) {
  if (words.empty() || words.back() != word) return false;
  words.pop_back();
  return true;
}

}  // namespace

Result<Action> drain_action(const Model& model, const Choices& choices, double speed,
                            std::string_view text, bool drained) {
  std::vector<std::string> words = words_of(text);
  const auto within = take_span(words, "within", speed, {});
  if (!within) return within.error();
  if (!drained && *within > Duration{0}) return error("expected targets; to resume takes no time");
  const auto targets = targets_of(choices, std::move(words));
  if (!targets) return targets.error();
  Action action;
  const std::string reach = reach_text(reach_of(model, *targets));
  const std::string then =
      *within > Duration{0}
          ? fmt::format("after {} what still runs goes elsewhere", span_words(*within, speed))
          : "what runs ends by itself";
  action.question = drained ? fmt::format("Drain {}: no new work comes there, {}", reach, then)
                            : fmt::format("Resume {}: new work may come there again", reach);
  for (const Target& one : *targets) {
    action.requests.push_back(SetDrain{to_text(one), drained, *within});
  }
  return action;
}

Result<Action> cap_action(const Model& model, double speed, std::string_view text) {
  std::vector<std::string> words = words_of(text);
  SetPowerCap cap;
  cap.confirmed = take_word(words, "anyway");
  const auto lasts = take_span(words, "for", speed, {});
  if (!lasts) return lasts.error();
  cap.admission_only = take_word(words, "admission-only");
  if (words.size() != 2)
    return error("expected a target and watts: site 20kW, pool:h100 4.5kW for 10m, site none");
  cap.target = words[0];
  cap.lasts = *lasts;
  const auto target = parse_target(words[0]);
  if (!target) return target.error();
  if (target->kind != TargetKind::site && target->kind != TargetKind::pool) {
    return error("found '{}', expected site or pool:NAME", excerpt(words[0]));
  }
  const std::string reach = reach_text(reach_of(model, {*target}));
  Action action;
  if (words[1] == "none") {
    action.question = fmt::format("Give {} the policy's own power limit back", reach);
  } else {
    const auto watts = parse_power(words[1], "watts");
    if (!watts) return watts.error();
    if (*watts <= 0) return error("found {}, expected more than 0 watts, or none", *watts);
    cap.watts = *watts;
    action.question = fmt::format(
        "Cap {} at {}{}: new work that would break it waits or falls back, {}", reach,
        watts_text(*watts), cap.lasts > Duration{0} ? " for " + span_words(cap.lasts, speed) : "",
        cap.admission_only ? "what runs goes on as it is" : "devices slow down as far as it takes");
  }
  action.requests.push_back(cap);
  return action;
}

Result<Action> cancel_action(const Model& model, const Choices& choices, std::string_view jobs) {
  CancelJobs cancel;
  cancel.jobs = words_of(jobs);
  if (cancel.jobs.empty()) {
    for (const JobId& job : choices.tagged_jobs) cancel.jobs.push_back(to_text(job));
  }
  if (cancel.jobs.empty() && choices.jobs.chosen) {
    cancel.jobs.push_back(to_text(*choices.jobs.chosen));
  }
  if (cancel.jobs.empty())
    return error("no job is selected: name one by the first digits of its id");
  if (cancel.jobs.size() > cancel_jobs_max) {
    return error("found {} jobs, expected at most {} at once", cancel.jobs.size(), cancel_jobs_max);
  }
  std::vector<std::string> names;
  for (const std::string& job : cancel.jobs) {
    const auto id = parse_job_id(job);
    const auto known = id ? model.jobs().find(*id) : model.jobs().end();
    names.push_back(known == model.jobs().end() ? job
                                                : fmt::format("{} ({} {})", to_short_text(*id),
                                                              to_text(known->second.said.state),
                                                              known->second.said.job.work.model));
  }
  Action action;
  action.question = fmt::format("Cancel {}: it ends as cancelled, and what it has done is lost",
                                joined_names(names));
  action.requests.push_back(std::move(cancel));
  return action;
}

Result<Action> inject_action(const Model& model, const Choices& choices, double speed,
                             std::string_view text) {
  std::vector<std::string> words = words_of(text);
  const auto lasts = take_span(words, "for", speed, inject_lasts);
  if (!lasts) return lasts.error();
  if (words.empty())
    return error(
        "expected a fault: throttle=0.5, hang, xid=79, ecc, lose, slow-link=0.1, inlet=+10C");
  std::string said = words.back();
  words.pop_back();
  if ((said == "fleet" || said == "wall") && !words.empty()) {
    said = words.back() + " " + said;
    words.pop_back();
  }
  const auto spoken = parse_spoken_fault(said);
  if (!spoken) return spoken.error();
  const Fault fault = spoken->in_fleet_time(speed);
  const auto targets = targets_of(choices, std::move(words));
  if (!targets) return targets.error();
  Action action;
  action.question = fmt::format("Inject {} into {} for {}", to_text(fault),
                                reach_text(reach_of(model, *targets)), span_words(*lasts, speed));
  for (const Target& one : *targets) {
    Inject inject{to_text(one), fault, 0, 1};
    inject.fault.lasts = *lasts;
    action.requests.push_back(std::move(inject));
  }
  return action;
}

Result<Action> acknowledge_action(const Model& model, const Choices& choices,
                                  std::string_view text) {
  std::vector<std::string> words = words_of(text);
  if (words.size() > 2) return error("expected a rule and perhaps its subject, or all");
  AcknowledgeAlert request;
  if (words.empty()) {
    const News* const news = chosen_news(choices.news);
    if (news == nullptr || news->rule.empty() || news->kind == NewsKind::rule) {
      return error("no alert is selected: name its rule, such as hot, or all");
    }
    request = {news->rule, news->subject};
  } else if (words[0] != "all") {
    request.rule = words[0];
    if (words.size() == 2) request.subject = words[1];
  }
  std::vector<std::string> names;
  for (const News& news : raised_alerts(model)) {
    if (!news.seen_by.empty() || (!request.rule.empty() && news.rule != request.rule) ||
        (!request.subject.empty() && news.subject != request.subject)) {
      continue;
    }
    names.push_back(fmt::format("{} of {}", news.rule, news.subject));
  }
  if (names.empty()) return error("nothing of the kind is raised that nobody has acknowledged");
  Action action;
  action.question =
      fmt::format("Acknowledge {}: everybody sees that you have seen it, until it is over",
                  joined_names(names));
  action.requests.push_back(std::move(request));
  return action;
}

Result<Action> policy_action(std::string_view file) {
  Action action;
  action.policy_file = std::string(trimmed(file));
  if (action.policy_file.empty()) return error("expected the policy's file: policy FILE.toml");
  action.question = fmt::format("Apply the policy in {}: every decision from then on follows it",
                                printable(action.policy_file));
  return action;
}

void AskedAction::ask(Instant now, std::size_t requests, Duration patience) {
  *this = AskedAction{};
  asked_ = open_ = requests;
  deadline_ = saturating_add(now, patience);
}

void AskedAction::settle(bool done, const std::string& what) {
  --open_;
  if (done) ++done_;
  std::string& told = done ? reached_ : problem_;
  if (told.empty()) told = what;
}

bool AskedAction::receive(const Message& body) {
  if (open_ == 0) return false;  // nobody waits
  if (const auto* reply = std::get_if<ActionReply>(&body)) {
    const std::string done = reply->summary.empty() ? joined_names(reply->targets) : reply->summary;
    const std::string_view way = reply->confirm ? "; end the line with 'anyway' to do it" : "";
    settle(reply->applied, reply->applied ? done : fmt::format("{}{}", reply->problem, way));
  } else if (const auto* cancelled = std::get_if<CancelReply>(&body)) {
    std::vector<std::string> results;
    for (const CancelResult& result : cancelled->results) {
      results.push_back(fmt::format("{} {}", result.asked.substr(0, 8), to_text(result.status)));
    }
    const std::string done =
        cancelled->summary.empty() ? joined_names(results) : cancelled->summary;
    settle(cancelled->problem.empty(), cancelled->problem.empty() ? done : cancelled->problem);
  } else if (const auto* problem = std::get_if<Problem>(&body)) {
    settle(false, problem->what);
  } else {
    return false;
  }
  return true;
}

void AskedAction::tick(Instant now) {
  if (open_ == 0 || now < deadline_) return;
  if (problem_.empty()) problem_ = "the router did not answer: whether it was done is not known";
  open_ = 0;
}

std::string AskedAction::text() const {
  if (asked_ == 0) return {};
  if (open_ == asked_) return "asked the router";
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
