#include "commands/shell/stop_signals.h"

#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "fleet/base/result.h"

namespace drover::commands {

FileDescriptor signal_descriptor(std::initializer_list<int> signal_numbers) {
  sigset_t wanted;
  sigemptyset(&wanted);
  for (const int signal_number : signal_numbers) sigaddset(&wanted, signal_number);
  DROVER_REQUIRE(pthread_sigmask(SIG_BLOCK, &wanted, nullptr) == 0);
  FileDescriptor signals(signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
  DROVER_REQUIRE(signals.is_open());
  return signals;
}

int take_signal(const FileDescriptor& signals) {
  signalfd_siginfo taken{};
  const bool any = read(signals.get(), &taken, sizeof taken) == ssize_t{sizeof taken};
  return any ? static_cast<int>(taken.ssi_signo) : 0;
}

StopSignals::StopSignals(bool hangup_stops)
    : signals_(signal_descriptor({SIGTERM, SIGINT, SIGHUP})), hangup_stops_(hangup_stops) {
  // A closed output makes the write fail and does not kill the process.
  ::signal(SIGPIPE, SIG_IGN);
}

std::string StopSignals::name() const {
  const char* name = sigabbrev_np(first_);
  return name == nullptr ? "a signal" : std::string("SIG") + name;
}

bool StopSignals::stopped() {
  while (const int taken = take_signal(signals_)) {
    if (taken == SIGHUP && !hangup_stops_) {
      hung_up_ = true;
    } else if (!std::exchange(stopped_, true)) {
      first_ = taken;
    }
  }
  return stopped_;
}

}  // namespace drover::commands
