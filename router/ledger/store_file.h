// The ledger's file on disk: one file whatever path leads to it, and one router per file.
#pragma once

#include <string>

#include "fleet/base/result.h"

namespace drover::router {

/// A file descriptor that is closed on destruction.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  ~FileDescriptor();
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int number() const { return descriptor_; }
  /// Takes ownership. REQUIRES that it holds none.
  void take(int descriptor) { descriptor_ = descriptor; }

 private:
  int descriptor_ = -1;
};

/// The file that this path resolves to through symbolic links, whether or not it exists. Rejects a
/// file that is not a ledger before anything is created beside it: a ledger is a missing file, an
/// empty one, or an SQLite file whose header page identifies it once SQLite has read the log
/// beside it. Also rejects a file with several hard links: SQLite keeps its log beside the name,
/// so two routers could write through two names.
Result<std::string> find_ledger(const std::string& path);

/// Locks FILE.lock until the descriptor is closed. `file` comes from `find_ledger`.
Status lock_ledger(const std::string& file, FileDescriptor& lock);

}  // namespace drover::router
