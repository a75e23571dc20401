#include "router/bookmarks.h"

#include <algorithm>

#include <fmt/format.h>

#include "fleet/base/text.h"

namespace drover::router {
namespace {

constexpr double counted_wall_s = 60;
// The clock of a dashboard may be a little ahead of ours.
constexpr double clock_ahead_wall_s = 5;

/// "the peak (of 14:02:10, by ann@node-7)".
std::string bookmark_text(const Caller& caller, const Bookmark& mark) {
  const std::string origin =
      fmt::format("of {}, by {}", to_clock_text(mark.at), client_name(caller));
  return mark.text.empty() ? origin : fmt::format("{} ({})", printable(mark.text), origin);
}

}  // namespace

void Bookmarks::handle(Instant now, const Caller& caller, const Bookmark& mark) {
  BookmarkReply reply{mark.at, problem_with(now, caller, mark)};
  if (reply.problem.empty()) {
    publisher.event(now, Event{Severity::info, "bookmark", bookmark_text(caller, mark), mark});
  }
  outbox.send(now, caller.peer, std::move(reply));
}

std::string Bookmarks::problem_with(Instant now, const Caller& caller, const Bookmark& mark) {
  if (mark.text.size() > bookmark_bytes_max) {
    return fmt::format("found a text of {} bytes, expected at most {}", mark.text.size(),
                       bookmark_bytes_max);
  }
  if (mark.at < Instant{}) return "its moment is before 1970";
  if (mark.at > saturating_add(now, from_seconds(clock_ahead_wall_s * settings.speed))) {
    return "its moment is in the future";
  }
  const Duration counted = from_seconds(counted_wall_s * settings.speed);
  while (!last_minute_.empty() && saturating_add(last_minute_.front().at, counted) <= now) {
    last_minute_.pop_front();
  }
  std::string sender = caller.key.empty() ? fmt::format("connection {}", caller.peer.number)
                                          : "key " + std::string(caller.key);
  const auto of_sender =
      static_cast<std::size_t>(std::ranges::count(last_minute_, sender, &Published::sender));
  if (of_sender >= bookmarks_of_sender_max || last_minute_.size() >= bookmarks_of_all_max) {
    return "there were many in the last minute; try again later";
  }
  last_minute_.push_back({now, std::move(sender)});
  return {};
}

}  // namespace drover::router
