#include "commands/shell/stop_signals.h"

#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "fleet/base/result.h"

namespace drover::commands {

StopSignals::StopSignals(bool hangup_stops) : hangup_stops_(hangup_stops) {
  sigset_t wanted;
  sigemptyset(&wanted);
  for (const int signal_number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&wanted, signal_number);
  DROVER_REQUIRE(pthread_sigmask(SIG_BLOCK, &wanted, nullptr) == 0);
  descriptor_ = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
  DROVER_REQUIRE(descriptor_ >= 0);
  // A closed output makes the write fail and does not kill the process.
  ::signal(SIGPIPE, SIG_IGN);
}

StopSignals::~StopSignals() { close(descriptor_); }

std::string StopSignals::name() const {
  const char* name = sigabbrev_np(first_);
  return name == nullptr ? "a signal" : std::string("SIG") + name;
}

bool StopSignals::stopped() {
  signalfd_siginfo taken{};
  while (read(descriptor_, &taken, sizeof taken) == static_cast<ssize_t>(sizeof taken)) {
    if (taken.ssi_signo == SIGHUP && !hangup_stops_) {
      hung_up_ = true;
    } else if (!std::exchange(stopped_, true)) {
      first_ = static_cast<int>(taken.ssi_signo);
    }
  }
  return stopped_;
}

}  // namespace drover::commands
