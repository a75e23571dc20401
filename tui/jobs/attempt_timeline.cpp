#include "tui/jobs/attempt_timeline.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace drover::tui {
namespace {

struct KnownPause {
  std::optional<Instant> from;  // none: it was paused when it was first seen
  std::optional<Instant> until;
};

/// What is known of one attempt.
struct KnownAttempt {
  std::string target;
  std::optional<Instant> placed, ran, ended;
  std::optional<MarkKind> end;
  std::vector<KnownPause> pauses;
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
  if (!attempt.pauses.empty() && !attempt.pauses.back().until) attempt.pauses.back().until = at;
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
  const bool open = !attempt.pauses.empty() && !attempt.pauses.back().until;
  const bool pauses = phase.state == JobState::running && phase.pause != Pause::none;
  if (open && !pauses) close_pause(attempt, phase.at);
  if (open || !pauses) return;
  // The first report tells since when it runs, not since when it is paused.
  attempt.pauses.push_back({at > 0 ? std::optional(phase.at) : std::nullopt, std::nullopt});
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

/// What was before an attempt, and what came after it.
struct AttemptBounds {
  Instant from{}, until{};
  bool waited = false;  // from `from` on, it is known to have waited
  bool over = false;    // it has ended, whether or not its end was told
};

AttemptLine line_of(std::uint32_t number, const KnownAttempt& known, const AttemptBounds& bounds) {
  AttemptLine line{number, known.target, {}, {}};
  const auto add = [&](SpanKind kind, Instant from, Instant end) {
    if (end > from) line.spans.push_back({kind, from, end});
  };
  const Instant until = bounds.until;
  const bool begun = known.placed || known.ran;
  const Instant placed = known.placed.value_or(known.ran.value_or(until));
  add(begun && bounds.waited ? SpanKind::waiting : SpanKind::unknown, bounds.from,
      std::min(placed, until));
  if (known.ran) {
    add(SpanKind::starting, placed, std::min(*known.ran, until));
    add(SpanKind::running, std::max(*known.ran, placed), until);
  } else {
    add(bounds.over ? SpanKind::placed : SpanKind::starting, placed, until);
  }
  for (const KnownPause& pause : known.pauses) {
    const Instant end = pause.until.value_or(until);
    if (pause.from) {
      add(SpanKind::paused, *pause.from, end);
      continue;
    }
    add(SpanKind::unknown, known.ran.value_or(placed), end);
    line.spans.push_back({SpanKind::paused, end, end});
  }
  line.marks = known.checkpoints;
  if (known.end) line.marks.push_back({*known.end, *known.ended});
  return line;
}

/// Of an attempt whose end was not seen, the next one tells at least that it had ended.
Instant end_before(const KnownAttempt& next, Instant otherwise) {
  for (const std::optional<Instant>& moment : {next.placed, next.ran, next.ended}) {
    if (moment) return *moment;
  }
  return otherwise;
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
  Instant from = reported.submitted;
  std::uint32_t ended = 0;  // the last attempt whose end is known; 0: the job was submitted
  for (auto at = attempts.begin(); at != attempts.end(); ++at) {
    const auto& [number, known] = *at;
    const auto next = std::next(at);
    const bool last = next == attempts.end();
    Instant until = known.ended.value_or(timeline.end);
    if (!known.ended && !last) until = end_before(next->second, until);
    AttemptLine line =
        line_of(number, known, {from, until, ended + 1 == number, known.ended || !last});
    const bool pauses_now = last && reported.state == JobState::running && pause != Pause::none &&
                            reported.pause == Pause::none;
    if (pauses_now && !line.spans.empty() && line.spans.back().kind == SpanKind::running) {
      // Its replica does not say since when: the last moment is shown.
      line.spans.push_back({SpanKind::paused, until, until});
    }
    from = until;
    if (known.ended) ended = number;
    timeline.lines.push_back(std::move(line));
  }
  // One that is over after its last attempt waited for another.
  if (reported.state == JobState::queued || timeline.lines.empty() ||
      (is_terminal(reported.state) && timeline.end > from)) {
    AttemptLine line;
    if (timeline.end > from) line.spans.push_back({SpanKind::waiting, from, timeline.end});
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
