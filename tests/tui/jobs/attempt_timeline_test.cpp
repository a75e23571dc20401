// The attempts of a job over time, from what its reports and decisions said.
#include "tui/jobs/attempt_timeline.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tui/jobs/attempt_chart.h"

namespace drover::tui {
namespace {

using std::chrono::hours, std::chrono::minutes, std::chrono::seconds;

constexpr Instant job_begin{hours(10)};

Instant at_second(int second) { return job_begin + seconds(second); }

/// A job whose reports are told one after the other.
class ToldJob {
 public:
  ToldJob() {
    reported_.job.id = {7, 7};
    reported_.submitted = at_second(0);
  }

  ToldJob& queued(int second, std::uint32_t attempt = 0, std::string returned = "") {
    reported_.target.clear();
    reported_.returned = std::move(returned);
    return say(second, JobState::queued, attempt);
  }
  ToldJob& leased(int second, std::uint32_t attempt, const std::string& target) {
    reported_.target = target;
    return say(second, JobState::leased, attempt);
  }
  ToldJob& running(int second, std::uint32_t attempt) {
    return say(second, JobState::running, attempt);
  }
  ToldJob& ended(int second, JobState state) { return say(second, state, reported_.attempt); }
  ToldJob& pauses(int second, Pause pause) {
    reported_.pause = pause;
    return tell(second);
  }
  ToldJob& saves(int second, std::uint32_t steps) {
    reported_.steps_saved = steps;
    return tell(second);
  }
  /// On "a/0".
  ToldJob& seen(int second, JobState state, std::uint32_t attempt, Pause pause) {
    reported_.target = "a/0";
    reported_.pause = pause;
    return say(second, state, attempt);
  }
  const JobRow& row() const { return row_; }

