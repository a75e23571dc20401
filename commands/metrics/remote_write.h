// `--remote-write URL`: pushes the samples of `/metrics` to Prometheus, VictoriaMetrics and others,
// on a thread of its own.
//
// Every few seconds the page becomes requests in a bounded queue. When the other side is busy or
// away (429, 5xx, no answer) they are sent again, with longer and longer pauses; when it refuses
// them (4xx) they are dropped. When the queue is full the oldest are dropped. Dropped samples are
// counted.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "commands/metrics/live_pages.h"
#include "commands/metrics/write_request.h"
#include "commands/shell/clock.h"
#include "fleet/base/mutex.h"
#include "fleet/base/result.h"

namespace drover::commands {

class RemoteWriter {
 public:
  struct Limits {
    WallSpan every = std::chrono::seconds(5);
    WallSpan pause_min = std::chrono::seconds(1), pause_max = std::chrono::seconds(30);
    WallSpan end_within = std::chrono::seconds(1);  // for the request that runs at the end
    std::size_t queue_bytes = 64U << 20;
  };

  /// Gets each new problem once, and that samples are stored again, on the writer's thread; and at
  /// the end how many samples were not sent. The text begins with the URL, without its password.
  using Report = std::function<void(const std::string& text)>;

  /// The error says what is wrong with the URL. The pages must outlive the writer.
  static Result<std::unique_ptr<RemoteWriter>> open(const std::string& url, LivePages& pages,
                                                    AddedLabels labels, Report report,
                                                    const Limits& limits);
  static Result<std::unique_ptr<RemoteWriter>> open(const std::string& url, LivePages& pages,
                                                    AddedLabels labels, Report report) {
    return open(url, pages, std::move(labels), std::move(report), Limits{});
  }
  /// Ends without sending what waits. Cuts a request off that takes long, but waits while the name
  /// of a host is looked up.
  ~RemoteWriter();
  RemoteWriter(const RemoteWriter&) = delete;
  RemoteWriter& operator=(const RemoteWriter&) = delete;

 private:
  class Client;
  RemoteWriter(std::unique_ptr<Client> client, LivePages& pages, AddedLabels labels, Report report,
               const Limits& limits);
  void end();
  void work();
  void add_page();
  bool send_first();
  bool sleep_until(WallTime end);
  void drop_first();

  const std::unique_ptr<Client> client_;
  LivePages& pages_;
  const AddedLabels labels_;
  const Report report_;
  const Limits limits_;

  // Only the thread uses these.
  std::deque<WriteRequest> queue_;
  std::size_t queue_bytes_ = 0;
  RemoteCounts counts_;
  std::string reported_;  // the last problem, without what changes in it

  Mutex mutex_;
  std::condition_variable_any changed_;
  bool ending_ DROVER_GUARDED_BY(mutex_) = false, ended_ DROVER_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace drover::commands
