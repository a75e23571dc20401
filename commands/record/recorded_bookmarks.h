// The bookmarks of a recording. Of several at one moment, a replay shows the last.
#pragma once

#include <map>
#include <string>

#include "commands/record/recorder.h"

namespace drover::commands {

class RecordedBookmarks {
 public:
  explicit RecordedBookmarks(Recorder& recorder) : recorder_(recorder) {}

  /// Records a bookmark of the moment `at`, or its new text. Returns why it cannot; empty: it is
  /// recorded.
  std::string add(Instant now, Instant at, const std::string& text);

 private:
  Recorder& recorder_;
  std::map<Instant, std::string> texts_;  // by the moments that are marked
};

}  // namespace drover::commands
