#include "commands/launch/task_runner.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <memory>

#include "agents/launch/order.h"
#include "commands/shell/child_process.h"

namespace drover::commands {

namespace {

constexpr std::size_t out_bytes_max = 1 << 20;
constexpr std::size_t err_bytes_max = 16 << 10;
constexpr WallSpan grace = std::chrono::seconds(1);

/// A task that runs.
class RunningTask {
 public:
  RunningTask(std::size_t number, const RemoteTask& task, const TaskRunnerOptions& options)
      : number_(number), task_(task), options_(options), started_(wall_now()) {
    auto child = start_child(task.command);
    if (child) {
      child_ = std::move(*child);
      deadline_ = started_ + options.limit;
      result_.task_state = RemoteTaskState::running;
    } else {
      result_.err = child.error().message;
      result_.status = W_EXITCODE(127, 0);  // as if the program could not be run
      result_.task_state = RemoteTaskState::ended;
      done_ = true;
    }
  }
  ~RunningTask() {
    if (done_) return;
    kill(-child_.pid, SIGKILL);
    waitpid(child_.pid, nullptr, 0);
  }
  RunningTask(const RunningTask&) = delete;
  RunningTask& operator=(const RunningTask&) = delete;

  std::size_t number() const { return number_; }
  bool done() const { return done_; }
  RemoteTaskResult& result() { return result_; }

  void watch(std::vector<pollfd>& watched) const {
    if (has_more_to_write()) watched.push_back({child_.in.get(), POLLOUT, 0});
    for (const FileDescriptor* end : {&child_.out, &child_.err}) {
      if (end->is_open()) watched.push_back({end->get(), POLLIN, 0});
    }
    watched.push_back({child_.ended.get(), POLLIN, 0});
  }
  WallTime deadline() const { return deadline_; }

  /// Reads and writes what is ready. Returns true if the result has changed.
  bool turn() {
    if (done_) return true;
    write_ready();
    read_available(child_.out, result_.out, out_bytes_max);
    read_available(child_.err, result_.err, err_bytes_max);
    const bool requested = !result_.payload && options_.payload != nullptr && requests_payload();
    result_.payload = result_.payload || requested;
    if (requested) write_ready();
    if (wall_now() >= deadline_) end(RemoteTaskState::timed_out);
    return reap() || requested;
  }

  /// Sends SIGTERM, and SIGKILL if it is called again after the grace period.
  void end(RemoteTaskState task_state) {
    if (done_) return;
    const bool again = result_.task_state != RemoteTaskState::running;
    if (!again) result_.task_state = task_state;
    kill(-child_.pid, again ? SIGKILL : SIGTERM);
    deadline_ = wall_now() + grace;
  }

 private:
  bool requests_payload() const {
    const auto at = result_.out.find(std::string(launch::payload_request) + "\n");
    return at != std::string::npos && (at == 0 || result_.out[at - 1] == '\n');
  }
  const std::string& input() const { return script_sent_ ? *options_.payload : task_.script; }
  bool has_more_to_write() const {
    return child_.in.is_open() && (!script_sent_ || result_.payload);
  }

  /// Writes the script; then, if it is requested, the payload and the end of input. Otherwise the
  /// input stays open until the child ends.
  void write_ready() {
    while (has_more_to_write()) {
      const std::string& text = input();
      const ssize_t count = write(child_.in.get(), text.data() + written_, text.size() - written_);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return;
      if (count < 0) return child_.in.reset();
      written_ += static_cast<std::size_t>(count);
      if (written_ < text.size()) continue;
      written_ = 0;
      if (std::exchange(script_sent_, true)) return child_.in.reset();
    }
  }

  /// Checks the process, not the pipes: an ssh that shares its connection leaves them open.
  bool reap() {
    if (done_ || waitpid(child_.pid, &result_.status, WNOHANG) != child_.pid) return false;
    done_ = true;
    read_available(child_.out, result_.out, out_bytes_max);
    read_available(child_.err, result_.err, err_bytes_max);
    if (result_.task_state == RemoteTaskState::running) result_.task_state = RemoteTaskState::ended;
    result_.took_s = to_seconds(wall_now() - started_);
    return true;
  }

  std::size_t number_;
  const RemoteTask& task_;
  const TaskRunnerOptions& options_;
  WallTime started_;
  WallTime deadline_{};
  ChildProcess child_;
  bool script_sent_ = false;
  bool done_ = false;
  std::size_t written_ = 0;
  RemoteTaskResult result_;
};

/// Waits until something is ready or the next limit is reached.
void wait_for(const std::vector<std::unique_ptr<RunningTask>>& running,
              const StopSignals& signals) {
  std::vector<pollfd> watched = {{signals.descriptor(), POLLIN, 0}};
  WallTime next = wall_now() + std::chrono::seconds(1);
  for (const auto& task : running) {
    task->watch(watched);
    next = std::min(next, task->deadline());
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - wall_now());
  poll(watched.data(), watched.size(), static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
}

}  // namespace

std::vector<RemoteTaskResult> run_remote_tasks(const std::vector<RemoteTask>& tasks,
                                               const TaskRunnerOptions& options,
                                               StopSignals& signals) {
  std::vector<RemoteTaskResult> results(tasks.size());
  std::vector<std::unique_ptr<RunningTask>> running;
  std::size_t next = 0;
  bool interrupted = false;
  while (next < tasks.size() || !running.empty()) {
    if (signals.stopped() && !std::exchange(interrupted, true)) {
      for (auto& task : running) task->end(RemoteTaskState::interrupted);
      next = tasks.size();
    }
    while (next < tasks.size() && running.size() < options.fanout) {
      running.push_back(std::make_unique<RunningTask>(next, tasks[next], options));
      options.changed(next, running.back()->result());
      ++next;
    }
    if (running.empty()) break;
    wait_for(running, signals);
    for (auto& task : running) {
      if (task->turn()) options.changed(task->number(), task->result());
      if (task->done()) results[task->number()] = std::move(task->result());
    }
    std::erase_if(running, [](const auto& task) { return task->done(); });
  }
  return results;
}

}  // namespace drover::commands
