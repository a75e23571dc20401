// One host that is read through ssh: starts ssh, sends the script of agents/launch/watch_host.sh
// and the program if the host wants it, and asks for readings. Never waits.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/launch/order.h"
#include "agents/watch/reading_frames.h"
#include "commands/shell/child_process.h"
#include "commands/shell/clock.h"

namespace drover::commands {

/// What all connections share.
struct SshSetup {
  std::string program;               // of $DROVER_SSH; empty: ssh
  std::vector<std::string> options;  // that ssh gets before all others
  launch::Needs needs;               // of this program
  std::string tar;                   // this program and its libraries
};

class SshConnection {
 public:
  /// The setup must outlive the connection. `epoll`: where its descriptors are to be watched, with
  /// `number` as their datum.
  SshConnection(std::string host, const SshSetup& setup, int epoll, std::uint32_t number);
  /// Closes the connection, if it is still there, without waiting for the host.
  ~SshConnection();
  SshConnection(const SshConnection&) = delete;
  SshConnection& operator=(const SshConnection&) = delete;

  const std::string& host() const { return host_; }
  /// Asks for a reading, unless one is on its way. Connects again after a pause that grows.
  void request(WallTime now);
  /// Reads and writes what is ready.
  void turn(WallTime now);
  /// What has come; `target` and the host's name are the host.
  std::vector<agents::TargetNews> take_news() { return std::exchange(news_, {}); }
  /// How the host is read, when its own agent cannot run there.
  std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }

  /// Asks the host to end; `ended` says whether it has.
  void close_input() { child_.in.reset(); }
  bool ended();

 private:
  /// What the host's output is.
  enum class Output : std::uint8_t { lines, frames, nvidia_smi, amd_smi };

  void start(WallTime now);
  void send(std::string_view text);
  void write_ready();
  Status read_ready();
  Status take_output(std::string_view bytes);
  Status take_line(const std::string& line);
  void take_order(const std::string& order);
  void take_smi_output(const std::string& order);
  void add(agents::TargetNews news);
  void watch(int descriptor, std::uint32_t events) const;
  void fail(WallTime now, const std::string& why);
  void stop();
  std::string why_ended(int status) const;

  const std::string host_;
  const SshSetup& setup_;
  const int epoll_;
  const std::uint32_t number_;
  ChildProcess child_;  // without pid: there is none
  std::string script_;
  std::string_view sending_;  // of the script, of the tar, or a request
  Output output_ = Output::lines;
  bool ready_ = false;    // for requests
  bool noted_ = false;    // why its own agent cannot run
  WallTime asked_{};      // when the connection was started, or the last reading asked for
  bool waiting_ = false;  // for it
  int unasked_ = 0;       // readings since then that nobody has asked for
  agents::FrameReader frames_;
  std::string unread_;         // of a line
  std::string smi_, statics_;  // what has come of a reading
  std::string refusal_;        // what the host itself says
  std::string err_;
  std::string failure_;  // why the last connection has ended
  WallTime next_start_{};
  WallSpan pause_{};
  std::vector<agents::TargetNews> news_;
  std::vector<std::string> notes_;
};

}  // namespace drover::commands
