// Moments that users of dashboards mark: published for all who record.
//
// Every client may mark, so the number of bookmarks is limited: each is an event that
// everyone sees, and a mark of every recording.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "fleet/messages.h"
#include "router/health/connection_table.h"
#include "router/health/timing.h"
#include "router/publishing/outbox_builder.h"
#include "router/publishing/publisher.h"

namespace drover::router {

/// In any wall minute. A sender is a key, or a connection without a key.
inline constexpr std::size_t bookmarks_of_sender_max = 10;
inline constexpr std::size_t bookmarks_of_all_max = 30;

struct BookmarksDependencies {
  const RouterTiming& settings;
  OutboxBuilder& outbox;
  Publisher& publisher;
};

class Bookmarks : BookmarksDependencies {
 public:
  explicit Bookmarks(const BookmarksDependencies& uses) : BookmarksDependencies(uses) {}

  void handle(Instant now, const Caller& caller, const Bookmark& mark);

 private:
  struct Published {
    Instant at{};
    std::string sender;
  };
  /// Empty: it can be published, and counts from now on.
  std::string problem_with(Instant now, const Caller& caller, const Bookmark& mark);

  std::deque<Published> last_minute_;
};

}  // namespace drover::router
