// The attempts of a job over time, from its reports and decisions: when it waited, was prepared,
// ran and paused, and how each attempt ended.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fleet/decision.h"
#include "tui/model/model.h"

namespace drover::tui {

enum class SpanKind : std::uint8_t {
  waiting,
  starting,  // it has a place, and has not begun
  placed,    // it had a place; whether it ran is not known
  running,
  paused,
  unknown,  // not reported here: it may have waited, run or paused
};
inline constexpr int span_kind_count = 6;

enum class MarkKind : std::uint8_t {
  checkpoint,
  requeued,  // preempted or drained
  lost,      // the attempt failed, or its host was lost
  finished,
  cancelled,
};
inline constexpr int mark_kind_count = 5;

struct AttemptSpan {
  SpanKind kind = SpanKind::waiting;
  Instant from{}, until{};
  bool operator==(const AttemptSpan&) const = default;
};

struct AttemptMark {
  MarkKind kind = MarkKind::checkpoint;
  Instant at{};
  bool operator==(const AttemptMark&) const = default;
};

struct AttemptLine {
  std::uint32_t attempt = 0;  // 0: it waits for one
  std::string target;
  std::vector<AttemptSpan> spans;  // in order of time; a later one stands over an earlier one
  std::vector<AttemptMark> marks;
};

struct AttemptTimeline {
  Instant begin{}, end{};
  std::vector<AttemptLine> lines;
};

/// `decisions`: those on the job, oldest first. `pause`: why it makes no progress now.
AttemptTimeline attempt_timeline(const JobRow& job, std::span<const Decision* const> decisions,
                                 Pause pause, Instant now);

/// The decisions on the job that the model has, oldest first.
std::vector<const Decision*> decisions_on(const Model& model, const JobId& job);

}  // namespace drover::tui
