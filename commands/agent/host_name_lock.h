// Prevents two agents with the same name and router on one machine: without the lock the newer
// agent would end the older one.
//
// The lock is in a folder that only this user may write to, so that no other user can block it. The
// kernel releases it when the process ends, however it ends. It covers the agents of this user on
// this machine. Among users and machines the router decides: the newest agent wins, so that a host
// is never locked out by its own earlier agent.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commands/connection/key_files.h"
#include "commands/shell/stop_signals.h"
#include "fleet/base/result.h"

namespace drover::commands {

/// The folders of this user's locks. The lock is taken in each of them: a runtime folder disappears
/// with the user's last login, while the agent continues, and not every process has
/// $XDG_RUNTIME_DIR.
std::vector<std::string> host_lock_folders();

/// One of these folders, which is made if it is missing.
struct PrivateFolder {
  FileDescriptor folder;
  std::string problem;   // why it cannot be used: others could interfere there
  bool fixable = false;  // by this user, whose folder it is
};
PrivateFolder open_private_folder(const std::string& path);

class HostNameLock {
 public:
  /// `endpoint`: the router's, as given on the command line.
  HostNameLock(const std::string& host, const std::string& endpoint,
               std::vector<std::string> folders = host_lock_folders());

  /// False while another process holds the lock. An error if others may write to this user's
  /// folders. The lock is held until this object ends.
  Result<bool> take();

  /// Why some folders could not be used. If none could, no lock is held. Filled by take().
  const std::vector<std::string>& passed_over() const { return passed_over_; }

 private:
  std::uint64_t offset_;
  std::vector<std::string> folders_;
  std::vector<std::string> passed_over_;
  std::vector<FileDescriptor> locks_;
};

/// Takes the lock for this agent, and says on standard error what is worth knowing. Waits a moment
/// for an earlier agent of the same name, which may be leaving. Ends early on a signal.
Status claim_host_name(HostNameLock& lock, const std::string& host, StopSignals& signals);

}  // namespace drover::commands
