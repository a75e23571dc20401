#include "tests/simulator/waiting_watch.h"

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

std::string WaitingWatch::wrong_with(const JobChanged& shown, const WhyReply& why) const {
  if (!why.job || why.job->state != JobState::queued) return "";  // placed while it was asked about
  if (!why.problem.empty() || why.decisions.empty()) {
    return fmt::format("has no why: {}", why.problem);
  }
  const Decision& now = why.decisions.back();
  if (now.action == Action::assign) {
    return fmt::format("waits for {}, and {} would take it", name(shown.reason), now.target);
  }
  if (why.job->reason != now.fallback_reason) {
    return fmt::format("is said to wait for {}, and it is {}", name(why.job->reason),
                       name(now.fallback_reason));
  }
  if (shown.reason != why.job->reason) {
    return fmt::format("is shown to wait for {}, and `why` says {}", name(shown.reason),
                       name(why.job->reason));
  }
  return "";
}

void WaitingWatch::look(const std::map<JobId, JobChanged>& shown,
                        std::vector<std::string>& broken) {
  if (!world_.has_router()) return doubts_.clear();
  std::erase_if(doubts_, [&](const auto& doubt) {
    const auto found = shown.find(doubt.first);
    return found == shown.end() || found->second.state != JobState::queued;
  });
  std::vector<JobId> asked;
  for (const auto& [job, doubt] : doubts_) asked.push_back(job);
  auto next = shown.upper_bound(last_);
  for (std::size_t count = 0; count < shown.size() && asked.size() < asked_max; ++count, ++next) {
    if (next == shown.end()) next = shown.begin();
    last_ = next->first;
    if (next->second.state == JobState::queued && !doubts_.contains(last_)) asked.push_back(last_);
  }
  for (const JobId& job : asked) {
    ++asked_;
    const std::string what = wrong_with(shown.at(job), world_.why(job));
    Doubt& doubt = doubts_[job];
    if (what != doubt.what) doubt = {what, world_.now()};
    if (what.empty()) {
      doubts_.erase(job);
    } else if (world_.now() - doubt.since >= bound_) {
      broken.push_back(fmt::format("W: {} {}", to_text(job), what));
      doubt.since = world_.now();
    }
  }
}

}  // namespace drover::simulator
