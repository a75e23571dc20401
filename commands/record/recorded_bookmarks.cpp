#include "commands/record/recorded_bookmarks.h"

namespace drover::commands {

std::string RecordedBookmarks::add(Instant now, Instant at, const std::string& text) {
  if (const Status failure = recorder_.failure(); !failure) {
    return "the bookmark is not recorded: " + failure.error().message;
  }
  const auto known = texts_.find(at);
  if (known != texts_.end() && known->second == text) return {};
  if (!recorder_.mark(now, at, text)) {
    return "the bookmark is not recorded: the disk is too slow; try again";
  }
  texts_.insert_or_assign(at, text);
  return {};
}

}  // namespace drover::commands
