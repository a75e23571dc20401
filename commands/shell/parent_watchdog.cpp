#include "commands/shell/parent_watchdog.h"

#include <cerrno>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

namespace drover::commands {

Option parent_pipe_option() {
  return {"parent-pipe", "FD", "exit when this pipe closes", true, false};
}

Status watch_parent(Arguments& arguments) {
  if (!arguments.has("parent-pipe")) return {};
  const auto descriptor = static_cast<int>(arguments.integer("parent-pipe", 0, 1 << 20, -1));
  if (descriptor < 0) return arguments.status();
  if (fcntl(descriptor, F_GETFD) < 0) {
    return error("--parent-pipe: {} is not an open descriptor", descriptor);
  }
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  std::thread([descriptor] {
    // The main thread handles signals.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    for (;;) {
      pollfd watched{descriptor, POLLIN, 0};
      if (poll(&watched, 1, -1) < 0 && errno == EINTR) continue;
      char byte = 0;
      if (read(descriptor, &byte, 1) > 0) continue;
      _exit(1);
    }
  }).detach();
  return {};
}

}  // namespace drover::commands
