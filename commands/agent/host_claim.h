// One agent of a name and router on one machine: of two, the newer would end the older.
//
// The claim is a lock in a folder where only this user may write, so that no other user can be in
// its way; the kernel drops it with its process, however that ends. It reaches as far as the user's
// own agents on this machine do. Among users and machines the router decides, and there the newest
// wins, so that a host is never shut out by its own past.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commands/connection/key_files.h"
#include "fleet/base/result.h"

namespace drover::commands {

/// Where this user's claims stand. More than one, and held in each: a runtime folder goes away with
/// the user's last login, which an agent survives, and not every process is told where it is.
std::vector<std::string> claim_folders();

class HostClaim {
 public:
  /// `endpoint`: the router's, as given.
  HostClaim(const std::string& host, const std::string& endpoint,
            std::vector<std::string> folders = claim_folders());

  /// False while another process holds it; an error where this user has left his folders open to
  /// others. Held until this object ends.
  Result<bool> take();

  /// Why some folders could not be used; where none could, nothing is held. Filled by take().
  const std::vector<std::string>& passed_over() const { return passed_over_; }

 private:
  std::uint64_t place_;
  std::vector<std::string> folders_;
  std::vector<std::string> passed_over_;
  std::vector<OpenFile> locks_;
};

}  // namespace drover::commands
