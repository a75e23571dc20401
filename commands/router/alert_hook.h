// `--on-alert PROGRAM`: a program of the operator's, run for every alert that is raised, cleared or
// acknowledged.
//
// It gets the alert as one JSON object on its standard input, and as DROVER_ALERT_EVENT (raised,
// cleared, acknowledged), _RULE, _SUBJECT, _SEVERITY, _SINCE, _TEXT and _ACKNOWLEDGED_BY in its
// environment: no shell reads a text that came from outside. What it prints goes to the router's
// standard error.
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

/// Runs at once: a burst of alerts is no burst of processes.
inline constexpr std::size_t alert_runs_max = 4;
/// Alerts that wait for one of these; what comes when so many do is dropped, and told.
inline constexpr std::size_t alert_queue_max = 64;
/// A run that takes longer is ended, and what it started with it.
inline constexpr Wall alert_run_span = std::chrono::seconds(30);
/// What went wrong is told at most so often.
inline constexpr Wall alert_trouble_every = std::chrono::seconds(10);

class AlertHook {
 public:
  AlertHook() = default;
  /// Ends what still runs.
  ~AlertHook();
  AlertHook(const AlertHook&) = delete;
  AlertHook& operator=(const AlertHook&) = delete;

  /// `program`: a path, or a name that is looked for in PATH; empty: nothing is ever run. The error
  /// says that it cannot be run.
  Status open(const std::string& program);
  bool on() const { return !path_.empty(); }
  /// Nothing runs, and nothing waits.
  bool idle() const { return runs_.empty() && waiting_.empty(); }

  void hear(const Alert& alert);
  /// Starts what may start, and ends what must. Never waits.
  void tick(Wall now);
  /// What went wrong since this was last told, in words, unless that was a moment ago.
  std::optional<std::string> trouble(Wall now);

 private:
  struct Run {
    pid_t pid = -1;
    Wall end{};            // then it is overdue
    bool overdue = false;  // and was told to end
  };
  struct Troubles {
    std::uint64_t dropped = 0;
    std::uint64_t overdue = 0;
    std::uint64_t failed = 0;
    std::string last;  // how the last one that failed did
  };
  void reap(Wall now);
  void start(Wall now, const Alert& alert);

  std::string path_;
  std::deque<Alert> waiting_;
  std::vector<Run> runs_;
  Troubles troubles_;
  Wall next_trouble_{0};
};

}  // namespace drover::commands
