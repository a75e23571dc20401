// Whether SQLite's write-ahead log holds commits that SQLite would silently skip.
//
// After a crash, SQLite recovers the log up to the first frame with a wrong checksum. That is
// right for a tail torn by a power cut: only unsynced data is lost, that is the last commit and a
// slice of compaction before it. If more commits follow such a frame, it was damaged after its
// sync, and acknowledged jobs would be lost.
#pragma once

#include <string>

#include "fleet/base/result.h"

namespace drover::router {

/// Checks the log beside this file, before SQLite opens it. A missing log is ok.
Status check_wal(const std::string& file);

}  // namespace drover::router
