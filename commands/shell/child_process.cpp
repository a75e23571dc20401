#include "commands/shell/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "fleet/base/text.h"

namespace drover::commands {

namespace {

FileDescriptor nonblocking(FileDescriptor end) {
  fcntl(end.get(), F_SETFL, O_NONBLOCK);
  return end;
}

/// Runs after the fork: only async-signal-safe calls are allowed.
[[noreturn]] void become(char* const* words, const Pipe& in, const Pipe& out, const Pipe& err,
                         pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  setsid();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  dup2(in.reader.get(), STDIN_FILENO);
  dup2(out.writer.get(), STDOUT_FILENO);
  dup2(err.writer.get(), STDERR_FILENO);
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  execvp(words[0], words);
  const char* why = strerrordesc_np(errno);
  (void)!write(STDERR_FILENO, words[0], strlen(words[0]));
  (void)!write(STDERR_FILENO, ": ", 2);
  (void)!write(STDERR_FILENO, why, strlen(why));
  _exit(127);
}

}  // namespace

Result<ChildProcess> start_child(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const auto failed = [&] {
    return error(ErrorKind::io, "cannot start {}: {}", printable(command[0]), std::strerror(errno));
  };
  Pipe in = Pipe::make();
  Pipe out = Pipe::make();
  Pipe err = Pipe::make();
  for (const Pipe* pipe : {&in, &out, &err}) {
    if (!pipe->reader.is_open()) return failed();
  }
  const pid_t parent = getpid();
  ChildProcess child;
  child.pid = fork();
  if (child.pid == 0) become(words.data(), in, out, err, parent);
  if (child.pid < 0) return failed();
  child.ended = FileDescriptor(static_cast<int>(syscall(SYS_pidfd_open, child.pid, 0)));
  if (!child.ended.is_open()) {
    const Error no_descriptor = failed();
    kill(child.pid, SIGKILL);
    waitpid(child.pid, nullptr, 0);
    return no_descriptor;
  }
  child.in = nonblocking(std::move(in.writer));
  child.out = nonblocking(std::move(out.reader));
  child.err = nonblocking(std::move(err.reader));
  return child;
}

void read_available(FileDescriptor& descriptor, std::string& text, std::size_t bytes_max) {
  char block[16 << 10];
  while (descriptor.is_open()) {
    const ssize_t count = read(descriptor.get(), block, sizeof block);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return descriptor.reset();
    text.append(block, std::min(static_cast<std::size_t>(count), bytes_max - text.size()));
  }
}

}  // namespace drover::commands
