#include "commands/metrics/remote_write.h"

#include <httplib.h>

#include <algorithm>
#include <utility>

#include "fleet/base/text.h"
#include "fleet/base/version.h"

namespace drover::commands {

namespace {

constexpr int answer_s = 10;  // for one request

}  // namespace

class RemoteWriter::Client {
 public:
  Client(const std::string& server, std::string path) : http_(server), path_(std::move(path)) {
    http_.set_connection_timeout(answer_s);
    http_.set_read_timeout(answer_s);
    http_.set_write_timeout(answer_s);
    http_.set_keep_alive(true);
  }
  bool valid() const { return http_.is_valid(); }

  enum class Answer { stored, refused, again };
  struct Sent {
    Answer answer;
    std::string problem;
  };
  Sent send(const WriteRequest& request) {
    const httplib::Headers headers = {{"Content-Encoding", "snappy"},
                                      {"X-Prometheus-Remote-Write-Version", "0.1.0"},
                                      {"User-Agent", software_name}};
    const auto answer = http_.Post(path_, headers, request.bytes, "application/x-protobuf");
    if (!answer) return {Answer::again, to_string(answer.error())};
    if (answer->status / 100 == 2) return {Answer::stored, {}};
    const bool again = answer->status == 429 || answer->status / 100 == 5;
    return {again ? Answer::again : Answer::refused,
            fmt::format("status {}: {}", answer->status, excerpt(answer->body, 200))};
  }

 private:
  httplib::Client http_;
  std::string path_;
};

Result<std::unique_ptr<RemoteWriter>> RemoteWriter::open(const std::string& url, LivePages& pages,
                                                         AddedLabels labels, Report report,
                                                         const Limits& limits) {
  const std::size_t host = url.starts_with("http://")    ? 7
                           : url.starts_with("https://") ? 8
                                                         : std::string::npos;
  const std::size_t path = host == std::string::npos ? host : url.find('/', host);
  auto client = path == std::string::npos || path == host
                    ? nullptr
                    : std::make_unique<Client>(url.substr(0, path), url.substr(path));
  if (!client || !client->valid()) {
    return error(
        "--remote-write: found '{}', expected a URL such as "
        "http://127.0.0.1:9090/api/v1/write",
        excerpt(url));
  }
  return std::unique_ptr<RemoteWriter>(
      new RemoteWriter(std::move(client), pages, std::move(labels), std::move(report), limits));
}

RemoteWriter::RemoteWriter(std::unique_ptr<Client> client, LivePages& pages, AddedLabels labels,
                           Report report, const Limits& limits)
    : client_(std::move(client)),
      pages_(pages),
      labels_(std::move(labels)),
      report_(std::move(report)),
      limits_(limits),
      thread_([this] { work(); }) {}

RemoteWriter::~RemoteWriter() {
  {
    const MutexLock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

/// False: the writer ends.
bool RemoteWriter::sleep_until(WallTime end) {
  const MutexLock lock(mutex_);
  changed_.wait_until(mutex_, end, [&]() DROVER_REQUIRES(mutex_) { return ending_; });
  return !ending_;
}

void RemoteWriter::work() {
  WallTime page_due = wall_now() + limits_.every, send_due{};
  WallSpan pause = limits_.pause_min;
  while (sleep_until(queue_.empty() ? page_due : std::min(page_due, send_due))) {
    const WallTime now = wall_now();
    if (now >= page_due) {
      add_page();
      page_due = std::max(page_due + limits_.every, now);
    }
    if (queue_.empty() || now < send_due) continue;
    if (send_first()) {
      pause = limits_.pause_min;
    } else {
      send_due = wall_now() + pause;
      pause = std::min(2 * pause, limits_.pause_max);
    }
    pages_.set_remote(counts_);
  }
}

void RemoteWriter::add_page() {
  const std::int64_t at_ms = system_now().time_since_epoch().count() / 1'000'000;
  LivePages::HeldPage* const page = pages_.hold(PageFormat::text, false);
  for (WriteRequest& request : write_requests(page->page, labels_, at_ms)) {
    queue_bytes_ += request.bytes.size();
    queue_.push_back(std::move(request));
    while (queue_bytes_ > limits_.queue_bytes && queue_.size() > 1) {
      counts_.dropped += queue_.front().samples;
      drop_first();
    }
  }
  pages_.release(page);
}

void RemoteWriter::drop_first() {
  queue_bytes_ -= queue_.front().bytes.size();
  queue_.pop_front();
}

/// Whether the first request is done with.
bool RemoteWriter::send_first() {
  const Client::Sent sent = client_->send(queue_.front());
  if (sent.problem != reported_) {
    reported_ = sent.problem;
    report_(reported_.empty() ? "samples are stored again" : printable(reported_));
  }
  if (sent.answer == Client::Answer::again) {
    ++counts_.retries;
    return false;
  }
  (sent.answer == Client::Answer::stored ? counts_.sent : counts_.dropped) +=
      queue_.front().samples;
  drop_first();
  return true;
}

}  // namespace drover::commands
