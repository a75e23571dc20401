#include "commands/router/alert_hook.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands/shell/json_null.h"
#include "commands/shell/supervisor.h"
#include "fleet/base/text.h"
#include "fleet/base/time.h"
#include "fleet/text/json.h"

namespace drover::commands {
namespace {

std::string_view event_of(const Alert& alert) {
  if (!alert.raised) return "cleared";
  return alert.acknowledged_by.empty() ? "raised" : "acknowledged";
}

std::string json_of(const Alert& alert) {
  return Json::object()
             .set("event", event_of(alert))
             .set("rule", alert.rule)
             .set("subject", alert.subject)
             .set("severity", to_text(alert.severity))
             .set("since", to_iso8601(alert.since))
             .set("text", alert.text)
             .set("acknowledged_by", text_or_null(alert.acknowledged_by))
             .dump() +
         "\n";
}

std::vector<std::string> environment_of(const Alert& alert) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::string_view(*variable).rfind("DROVER_ALERT_", 0) != 0) variables.push_back(*variable);
  }
  const auto add = [&](std::string_view name, std::string_view value) {
    variables.push_back(fmt::format("DROVER_ALERT_{}={}", name, printable(value)));
  };
  add("EVENT", event_of(alert));
  add("RULE", alert.rule);
  add("SUBJECT", alert.subject);
  add("SEVERITY", to_text(alert.severity));
  add("SINCE", to_iso8601(alert.since));
  add("TEXT", alert.text);
  add("ACKNOWLEDGED_BY", alert.acknowledged_by);
  return variables;
}

/// The path of the program; empty if it does not exist or cannot be executed.
std::string find_program(const std::string& program) {
  if (program.find('/') != std::string::npos) {
    return access(program.c_str(), X_OK) == 0 ? program : "";
  }
  const char* folders = std::getenv("PATH");
  for (const std::string& folder : split(folders == nullptr ? "" : folders, ':')) {
    const std::string path = fmt::format("{}/{}", folder.empty() ? "." : folder, program);
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return "";
}

/// Everything that the child needs, prepared before the fork: after a fork of a process with
/// threads only async-signal-safe calls are allowed.
struct Launch {
  const char* path;
  char* const* arguments;
  char* const* environment;
  int input;
  pid_t parent;
};

[[noreturn]] void become(const Launch& launch) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launch.parent) _exit(127);
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(number, SIG_DFL);
  dup2(launch.input, STDIN_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  close_range(3, ~0U, 0);
  execve(launch.path, launch.arguments, launch.environment);
  _exit(127);
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

AlertHook::~AlertHook() {
  for (const Run& run : runs_) {
    kill(-run.pid, SIGKILL);
    waitpid(run.pid, nullptr, 0);
  }
}

Status AlertHook::open(const std::string& program) {
  if (program.empty()) return {};
  path_ = find_program(program);
  if (path_.empty()) {
    return error("--on-alert: found \"{}\", expected an executable program", printable(program));
  }
  return {};
}

void AlertHook::add(const Alert& alert) {
  if (!on()) return;
  if (waiting_.size() == alert_queue_max) {
    ++problems_.dropped;
    return;
  }
  waiting_.push_back(alert);
}

void AlertHook::tick(WallTime now) {
  reap(now);
  while (!waiting_.empty() && runs_.size() < alert_runs_max) {
    start(now, waiting_.front());
    waiting_.pop_front();
  }
}

void AlertHook::reap(WallTime now) {
  std::erase_if(runs_, [&](Run& run) {
    Ended ended{path_, 0};
    const bool over = waitpid(run.pid, &ended.status, WNOHANG) == run.pid;
    if (!over && now < run.end) return false;
    // Kills its process group, also when the program has ended by itself.
    kill(-run.pid, SIGKILL);
    if (!over && !std::exchange(run.overdue, true)) ++problems_.overdue;
    if (over && !run.overdue && !ended.succeeded()) {
      ++problems_.failed;
      problems_.last = ended.how();
    }
    return over;
  });
}

void AlertHook::start(WallTime now, const Alert& alert) {
  Pipe input = Pipe::make(O_NONBLOCK);
  if (!input.reader.is_open()) {
    ++problems_.failed;
    problems_.last = fmt::format("cannot make a pipe: {}", std::strerror(errno));
    return;
  }
  // Written before the child starts: an alert fits into the pipe's buffer, so this does not wait
  // and cannot fail because of a closed reader.
  const std::string json = json_of(alert);
  const bool whole =
      write(input.writer.get(), json.data(), json.size()) == static_cast<ssize_t>(json.size());
  input.writer.reset();
  fcntl(input.reader.get(), F_SETFL, 0);
  std::vector<std::string> words = {path_};
  std::vector<std::string> variables = environment_of(alert);
  const std::vector<char*> arguments = pointers_to(words);
  const std::vector<char*> environment = pointers_to(variables);
  const Launch launch{path_.c_str(), arguments.data(), environment.data(), input.reader.get(),
                      getpid()};
  const pid_t pid = whole ? fork() : -1;
  if (pid == 0) become(launch);
  if (pid < 0) {
    ++problems_.failed;
    problems_.last = whole ? std::strerror(errno) : "the alert is too long for a pipe";
    return;
  }
  setpgid(pid, pid);  // the child does the same: whichever is first
  runs_.push_back({pid, now + alert_run_timeout});
}

std::optional<std::string> AlertHook::take_problems(WallTime now) {
  const bool any = problems_.dropped + problems_.overdue + problems_.failed > 0;
  if (!any || now < next_report_) return std::nullopt;
  next_report_ = now + alert_report_every;
  const Problems problems = std::exchange(problems_, {});
  std::string text;
  const auto add = [&](std::uint64_t count, const std::string& words) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, words);
  };
  add(problems.dropped, "dropped: too many alerts are waiting");
  add(problems.overdue,
      fmt::format("killed after {} s", alert_run_timeout / std::chrono::seconds(1)));
  add(problems.failed, fmt::format("failed, most recently with {}", problems.last));
  return fmt::format("{}: {}", path_, text);
}

}  // namespace drover::commands
