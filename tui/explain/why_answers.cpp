#include "tui/explain/why_answers.h"

#include <algorithm>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "tui/tables/device_queries.h"

namespace drover::tui {
namespace {

// Wall seconds between two questions about one job.
constexpr int changed_every_s = 2;   // whose state changes, or that the router postponed
constexpr int waiting_every_s = 10;  // that waits: a question costs a few dozen decisions
constexpr int unanswered_s = 10;     // after which a question counts as lost

bool is_due(const WhyAnswers::Answer& answer, const WhySubject& subject, Instant now,
            Duration wall) {
  if (answer.open) return false;
  if (answer.asked == Instant::min()) return true;
  const Duration since = now - answer.asked;
  if (answer.postponed || answer.state != subject.state) return since >= changed_every_s * wall;
  return subject.waits && since >= waiting_every_s * wall;
}

}  // namespace

WhySubject why_subject(const Model& model, const std::string& job) {
  WhySubject subject{job, {}, false};
  const auto id = find_job(model, job, 1);
  if (!id) return subject;
  const JobChanged& reported = model.jobs().at(*id).reported;
  std::uint64_t decision = 0;
  for (const Decision& one : model.decisions()) {
    if (one.job == *id) decision = one.number;
  }
  subject.job = to_text(*id);
  subject.waits = reported.state == JobState::queued;
  subject.state = fmt::format("{} {} {} {}", to_text(reported.state), reported.attempt, decision,
                              reported.reason ? to_text(*reported.reason) : std::string_view());
  return subject;
}

WhyReply known_why(const Model& model, const std::string& job) {
  WhyReply known;
  const auto id = find_job(model, job, 1);
  if (!id) {
    known.problem = fmt::format("no job {} is known at this moment", excerpt(job));
    return known;
  }
  known.job = model.jobs().at(*id).reported;
  for (const Decision& decision : model.decisions()) {
    if (decision.job == *id) known.decisions.push_back(decision);
  }
  return known;
}

std::vector<WhyRequest> WhyAnswers::follow(Instant now, Duration wall,
                                           std::span<const WhySubject> subjects) {
  lost_after_ = unanswered_s * wall;
  forget_lost(now);
  std::vector<WhyRequest> due;
  for (const WhySubject& subject : subjects) {
    Answer& answer = answers_[subject.job];
    if (!is_due(answer, subject, now, wall)) continue;
    answer.asked = now;
    answer.state = subject.state;
    answer.open = true;
    asked_.push_back(subject.job);
    due.push_back({subject.job});
  }
  while (answers_.size() > why_answers_max) {
    const auto oldest =
        std::ranges::min_element(answers_, {}, [](const auto& row) { return row.second.asked; });
    std::erase(asked_, oldest->first);
    answers_.erase(oldest);
  }
  return due;
}

bool WhyAnswers::receive(Instant now, const Message& body) {
  forget_lost(now);
  if (const auto* const reply = std::get_if<WhyReply>(&body)) return take_reply(now, *reply);
  if (const auto* const refusal = std::get_if<RequestError>(&body)) {
    return take_refusal(now, *refusal);
  }
  return false;
}

bool WhyAnswers::take_reply(Instant now, const WhyReply& reply) {
  const auto is_about = [&](const std::string& job) {
    return !reply.job || to_text(reply.job->job.id).starts_with(job);
  };
  std::string job;
  if (const auto open = std::ranges::find_if(asked_, is_about); open != asked_.end()) {
    job = *open;
  } else if (reply.job) {
    // A late answer, or one to a question that seemed to be refused.
    const auto known =
        std::ranges::find_if(answers_, [&](const auto& row) { return is_about(row.first); });
    if (known == answers_.end()) return false;
    job = known->first;
  } else {
    return false;
  }
  Answer& answer = close(job);
  answer.at = now;
  answer.reply = reply;
  return true;
}

bool WhyAnswers::take_refusal(Instant now, const RequestError& refusal) {
  if (asked_.empty()) return false;
  const std::string job = asked_.front();
  Answer& answer = close(job);
  if (refusal.retryable) {
    answer.postponed = true;
    return true;
  }
  answer.at = now;
  answer.reply = {};
  answer.reply.problem = refusal.what;
  return true;
}

WhyAnswers::Answer& WhyAnswers::close(const std::string& job) {
  if (const auto question = std::ranges::find(asked_, job); question != asked_.end()) {
    asked_.erase(question);
  }
  Answer& answer = answers_[job];
  answer.open = answer.postponed = false;
  ++revision_;
  return answer;
}

const WhyAnswers::Answer* WhyAnswers::find(const std::string& job) const {
  const auto found = answers_.find(job);
  return found == answers_.end() ? nullptr : &found->second;
}

void WhyAnswers::forget_lost(Instant now) {
  std::erase_if(asked_, [&](const std::string& job) {
    Answer& answer = answers_[job];
    if (now - answer.asked < lost_after_) return false;
    answer.open = false;
    answer.asked = Instant::min();
    return true;
  });
}

void WhyAnswers::set_connected(bool connected) {
  if (connected_ == connected) return;
  connected_ = connected;
  for (const std::string& job : asked_) {
    answers_[job].open = false;
    answers_[job].asked = Instant::min();
  }
  asked_.clear();
  ++revision_;
}

}  // namespace drover::tui
