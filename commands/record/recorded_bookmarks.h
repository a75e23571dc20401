// The bookmarks of a recording: those of this process, and those that the router publishes. Of
// several at one moment, a replay shows the last.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>

#include "commands/record/recorder.h"
#include "fleet/messages.h"

namespace drover::commands {

/// Moments of one recording that can be marked: other users may mark many.
inline constexpr std::size_t recorded_moments_max = 10'000;

class RecordedBookmarks {
 public:
  explicit RecordedBookmarks(Recorder& recorder) : recorder_(recorder) {}

  /// Records a bookmark that was made in this process, or its new text. Returns why it cannot;
  /// empty: it is recorded. The router may publish it as well.
  std::string add(Instant now, const Bookmark& mark);
  /// Records a bookmark that the router has published, unless it was added here.
  void take(Instant now, const Bookmark& mark);
  /// Records a published bookmark if nothing is known of its moment.
  void take_missed(Instant now, const Bookmark& mark);

 private:
  std::string record(Instant now, const Bookmark& mark);

  Recorder& recorder_;
  std::map<Instant, std::string> texts_;  // by the moments that are marked
  std::deque<Bookmark> added_;            // here, and not yet published; the oldest may never be
};

}  // namespace drover::commands
