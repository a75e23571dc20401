// Whether SQLite's write-ahead log holds commits that SQLite would pass over without a word.
//
// After a crash SQLite takes over the log up to the first frame whose checksum does not hold. That
// is right for the end that a power cut tears off: only what was never synced is lost, which is the
// last commit and a slice of compaction before it. Where more commits stand behind such a frame, it
// was damaged after its sync, and jobs that were acknowledged would be gone.
#pragma once

#include <string>

#include "fleet/base/result.h"

namespace drover::router {

/// Of the log beside this file, before SQLite opens it. No log: good.
Status check_log(const std::string& file);

}  // namespace drover::router
