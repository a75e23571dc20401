#include "tests/simulator/queue_invariants.h"

#include <cstddef>

#include <fmt/format.h>

namespace drover::simulator {
namespace {

/// Asking is as dear as deciding: so many at one look, one after the other.
constexpr std::size_t asked_max = 6;

std::string name(const std::optional<Reason>& reason) {
  return reason ? std::string(to_text(*reason)) : "nothing";
}

}  // namespace

std::map<std::string, TransientViolation> QueueInvariants::wrong_with(const JobChanged& shown,
                                                                      const WhyReply& why) const {
  std::map<std::string, TransientViolation> wrong;
  if (!why.job || why.job->state != JobState::queued) return wrong;  // placed meanwhile
  const auto doubt = [&](std::string_view what, std::string details) {
    wrong[fmt::format("W: {} {}", to_text(why.job->job.id), what)] = {bound_, std::move(details)};
  };
  if (!why.problem.empty() || why.decisions.empty()) {
    doubt("has no why", why.problem);
    return wrong;
  }
  const Decision& now = why.decisions.back();
  if (now.action == Action::assign) {
    doubt("waits, and a place would take it", name(shown.reason) + ": " + now.target);
  } else if (why.job->reason != now.fallback_reason) {
    doubt("is said to wait for what it does not wait for",
          name(why.job->reason) + ", not " + name(now.fallback_reason));
  } else if (shown.reason != why.job->reason) {
    doubt("is shown to wait for something else than `why` says",
          name(shown.reason) + ", not " + name(why.job->reason));
  }
  if (truth_) truth_->judge(why, wrong);
  return wrong;
}

void QueueInvariants::look(const std::map<JobId, JobChanged>& shown,
                           std::vector<std::string>& broken) {
  if (!world_.has_router() || world_.router_incarnation() != life_) {
    life_ = world_.router_incarnation();
    return transients_.clear();
  }
  if (truth_) truth_->look();
  std::erase_if(transients_, [&](const auto& doubt) {
    const auto found = shown.find(doubt.first);
    return found == shown.end() || found->second.state != JobState::queued;
  });
  std::vector<JobId> asked;
  for (const auto& [job, doubts] : transients_) asked.push_back(job);
  auto next = shown.upper_bound(last_);
  const std::size_t most = asked.size() + asked_max;
  for (std::size_t count = 0; count < shown.size() && asked.size() < most; ++count, ++next) {
    if (next == shown.end()) next = shown.begin();
    last_ = next->first;
    if (next->second.state == JobState::queued && !transients_.contains(last_))
      asked.push_back(last_);
  }
  for (const JobId& job : asked) {
    ++asked_;
    const auto wrong = wrong_with(shown.at(job), world_.why(job));
    if (wrong.empty()) {
      transients_.erase(job);
    } else {
      transients_[job].match(world_.now(), wrong, broken);
    }
  }
}

}  // namespace drover::simulator
