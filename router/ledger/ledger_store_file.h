// The ledger's place on disk: one file whatever path leads to it, and one router per file.
#pragma once

#include <string>

#include "fleet/base/result.h"

namespace drover::router {

/// A file descriptor that closes with its owner.
class Descriptor {
 public:
  Descriptor() = default;
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return descriptor_; }
  /// REQUIRES that it holds none.
  void take(int descriptor) { descriptor_ = descriptor; }

 private:
  int descriptor_ = -1;
};

/// The file that this path leads to through all symbolic links, whether it is there yet or not.
/// Refuses what is no ledger before anything is made beside it: a ledger is no file yet, an empty
/// one, or one of SQLite's; whose it is its header page tells, once SQLite has looked into the log
/// beside it. Refuses a file of several names too: SQLite keeps its log beside the name, so that
/// two routers could write through two of them.
Result<std::string> find_ledger(const std::string& path);

/// Locks FILE.lock, until the descriptor closes. `file` comes from `find_ledger`.
Status lock_ledger(const std::string& file, Descriptor& lock);

}  // namespace drover::router
