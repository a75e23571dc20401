#include "commands/record/recorded_bookmarks.h"

#include <algorithm>

#include <fmt/format.h>

namespace drover::commands {

namespace {

/// Bookmarks whose publication is awaited; a router publishes fewer of one sender in a minute.
constexpr std::size_t added_max = 100;

}  // namespace

std::string RecordedBookmarks::add(Instant now, const Bookmark& mark) {
  std::string problem = record(now, mark);
  if (!problem.empty()) return problem;
  added_.push_back(mark);
  if (added_.size() > added_max) added_.pop_front();
  return {};
}

void RecordedBookmarks::take(Instant now, const Bookmark& mark) {
  // The text here may be newer than the one that comes back.
  if (const auto own = std::ranges::find(added_, mark); own != added_.end()) {
    added_.erase(own);
    return;
  }
  (void)record(now, mark);
}

void RecordedBookmarks::take_missed(Instant now, const Bookmark& mark) {
  if (!texts_.contains(mark.at)) (void)record(now, mark);
}

std::string RecordedBookmarks::record(Instant now, const Bookmark& mark) {
  if (const Status failure = recorder_.failure(); !failure) {
    return "the bookmark is not recorded: " + failure.error().message;
  }
  const auto known = texts_.find(mark.at);
  if (known != texts_.end() && known->second == mark.text) return {};
  if (known == texts_.end() && texts_.size() >= recorded_moments_max) {
    return fmt::format("the bookmark is not recorded: the recording has {} of them",
                       recorded_moments_max);
  }
  if (!recorder_.mark(now, mark.at, mark.text)) {
    return "the bookmark is not recorded: the disk is too slow; try again";
  }
  texts_.insert_or_assign(mark.at, mark.text);
  return {};
}

}  // namespace drover::commands
