#include "commands/shell/lifeline.h"

#include <cerrno>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

namespace drover::commands {

Status hold_lifeline(int descriptor) {
  if (fcntl(descriptor, F_GETFD) < 0)
    return error("--lifeline: {} is no open descriptor", descriptor);
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  std::thread([descriptor] {
    // Signals are for the loop's thread.
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

Option lifeline_option() { return {"lifeline", "FD", "end when this pipe closes", true, false}; }

Status hold_lifeline(Arguments& arguments) {
  if (!arguments.has("lifeline")) return {};
  const auto descriptor = arguments.integer("lifeline", 0, 1 << 20, -1);
  if (descriptor < 0) return arguments.status();
  return hold_lifeline(static_cast<int>(descriptor));
}

}  // namespace drover::commands
