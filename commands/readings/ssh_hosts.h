// Hosts that are read through ssh, for as long as this lives, as a source of readings.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "commands/readings/reading_source.h"
#include "commands/readings/ssh_connection.h"
#include "commands/shell/file_descriptor.h"

namespace drover::commands {

/// Each takes a process and five descriptors.
inline constexpr std::size_t ssh_hosts_max = 150;

class SshHosts : public ReadingSource {
 public:
  /// `options`: what ssh gets before all other options.
  SshHosts(const std::vector<std::string>& hosts, std::vector<std::string> options);
  /// Ends the agents there, and waits a moment until they have.
  ~SshHosts() override;

  int descriptor() const override { return epoll_.get(); }
  void request(WallTime now) override;
  std::vector<agents::TargetNews> take(WallTime now) override;
  std::vector<std::string> take_notes() override;

 private:
  SshSetup setup_;
  FileDescriptor epoll_;
  std::vector<std::unique_ptr<SshConnection>> hosts_;
  std::string problem_;  // why this program cannot be packed; empty: it is
  bool asked_ = false;   // since the last `take`
};

}  // namespace drover::commands
