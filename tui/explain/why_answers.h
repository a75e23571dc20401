// What a dashboard asks its router about jobs, and the answers.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "tui/model/model.h"

namespace drover::tui {

/// A job that is explained, and what of it is shown elsewhere: if that changes, so does the
/// explanation.
struct WhySubject {
  std::string job;  // its id, or its first digits
  std::string state;
  bool waits = false;  // then the explanation also changes with the fleet
};

/// `job`: an id or its first digits.
WhySubject why_subject(const Model& model, const std::string& job);

/// What the model knows itself: the job, and its decisions among the last ones. Without candidates
/// and suggested changes.
WhyReply known_why(const Model& model, const std::string& job);

/// Kept explanations at most; nobody reads more at once.
inline constexpr std::size_t why_answers_max = 8;

class WhyAnswers {
 public:
  struct Answer {
    WhyReply reply;
    Instant at = Instant::min();     // when it came; min: not yet
    Instant asked = Instant::min();  // last
    std::string state;               // of the subject when it was asked
    bool open = false;               // a question is not answered yet
    bool postponed = false;          // the router did not answer it, and may do so later
  };

  /// The questions that are due: of new subjects, of changed ones, and of waiting jobs now and
  /// then. Questions that the router postpones or that stay unanswered are asked again. `wall`: one
  /// wall second in fleet time.
  std::vector<WhyRequest> follow(Instant now, Duration wall, std::span<const WhySubject> subjects);
  /// Whether the message answers or refuses a question. A refusal does not name what it refuses, so
  /// it is of the question that is open for the longest time.
  bool receive(Instant now, const Message& body);
  /// Null if the router has not been asked.
  const Answer* find(const std::string& job) const;
  /// Grows with all that changes what is known of the answers.
  std::uint64_t revision() const { return revision_; }
  bool connected() const { return connected_; }
  /// What was asked through another connection is not answered.
  void set_connected(bool connected);

 private:
  void forget_lost(Instant now);
  bool take_reply(Instant now, const WhyReply& reply);
  bool take_refusal(Instant now, const RequestError& refusal);
  Answer& close(const std::string& job);

  std::map<std::string, Answer> answers_;
  std::deque<std::string> asked_;  // in order: the router answers in order
  std::uint64_t revision_ = 0;
  Duration lost_after_{};  // when a question counts as lost
  bool connected_ = true;
};

}  // namespace drover::tui
