// Runs one child process per host (ssh, or a local shell), several at once, each with a time limit.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "commands/shell/clock.h"
#include "commands/shell/stop_signals.h"

namespace drover::commands {

struct RemoteTask {
  std::vector<std::string> command;
  std::string script;  // written to its standard input first
};

enum class RemoteTaskState : std::uint8_t {
  not_started,  // never started
  running,
  ended,        // by itself; see `status`
  timed_out,    // killed at its limit
  interrupted,  // killed because the launcher was interrupted
};

struct RemoteTaskResult {
  RemoteTaskState task_state = RemoteTaskState::not_started;
  int status = 0;        // from waitpid
  std::string out;       // limited; the rest is dropped
  std::string err;       // limited; the rest is dropped
  bool payload = false;  // it has requested the payload
  double took_s = 0;
};

struct TaskRunnerOptions {
  std::size_t fanout = 32;
  WallSpan limit = std::chrono::seconds(60);  // for each task
  const std::string* payload = nullptr;       // sent to tasks that request it
  /// Called when a task has started, has requested the payload, or has ended.
  std::function<void(std::size_t task, const RemoteTaskResult&)> changed;
};

/// Returns the results in the order of the tasks. The children have no terminal, so that ssh cannot
/// ask for a password, and are killed with this process.
std::vector<RemoteTaskResult> run_remote_tasks(const std::vector<RemoteTask>& tasks,
                                               const TaskRunnerOptions& options,
                                               StopSignals& signals);

}  // namespace drover::commands