 private:
  ToldJob& say(int second, JobState state, std::uint32_t attempt) {
    reported_.state = state;
    reported_.attempt = attempt;
    reported_.since = at_second(second);
    return tell(second);
  }
  ToldJob& tell(int second) {
    add_phase(row_.phases, at_second(second), reported_);
    row_.reported = reported_;
    return *this;
  }
  JobChanged reported_;
  JobRow row_;
};

/// "waiting 0-10 running 10-40 finished@40": in seconds since the job_begin.
std::string attempt_text(const AttemptLine& line) {
  static constexpr const char* span_names[] = {"waiting", "starting", "placed",
                                               "running", "paused",   "unknown"};
  static constexpr const char* mark_names[] = {"checkpoint", "requeued", "lost", "finished",
                                               "cancelled"};
  std::string text = fmt::format("{} {}:", line.attempt, line.target);
  const auto second = [](Instant moment) { return (moment - job_begin) / seconds(1); };
  for (const AttemptSpan& span : line.spans) {
    text += fmt::format(" {} {}-{}", span_names[static_cast<std::size_t>(span.kind)],
                        second(span.from), second(span.until));
  }
  for (const AttemptMark& mark : line.marks) {
    text += fmt::format(" {}@{}", mark_names[static_cast<std::size_t>(mark.kind)], second(mark.at));
  }
  return text;
}

std::vector<std::string> attempt_texts(const AttemptTimeline& timeline) {
  std::vector<std::string> texts;
  for (const AttemptLine& line : timeline.lines) texts.push_back(attempt_text(line));
  return texts;
}

TEST(AttemptTimeline, HasASpanForEachThingThatTheReportsTell) {
  struct Case {
    const char* about;
    ToldJob job;
    std::vector<std::string> lines;
  };
  const std::vector<Case> cases = {
      {"it waits", ToldJob().queued(0), {"0 : waiting 0-100"}},
      {"it starts",
       ToldJob().queued(0).leased(30, 1, "a/0-3"),
       {"1 a/0-3: waiting 0-30 starting 30-100"}},
      {"it runs, pauses and saves",
       ToldJob()
           .queued(0)
           .leased(10, 1, "a/0-3")
           .running(15, 1)
           .pauses(40, Pause::peer)
           .pauses(50, Pause::none)
           .saves(60, 100),
       {"1 a/0-3: waiting 0-10 starting 10-15 running 15-100 paused 40-50 checkpoint@60"}},
      {"it pauses now",
       ToldJob().leased(10, 1, "a/0-3").running(10, 1).pauses(70, Pause::peer),
       {"1 a/0-3: waiting 0-10 running 10-100 paused 70-100"}},
      {"it was preempted and runs again",
       ToldJob()
           .leased(5, 1, "a/0")
           .running(5, 1)
           .queued(20, 1, "attempt 1 was requeued at 10:00:20 (preempted: for 3fa1c2d4)")
           .leased(60, 2, "b/0")
           .running(61, 2),
       {"1 a/0: waiting 0-5 running 5-20 requeued@20",
        "2 b/0: waiting 20-60 starting 60-61 running 61-100"}},
      {"its host was lost, and it waits",
       ToldJob()
           .leased(5, 1, "a/0")
           .running(5, 1)
           .queued(20, 1, "attempt 1 was requeued at 10:00:20 (unhealthy)"),
       {"1 a/0: waiting 0-5 running 5-20 lost@20", "0 : waiting 20-100"}},
      {"it is done",
       ToldJob().leased(5, 1, "a/r0").running(6, 1).ended(90, JobState::finished),
       {"1 a/r0: waiting 0-5 starting 5-6 running 6-90 finished@90"}},
      {"it was cancelled before it had a place",
       ToldJob().queued(0).ended(9, JobState::cancelled),
       {"0 : waiting 0-9 cancelled@9"}},
      {"it was cancelled while it waited for a second attempt",
       ToldJob()
           .leased(5, 1, "a/0")
           .running(5, 1)
           .queued(20, 1, "attempt 1 was requeued at 10:00:20 (preempted: for 3fa1c2d4)")
           .ended(40, JobState::cancelled),
       {"1 a/0: waiting 0-5 running 5-20 requeued@20", "0 : waiting 20-40 cancelled@40"}},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(attempt_texts(attempt_timeline(one.job.row(), {}, Pause::none, at_second(100))),
              one.lines)
        << one.about;
  }
}

TEST(AttemptTimeline, TakesEarlierAttemptsFromDecisions) {
  Decision first, second;
  first.action = second.action = Action::assign;
  first.attempt = 1;
  second.attempt = 2;
  first.at = at_second(10);
  second.at = at_second(50);
  first.target = "a/0";
  second.target = "b/0";
  const std::vector<const Decision*> decisions = {&first, &second};
  ToldJob job;
  job.leased(50, 2, "b/0").running(52, 2);
  EXPECT_EQ(attempt_texts(attempt_timeline(job.row(), decisions, Pause::none, at_second(100))),
            (std::vector<std::string>{"1 a/0: waiting 0-10 placed 10-50",
                                      "2 b/0: starting 50-52 running 52-100"}));
}

/// A job of which nothing was seen before `second`.
ToldJob first_seen(int second, JobState state, std::uint32_t attempt, Pause pause = Pause::none) {
  return ToldJob().seen(second, state, attempt, pause);
}

TEST(AttemptTimeline, WhatWasBeforeTheFirstReportIsNotKnown) {
  struct Case {
    const char* about;
    ToldJob job;
    std::vector<std::string> lines;
  };
  const std::vector<Case> cases = {
      {"its first attempt runs",
       first_seen(10, JobState::running, 1),
       {"1 a/0: waiting 0-10 running 10-100"}},
      {"its third attempt runs",
       first_seen(10, JobState::running, 3),
       {"3 a/0: unknown 0-10 running 10-100"}},
      {"it is paused, nobody knows since when",
       first_seen(10, JobState::running, 1, Pause::peer),
       {"1 a/0: waiting 0-10 running 10-100 unknown 10-100 paused 100-100"}},
      {"that pause ends, and another begins",
       first_seen(10, JobState::running, 1, Pause::peer)
           .pauses(40, Pause::none)
           .pauses(60, Pause::peer)
           .pauses(70, Pause::none),
       {"1 a/0: waiting 0-10 running 10-100 unknown 10-40 paused 40-40 paused 60-70"}},
      {"it has failed", first_seen(50, JobState::failed, 1), {"1 a/0: unknown 0-50 lost@50"}},
      {"its second attempt was lost, and it waits",
       ToldJob().queued(20, 2, "attempt 2 was requeued at 10:00:20 (unhealthy)"),
       {"2 : unknown 0-20 lost@20", "0 : waiting 20-100"}},
      {"an attempt between two that were seen",
       first_seen(10, JobState::running, 1).leased(60, 3, "b/0").running(61, 3),
       {"1 a/0: waiting 0-10 running 10-60", "3 b/0: starting 60-61 running 61-100"}},
      {"the next attempt was seen only when it ran",
       first_seen(10, JobState::running, 1).running(60, 2),
       {"1 a/0: waiting 0-10 running 10-60", "2 a/0: running 60-100"}},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(attempt_texts(attempt_timeline(one.job.row(), {}, Pause::none, at_second(100))),
              one.lines)
        << one.about;
  }
}

TEST(AttemptTimeline, AResultTellsHowLongItRan) {
  ToldJob job;
  job.leased(0, 1, "a/r0").ended(20, JobState::finished);
  JobRow row = job.row();
  row.reported.outcome.run_s = 5;
  row.phases.erase(row.phases.begin());  // this dashboard began later
  row.phases.front().target = "a/r0";
  EXPECT_EQ(attempt_texts(attempt_timeline(row, {}, Pause::none, at_second(100))),
            std::vector<std::string>{"1 a/r0: waiting 0-15 running 15-20 finished@20"});
}

TEST(AttemptTimeline, KeepsABoundedNumberOfPhases) {
  ToldJob job;
  job.leased(0, 1, "a/0").running(1, 1);
  for (std::uint32_t save = 1; save < 500; ++save) job.saves(static_cast<int>(save), save);
  EXPECT_EQ(job.row().phases.size(), job_phases_max);
  EXPECT_EQ(job.row().phases.front().state, JobState::leased) << "the begin stays";
}

TEST(AttemptChart, NamesOnlyTheSignsThatItHas) {
  ToldJob job;
  job.queued(20, 2, "attempt 2 was requeued at 10:00:20 (drain)")
      .leased(60, 3, "b/0")
      .ended(80, JobState::failed);
  Canvas canvas({100, 8});
  DrawRegion region(canvas, {0, 0, 100, 8}, false);
  draw_attempt_chart(region, 0, attempt_timeline(job.row(), {}, Pause::none, at_second(100)));
  const std::string text = canvas.to_text();
  EXPECT_NE(text.find("· waits  ░ placed  ? not known  ◀ requeued  ✗ failed or lost"),
            std::string::npos)
      << text;
}

TEST(AttemptChart, HasRoundTimesOnItsAxis) {
  struct Case {
    Duration length;
    int labels_max;
    Duration step;
  };
  for (const Case& c :
       {Case{seconds(100), 7, seconds(20)}, Case{seconds(3), 7, std::chrono::milliseconds(500)},
        Case{minutes(61), 7, minutes(10)}, Case{hours(20), 7, hours(6)},
        Case{hours(24 * 30), 7, hours(24 * 5)}}) {
    EXPECT_EQ(axis_step(c.length, c.labels_max), c.step) << to_seconds(c.length);
  }
}

TEST(AttemptChart, NoTwoLabelsOfItsAxisAreAlike) {
  EXPECT_EQ(axis_label(Duration{0}), "0");
  EXPECT_EQ(axis_label(std::chrono::milliseconds(500)), "500ms");
  EXPECT_EQ(axis_label(seconds(30)), "30s");
  EXPECT_EQ(axis_label(seconds(90)), "1m30s");
  EXPECT_EQ(axis_label(minutes(150)), "2h30m");
}

}  // namespace
}  // namespace drover::tui
