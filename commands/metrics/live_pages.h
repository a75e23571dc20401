// The pages of a fleet that goes on: messages in from a program's loop, finished pages out to any
// number of clients.
//
// A worker thread applies the messages, so that the loop never waits: it only adds to a bounded
// queue. A page is built when a client asks for it, at most once in a wall second, on that client's
// thread; others get the same page. A page stays as it is while a client reads it. There are at
// most pages_max of each format: while slow clients hold all of them, others get the newest.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "commands/metrics/page/fleet_metrics.h"
#include "commands/metrics/page/page.h"
#include "commands/shell/clock.h"
#include "fleet/base/mutex.h"
#include "fleet/base/time.h"
#include "fleet/messages.h"

namespace drover::commands {

class LivePages {
 public:
  struct Limits {
    std::size_t queue_bytes = 64U << 20;
    WallSpan page_age = std::chrono::seconds(1);  // a younger page is served again
  };
  LivePages(const FleetMetricsOptions& options, const Limits& limits);
  explicit LivePages(const FleetMetricsOptions& options) : LivePages(options, Limits{}) {}
  ~LivePages();
  LivePages(const LivePages&) = delete;
  LivePages& operator=(const LivePages&) = delete;

  // For the loop. They return false if the queue is full: then request a snapshot.
  bool add(Instant arrived, Envelope envelope);
  bool add_snapshot(Instant arrived, std::vector<std::string> messages);
  /// The fleet time from now on; speed 0: it stands still.
  void set_clock(const FleetAnchor& clock);
  void set_ledger(std::uint64_t commits, bool full);
  void set_remote(const RemoteCounts& counts);  // from any thread

  /// Waits until all that was added before is in the next page.
  void settle();

  // For the server's threads.
  struct HeldPage {
    Page page;
    PageFormat format = PageFormat::text;
    std::string gzip;  // empty: not made yet
    WallTime built{};
    int readers = 0;
  };
  /// Must be given back with `release`.
  HeldPage* hold(PageFormat format, bool gzipped);
  void release(HeldPage* page);
  std::uint64_t pages_built() const;

 private:
  static constexpr std::size_t pages_max = 3;
  struct NewMessage {
    Instant at{};
    Envelope envelope;
  };
  struct NewSnapshot {
    Instant at{};
    std::vector<std::string> messages;
  };
  using Entry = std::variant<NewMessage, NewSnapshot>;

  bool push(Entry entry, std::size_t bytes);
  void work();
  void apply(const Entry& entry) DROVER_REQUIRES(fleet_mutex_);
  HeldPage* free_page(PageFormat format, HeldPage* newest) DROVER_REQUIRES(fleet_mutex_);

  const Limits limits_;

  mutable Mutex queue_mutex_;
  std::condition_variable_any filled_, drained_;
  std::deque<Entry> queue_ DROVER_GUARDED_BY(queue_mutex_);
  std::size_t queue_bytes_ DROVER_GUARDED_BY(queue_mutex_) = 0;
  bool applying_ DROVER_GUARDED_BY(queue_mutex_) = false;
  bool ending_ DROVER_GUARDED_BY(queue_mutex_) = false;
  FleetAnchor clock_ DROVER_GUARDED_BY(queue_mutex_);
  ProcessFacts process_ DROVER_GUARDED_BY(queue_mutex_);
  std::uint64_t dropped_ DROVER_GUARDED_BY(queue_mutex_) = 0;

  mutable Mutex fleet_mutex_;
  FleetMetrics fleet_ DROVER_GUARDED_BY(fleet_mutex_);
  std::vector<std::unique_ptr<HeldPage>> pages_ DROVER_GUARDED_BY(fleet_mutex_);
  std::uint64_t pages_built_ DROVER_GUARDED_BY(fleet_mutex_) = 0;

  Mutex gzip_mutex_;  // one page is compressed at a time

  std::thread worker_;
};

}  // namespace drover::commands
