#include "commands/agent/stdio_agent.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "agents/watch/reading_frames.h"
#include "commands/readings/driver_source.h"
#include "commands/readings/readings.h"
#include "commands/shell/stop_signals.h"

namespace drover::commands {
namespace {

constexpr std::chrono::milliseconds stdio_wait_max{250};

class StdioAgent {
 public:
  CommandOutcome run() {
    while (!signals_.stopped()) {
      pollfd watched[] = {{STDIN_FILENO, POLLIN, 0},
                          {signals_.descriptor(), POLLIN, 0},
                          {drivers_.descriptor(), POLLIN, 0}};
      (void)::poll(watched, std::size(watched), static_cast<int>(wait().count()));
      if (watched[0].revents != 0 && !take_requests()) break;
      if (!answer()) break;
    }
    return CommandOutcome::done();
  }

 private:
  std::chrono::milliseconds wait() const {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(drivers_.next_deadline() - wall_now());
    return std::clamp(left, std::chrono::milliseconds(0), stdio_wait_max);
  }

  /// False at the end of the input.
  bool take_requests() {
    char lines[256];
    if (::read(STDIN_FILENO, lines, sizeof lines) <= 0) return false;
    asked_ = true;
    drivers_.request(wall_now());
    return true;
  }

  /// False when nobody reads the answers any more.
  bool answer() {
    for (const agents::TargetNews& news : drivers_.take(wall_now())) {
      if (!send(news)) return false;
    }
    drivers_.take_notes();
    const std::string nothing = asked_ ? nothing_found_text(drivers_) : "";
    return nothing.empty() || send({"", {}, nothing});
  }

  bool send(const agents::TargetNews& news) {
    asked_ = false;
    auto frame = agents::frame_of(news);
    if (!frame) frame = agents::frame_of({"", {}, frame.error().message});
    return frame && write_all(STDOUT_FILENO, *frame);
  }

  StopSignals signals_;  // before the threads of the devices
  DriverSource drivers_;
  bool asked_ = false;  // for a reading that has not been sent
};

}  // namespace

CommandOutcome run_stdio_agent() { return StdioAgent().run(); }

}  // namespace drover::commands
