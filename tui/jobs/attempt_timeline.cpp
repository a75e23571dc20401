#include "tui/jobs/attempt_timeline.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace drover::tui {
namespace {

/// What is known of one attempt.
struct KnownAttempt {
  std::string target;
  std::optional<Instant> placed, ran, ended;
  std::optional<MarkKind> end;
  std::vector<AttemptSpan> pauses;  // an open one ends with its begin
  std::vector<AttemptMark> checkpoints;
};
using KnownAttempts = std::map<std::uint32_t, KnownAttempt>;

bool is_checkpoint(const std::vector<JobPhase>& phases, std::size_t at) {
  return at > 0 && phases[at].steps_saved > phases[at - 1].steps_saved;
}

MarkKind end_of(JobState state) {
  if (state == JobState::finished) return MarkKind::finished;
  return state == JobState::cancelled ? MarkKind::cancelled : MarkKind::lost;
}

MarkKind end_of(const std::optional<Reason>& returned) {
  const bool sent_away = returned == Reason::preempted || returned == Reason::drain;
  return sent_away ? MarkKind::requeued : MarkKind::lost;
}

void close_pause(KnownAttempt& attempt, Instant at) {
  if (!attempt.pauses.empty() && attempt.pauses.back().from == attempt.pauses.back().until) {
    attempt.pauses.back().until = at;
  }
}

void end_attempt(KnownAttempt& attempt, Instant at, MarkKind end) {
  if (attempt.ended) return;
  attempt.ended = at;
  attempt.end = end;
  close_pause(attempt, at);
}

void take_placed(KnownAttempt& attempt, const std::vector<JobPhase>& phases, std::size_t at) {
  const JobPhase& phase = phases[at];
  if (!phase.target.empty()) attempt.target = phase.target;
  if (phase.state == JobState::leased && !attempt.placed) attempt.placed = phase.at;
  if (phase.state == JobState::running && !attempt.ran) attempt.ran = phase.at;
  if (is_checkpoint(phases, at)) attempt.checkpoints.push_back({MarkKind::checkpoint, phase.at});
  const bool open =
      !attempt.pauses.empty() && attempt.pauses.back().from == attempt.pauses.back().until;
  const bool pauses = phase.state == JobState::running && phase.pause != Pause::none;
  if (open && !pauses) close_pause(attempt, phase.at);
  if (!open && pauses) attempt.pauses.push_back({SpanKind::paused, phase.at, phase.at});
}

KnownAttempts attempts_of(const JobRow& job, std::span<const Decision* const> decisions) {
  KnownAttempts attempts;
  for (const Decision* const decision : decisions) {
    if (decision->action != Action::assign || decision->attempt == 0) continue;
    KnownAttempt& attempt = attempts[decision->attempt];
    attempt.placed = decision->at;
    attempt.target = decision->target;
  }
  const std::vector<JobPhase>& phases = job.phases;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const JobPhase& phase = phases[i];
    if (phase.attempt == 0) continue;
    KnownAttempt& attempt = attempts[phase.attempt];
    if (is_placed(phase.state)) {
      take_placed(attempt, phases, i);
    } else if (is_terminal(phase.state)) {
      if (!phase.target.empty()) attempt.target = phase.target;
      end_attempt(attempt, phase.at, end_of(phase.state));
    } else {
      end_attempt(attempt, phase.at, end_of(phase.returned));
    }
  }
  return attempts;
}

/// A result tells how long the last attempt took.
void add_known_run(KnownAttempts& attempts, const JobChanged& job) {
  if (attempts.empty() || job.outcome.run_s <= 0) return;
  KnownAttempt& last = attempts.rbegin()->second;
  if (last.ended && !last.ran) last.ran = *last.ended - from_seconds(job.outcome.run_s);
}

/// `over`: the attempt has ended, whether or not its end was told.
AttemptLine line_of(std::uint32_t number, const KnownAttempt& known, Instant waited_from,
                    Instant until, bool over) {
  AttemptLine line{number, known.target, {}, {}};
  const auto add = [&](SpanKind kind, Instant from, Instant end) {
    if (end > from) line.spans.push_back({kind, from, end});
  };
  const Instant placed = known.placed.value_or(known.ran.value_or(until));
  add(SpanKind::waiting, waited_from, std::min(placed, until));
  if (known.ran) {
    add(SpanKind::starting, placed, std::min(*known.ran, until));
    add(SpanKind::running, std::max(*known.ran, placed), until);
  } else {
    add(over ? SpanKind::placed : SpanKind::starting, placed, until);
  }
  for (const AttemptSpan& pause : known.pauses) {
    add(SpanKind::paused, pause.from, pause.from == pause.until ? until : pause.until);
  }
  line.marks = known.checkpoints;
  if (known.end) line.marks.push_back({*known.end, *known.ended});
  return line;
}

}  // namespace

AttemptTimeline attempt_timeline(const JobRow& job, std::span<const Decision* const> decisions,
                                 Pause pause, Instant now) {
  const JobChanged& reported = job.reported;
  KnownAttempts attempts = attempts_of(job, decisions);
  add_known_run(attempts, reported);
  AttemptTimeline timeline;
  timeline.begin = reported.submitted;
  timeline.end = is_terminal(reported.state) ? reported.since : std::max(now, reported.since);
  Instant waited_from = reported.submitted;
  for (auto at = attempts.begin(); at != attempts.end(); ++at) {
    KnownAttempt& known = at->second;
    const auto next = std::next(at);
    const bool pauses_now = next == attempts.end() && reported.state == JobState::running &&
                            pause != Pause::none && reported.pause == Pause::none;
    // Of an attempt whose end was not seen, the next one tells at least that it had ended.
    Instant until = known.ended.value_or(timeline.end);
    if (!known.ended && next != attempts.end()) until = next->second.placed.value_or(until);
    AttemptLine line = line_of(at->first, known, waited_from, until,
                               known.ended.has_value() || next != attempts.end());
    if (pauses_now && !line.spans.empty() && line.spans.back().kind == SpanKind::running) {
      // Its replica does not say since when: the last moment is shown.
      line.spans.push_back({SpanKind::paused, until, until});
    }
    waited_from = until;
    timeline.lines.push_back(std::move(line));
  }
  if (reported.state == JobState::queued || timeline.lines.empty()) {
    AttemptLine line;
    if (timeline.end > waited_from) {
      line.spans.push_back({SpanKind::waiting, waited_from, timeline.end});
    }
    if (is_terminal(reported.state)) line.marks.push_back({end_of(reported.state), timeline.end});
    timeline.lines.push_back(std::move(line));
  }
  return timeline;
}

std::vector<const Decision*> decisions_on(const Model& model, const JobId& job) {
  std::vector<const Decision*> found;
  for (const Decision& decision : model.decisions()) {
    if (decision.job == job) found.push_back(&decision);
  }
  return found;
}

}  // namespace drover::tui
