// Whose processes use a device: what /proc says about a process by its number.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fleet/board.h"

namespace drover::agents {

class ProcessOwners {
 public:
  /// `root`: before /proc and /etc; empty: the real ones.
  explicit ProcessOwners(std::string root) : root_(std::move(root)) {}

  /// Fills in users, names and tenants. They stay empty when a process is not to be seen from here,
  /// for example from inside of a container. Processes that were described the last time are not
  /// looked up again.
  void describe(std::vector<DeviceProcess>& processes);

 private:
  /// A login name of /etc/passwd, else the number. The system's own look-up (getpwuid) is not used:
  /// it may ask servers on the network, and wait for them.
  std::string user_name(unsigned user);
  struct Owned {
    std::string user;
    std::string name;
  };
  Owned look_up(std::uint64_t process);

  std::string root_;
  std::map<std::uint64_t, Owned> processes_;  // by number
  std::map<unsigned, std::string> users_;
};

}  // namespace drover::agents
