#include "commands/shell/supervisor.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands/shell/clock.h"
#include "commands/shell/files.h"
#include "fleet/base/text.h"

namespace drover::commands {

namespace {

constexpr std::size_t shown_log_bytes_max = 16U << 20;

/// Everything that the child needs between fork and exec, prepared before: after a fork of a
/// process with threads only async-signal-safe calls are allowed.
struct ChildLaunch {
  const char* program;
  char* const* arguments;
  int log;
  int output;
  int input;
  int parent_pipe;
  pid_t parent;
};

[[noreturn]] void become_child(const ChildLaunch& launch) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have died before the line above.
  if (getppid() != launch.parent) _exit(1);
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGWINCH}) ::signal(number, SIG_DFL);
  dup2(launch.input, STDIN_FILENO);
  dup2(launch.output, STDOUT_FILENO);
  dup2(launch.log, STDERR_FILENO);
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  fcntl(launch.parent_pipe, F_SETFD, 0);
  execv(launch.program, launch.arguments);
  // The file was replaced by a newer build: start the same version as this process.
  execv("/proc/self/exe", launch.arguments);
  _exit(127);
}

}  // namespace

bool Ended::succeeded() const { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }

std::string Ended::how() const {
  if (WIFSIGNALED(status)) {
    return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  }
  return fmt::format("exit code {}", WEXITSTATUS(status));
}

Supervisor::Supervisor(std::string log_folder) : log_folder_(std::move(log_folder)) {
  char path[4096] = {};
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  program_ = length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "/proc/self/exe";
  parent_pipe_ = Pipe::make();
  DROVER_REQUIRE(parent_pipe_.reader.is_open());
}

Supervisor::~Supervisor() { stop_all(); }

Status Supervisor::start(const ChildCommand& command) {
  std::vector<std::string> words = {"drover"};
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  words.insert(words.end(), {"--parent-pipe", std::to_string(parent_pipe_.reader.get())});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  const FileDescriptor log(
      open(log_path(command.name).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log.is_open())
    return error(ErrorKind::io, "{}: {}", log_path(command.name), std::strerror(errno));
  const FileDescriptor input(open("/dev/null", O_RDONLY | O_CLOEXEC));
  Pipe output = Pipe::make();
  if (!output.reader.is_open())
    return error(ErrorKind::io, "cannot make a pipe: {}", std::strerror(errno));
  const ChildLaunch launch{
      program_.c_str(), arguments.data(),          log.get(), output.writer.get(),
      input.get(),      parent_pipe_.reader.get(), getpid()};
  const pid_t pid = fork();
  if (pid == 0) become_child(launch);
  if (pid < 0)
    return error(ErrorKind::io, "{}: cannot be started: {}", command.name, std::strerror(errno));
  children_.push_back({command.name, pid, std::move(output.reader), {}});
  return {};
}

Supervisor::Child* Supervisor::find(const std::string& name) {
  // The newest child of the name: a child that failed may have been restarted.
  const auto found = std::find_if(children_.rbegin(), children_.rend(),
                                  [&](const Child& child) { return child.name == name; });
  return found == children_.rend() ? nullptr : &*found;
}

bool Supervisor::running(const std::string& name) {
  const Child* child = find(name);
  return child != nullptr && child->pid > 0;
}

void Supervisor::signal(const std::string& name, int signal_number) {
  const Child* child = find(name);
  if (child != nullptr && child->pid > 0) kill(child->pid, signal_number);
}

std::vector<Ended> Supervisor::reap() {
  std::vector<Ended> ended;
  for (Child& child : children_) {
    if (child.pid < 0) continue;
    int status = 0;
    if (waitpid(child.pid, &status, WNOHANG) != child.pid) continue;
    child.pid = -1;
    ended.push_back({child.name, status});
  }
  return ended;
}

Result<std::string> Supervisor::read_line(const std::string& name,
                                          std::chrono::milliseconds timeout) {
  Child* child = find(name);
  DROVER_REQUIRE(child != nullptr);
  const WallTime end = wall_now() + timeout;
  for (;;) {
    if (const auto stop = child->unread.find('\n'); stop != std::string::npos) {
      std::string line = child->unread.substr(0, stop);
      child->unread.erase(0, stop + 1);
      return line;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - wall_now());
    if (left.count() <= 0)
      return error(ErrorKind::lost, "{} printed nothing in {} ms", name, timeout.count());
    pollfd watched{child->output.get(), POLLIN, 0};
    if (poll(&watched, 1, static_cast<int>(left.count())) <= 0) continue;
    char block[4096];
    const ssize_t count = read(child->output.get(), block, sizeof block);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return error(ErrorKind::lost, "{} ended without output", name);
    child->unread.append(block, static_cast<std::size_t>(count));
  }
}

std::string Supervisor::log_path(const std::string& name) const {
  return log_folder_ + "/" + name + ".log";
}

std::string Supervisor::last_log_line(const std::string& name) const {
  const auto text = read_file(log_path(name), shown_log_bytes_max);
  if (!text) return {};
  std::string last;
  for (const std::string& line : split(*text, '\n')) {
    if (!trimmed(line).empty()) last = line;
  }
  return printable(last);
}

void Supervisor::stop_all() {
  for (auto child = children_.rbegin(); child != children_.rend(); ++child) {
    if (child->pid > 0) kill(child->pid, SIGTERM);
  }
  const WallTime end = wall_now() + std::chrono::seconds(3);
  const auto any_left = [&] {
    reap();
    return std::any_of(children_.begin(), children_.end(),
                       [](const Child& child) { return child.pid > 0; });
  };
  while (any_left() && wall_now() < end) usleep(10'000);
  for (Child& child : children_) {
    if (child.pid <= 0) continue;
    kill(child.pid, SIGKILL);
    waitpid(child.pid, nullptr, 0);
    child.pid = -1;
  }
}

}  // namespace drover::commands
