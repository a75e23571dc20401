// The ledger's file on disk: one file whatever path leads to it, one router per file, and no
// damage.
#pragma once

#include <string>
#include <utility>

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

/// An error about this ledger.
template <typename... Args>
Error ledger_error(const std::string& file, fmt::format_string<Args...> format, Args&&... args) {
  return error(ErrorKind::io, "ledger {}: {}", file,
               fmt::format(format, std::forward<Args>(args)...));
}

/// The file that this path resolves to through symbolic links, whether or not it exists. Rejects a
/// file that is not a ledger before anything is created beside it: a ledger is a missing file, an
/// empty one, or an SQLite file whose header page identifies it once SQLite has read the log
/// beside it. Also rejects a file with several hard links: SQLite keeps its log beside the name,
/// so two routers could write through two names.
Result<std::string> find_ledger(const std::string& path);

/// Locks FILE.lock until the descriptor is closed. `file` comes from `find_ledger`.
Status lock_ledger(const std::string& file, FileDescriptor& lock);

/// Checks SQLite's write-ahead log beside this file, before SQLite opens it, for commits that
/// SQLite would silently skip. A missing log is ok.
///
/// After a crash, SQLite recovers the log up to the first frame with a wrong checksum. That is
/// right for a tail torn by a power cut: only unsynced data is lost, that is the last commit and a
/// slice of compaction before it. If more commits follow such a frame, it was damaged after its
/// sync, and acknowledged jobs would be lost.
Status check_wal(const std::string& file);

}  // namespace drover::router
