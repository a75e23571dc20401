#include "commands/metrics/remote_write.h"

#include <fcntl.h>
#include <httplib.h>
#include <sys/socket.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <utility>

#include "commands/shell/file_descriptor.h"
#include "commands/shell/url.h"
#include "fleet/base/text.h"
#include "fleet/base/version.h"

namespace drover::commands {

namespace {

constexpr int answer_s = 10;  // for one request

std::string_view failure_text(httplib::Error error) {
  switch (error) {
    case httplib::Error::Connection:
    case httplib::Error::ConnectionTimeout:
      return "cannot connect";
    case httplib::Error::Read:
      return "no answer";
    case httplib::Error::SSLServerVerification:
      return "its certificate is not valid for it";
    default:
      return "the connection broke";
  }
}

}  // namespace

class RemoteWriter::Client {
 public:
  explicit Client(const Url& url, std::string shown)
      : shown_(std::move(shown)), path_(url.path + url.query) {
    if (url.secure) {
      http_ = std::make_unique<httplib::SSLClient>(url.host, url.port);
    } else {
      http_ = std::make_unique<httplib::ClientImpl>(url.host, url.port);
    }
    http_->set_connection_timeout(answer_s);
    http_->set_read_timeout(answer_s);
    http_->set_write_timeout(answer_s);
    http_->set_keep_alive(true);
    http_->set_url_encode(false);  // the URL is sent as it was given
    http_->enable_server_certificate_verification(true);
    http_->set_socket_options([this](int socket) {
      const MutexLock lock(mutex_);
      socket_ = FileDescriptor(::fcntl(socket, F_DUPFD_CLOEXEC, 0));
    });
    if (!url.user.empty() || !url.password.empty()) http_->set_basic_auth(url.user, url.password);
  }

  /// The URL for messages.
  const std::string& shown() const { return shown_; }

  enum class Answer { stored, refused, again };
  struct Sent {
    Answer answer;
    std::string problem;  // empty: none
    std::string details;  // of the problem, which differ from request to request
  };
  Sent send(const WriteRequest& request) {
    const httplib::Headers headers = {{"Content-Encoding", "snappy"},
                                      {"X-Prometheus-Remote-Write-Version", "0.1.0"},
                                      {"User-Agent", software_name}};
    const auto answer = http_->Post(path_, headers, request.bytes, "application/x-protobuf");
    if (!answer) {
      return {Answer::again, std::string(failure_text(answer.error())), "; trying again"};
    }
    if (answer->status / 100 == 2) return {Answer::stored, {}, {}};
    const bool again = answer->status == 429 || answer->status / 100 == 5;
    return {again ? Answer::again : Answer::refused,
            fmt::format("HTTP status {}, expected 2xx", answer->status),
            fmt::format("; {}: {}", again ? "trying again" : "its samples are dropped",
                        excerpt(answer->body, 200))};
  }

  /// Ends the request that runs, if it has a connection. The client's own `stop` waits while it
  /// connects.
  void cut() {
    const MutexLock lock(mutex_);
    if (socket_.is_open()) (void)::shutdown(socket_.get(), SHUT_RDWR);
  }

 private:
  const std::string shown_, path_;
  std::unique_ptr<httplib::ClientImpl> http_;
  Mutex mutex_;
  FileDescriptor socket_ DROVER_GUARDED_BY(mutex_);  // of the last connection
};

Result<std::unique_ptr<RemoteWriter>> RemoteWriter::open(const std::string& url, LivePages& pages,
                                                         AddedLabels labels, Report report,
                                                         const Limits& limits) {
  DROVER_ASSIGN(const auto parts, parse_url(url, "--remote-write"));
  const std::string shown = "--remote-write " + shown_url(url);
  if (parts.path.empty()) {
    return error("{}: has no path, expected a URL such as http://127.0.0.1:9090/api/v1/write",
                 shown);
  }
  return std::unique_ptr<RemoteWriter>(new RemoteWriter(
      std::make_unique<Client>(parts, shown), pages, std::move(labels), std::move(report), limits));
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
  end();
  thread_.join();
  std::size_t waiting = 0;
  for (const WriteRequest& request : queue_) waiting += request.samples;
  if (waiting > 0) {
    report_(fmt::format("{}: {} not stored before the end, and dropped", client_->shown(),
                        counted(waiting, "sample was", "samples were")));
  }
}

void RemoteWriter::end() {
  const MutexLock lock(mutex_);
  ending_ = true;
  changed_.notify_all();
  changed_.wait_until(mutex_, wall_now() + limits_.end_within,
                      [&]() DROVER_REQUIRES(mutex_) { return ended_; });
  // Again and again: a request that is looking its host up has no connection yet.
  while (!ended_) {
    client_->cut();
    changed_.wait_for(mutex_, std::chrono::milliseconds(50));
  }
}

/// False: the writer ends.
bool RemoteWriter::sleep_until(WallTime end) {
  const MutexLock lock(mutex_);
  changed_.wait_until(mutex_, end, [&]() DROVER_REQUIRES(mutex_) { return ending_; });
  return !ending_;
}

void RemoteWriter::work() {
  // A server that closes its connection early must not end the process.
  sigset_t broken_pipe;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
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
  const MutexLock lock(mutex_);
  ended_ = true;
  changed_.notify_all();
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
  // It was cut off at the end.
  if (sent.answer == Client::Answer::again && !sleep_until(WallTime{})) return false;
  if (sent.problem != reported_) {
    reported_ = sent.problem;
    report_(fmt::format("{}: {}{}", client_->shown(),
                        reported_.empty() ? "samples are stored again" : reported_, sent.details));
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
