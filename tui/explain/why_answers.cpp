#include "tui/explain/why_answers.h"

#include <algorithm>

#include <fmt/format.h>

#include "fleet/base/text.h"

namespace drover::tui {
namespace {

// Wall seconds between two questions about one job.
constexpr int changed_every_s = 2;   // whose state changes
constexpr int waiting_every_s = 10;  // that waits: a question costs a few dozen decisions
constexpr int unanswered_s = 10;     // after which a question counts as lost

bool is_due(const WhyAnswers::Answer& answer, const WhySubject& subject, Instant now,
            Duration wall) {
  if (answer.asked == Instant::min()) return true;
  const Duration since = now - answer.asked;
  if (answer.open) return since >= unanswered_s * wall;
  if (answer.state != subject.state) return since >= changed_every_s * wall;
  return subject.waits && since >= waiting_every_s * wall;
}

}  // namespace

std::optional<JobId> job_named(const Model& model, std::string_view digits) {
  if (const auto whole = parse_job_id(digits)) {
    return model.jobs().contains(*whole) ? std::optional(*whole) : std::nullopt;
  }
  std::optional<JobId> found;
  for (const auto& [id, row] : model.jobs()) {
    if (!to_text(id).starts_with(digits)) continue;
    if (found) return std::nullopt;
    found = id;
  }
  return found;
}

WhySubject why_subject(const Model& model, const std::string& job) {
  WhySubject subject{job, {}, false};
  const auto id = job_named(model, job);
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
  const auto id = job_named(model, job);
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
  std::vector<WhyRequest> due;
  for (const WhySubject& subject : subjects) {
    Answer& answer = answers_[subject.job];
    if (!is_due(answer, subject, now, wall)) continue;
    if (answer.open) std::erase(asked_, subject.job);
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
  const auto* const reply = std::get_if<WhyReply>(&body);
  const auto* const refusal = std::get_if<RequestError>(&body);
  if (asked_.empty() || (reply == nullptr && refusal == nullptr)) return false;
  auto question = asked_.begin();
  if (reply != nullptr && reply->job) {
    const std::string id = to_text(reply->job->job.id);
    question =
        std::ranges::find_if(asked_, [&](const std::string& job) { return id.starts_with(job); });
    if (question == asked_.end()) return true;  // it has been asked again, or is no longer shown
  }
  Answer& answer = answers_[*question];
  asked_.erase(question);
  answer.open = false;
  answer.at = now;
  answer.reply = reply != nullptr ? *reply : WhyReply{};
  if (refusal != nullptr) answer.reply.problem = refusal->what;
  ++revision_;
  return true;
}

const WhyAnswers::Answer* WhyAnswers::find(const std::string& job) const {
  const auto found = answers_.find(job);
  return found == answers_.end() ? nullptr : &found->second;
}

void WhyAnswers::forget_questions() {
  for (const std::string& job : asked_) {
    answers_[job].open = false;
    answers_[job].asked = Instant::min();
  }
  asked_.clear();
}

}  // namespace drover::tui
