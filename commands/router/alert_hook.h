// `--on-alert PROGRAM`: runs the operator's program for every alert that is raised, cleared or
// acknowledged.
//
// The program gets the alert as one JSON object on its standard input, and as DROVER_ALERT_EVENT
// (raised, cleared, acknowledged), _RULE, _SUBJECT, _SEVERITY, _SINCE, _TEXT and _ACKNOWLEDGED_BY
// in its environment, so that no shell interprets text from outside. Its output goes to the
// router's standard error.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "commands/shell/clock.h"
#include "fleet/actions.h"
#include "fleet/base/result.h"

namespace drover::commands {

/// The maximum number of programs that run at once.
inline constexpr std::size_t alert_runs_max = 4;
/// The maximum number of alerts that wait for a run; further ones are dropped and reported.
inline constexpr std::size_t alert_queue_max = 64;
/// A run that takes longer is killed, with the processes that it has started.
inline constexpr WallSpan alert_run_timeout = std::chrono::seconds(30);
/// The shortest time between two reports of problems.
inline constexpr WallSpan alert_report_every = std::chrono::seconds(10);

class AlertHook {
 public:
  AlertHook() = default;
  /// Kills the programs that still run.
  ~AlertHook();
  AlertHook(const AlertHook&) = delete;
  AlertHook& operator=(const AlertHook&) = delete;

  /// `program`: a path, or a name that is searched in PATH; empty: no program. An error if it
  /// cannot be run.
  Status open(const std::string& program);
  bool on() const { return !path_.empty(); }
  /// No program runs, and no alert waits.
  bool idle() const { return runs_.empty() && waiting_.empty(); }

  void add(const Alert& alert);
  /// Starts waiting runs and kills overdue ones. Never waits.
  void tick(WallTime now);
  /// The problems since the last report, as text; no value if there are none or the last report was
  /// less than `alert_report_every` ago.
  std::optional<std::string> take_problems(WallTime now);

 private:
  struct Run {
    pid_t pid = -1;
    WallTime end{};        // when it is overdue
    bool overdue = false;  // it was killed
  };
  struct Problems {
    std::uint64_t dropped = 0;
    std::uint64_t overdue = 0;
    std::uint64_t failed = 0;
    std::string last;  // how the last failed run ended
  };
  void reap(WallTime now);
  void start(WallTime now, const Alert& alert);

  std::string path_;
  std::deque<Alert> waiting_;
  std::vector<Run> runs_;
  Problems problems_;
  WallTime next_report_{};
};

}  // namespace drover::commands
