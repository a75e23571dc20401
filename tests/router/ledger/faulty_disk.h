// A disk under SQLite that fails when told: a VFS in front of the system's, the process's default
// while it lives. To be made before the store that is to feel it.
#pragma once

#include <map>
#include <string>

namespace drover::router {

class FaultyDisk {
 public:
  FaultyDisk();
  ~FaultyDisk();
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;

  /// From the Nth write or sync on, counted from now, every one fails with EIO; 0: none.
  void fail_from(int call);
  /// Writes that make a file longer fail for want of room.
  void fill(bool full);
  /// Writes and syncs since the last `fail_from`.
  int calls() const;

  /// Each file as a power cut would leave it: what was written before its last sync.
  std::map<std::string, std::string> after_power_cut() const;
};

}  // namespace drover::router
