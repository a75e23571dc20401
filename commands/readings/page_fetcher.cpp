#include "commands/readings/page_fetcher.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <set>
#include <thread>
#include <utility>

#include <httplib.h>

#include "agents/scrape/read_hosts.h"
#include "agents/scrape/texts.h"
#include "commands/shell/file_descriptor.h"
#include "commands/shell/url.h"
#include "fleet/base/mutex.h"
#include "fleet/base/text.h"

namespace drover::commands {
namespace {

/// Everything that the readers of pages understand.
constexpr const char* default_query =
    R"({__name__=~"DCGM_FI_.+|dcgm_.+|all_smi_.+|(amd_)?(gpu|GPU|pcie|PCIE)_.+|nvidia_smi_.+|)"
    R"((kubernetes_io:(container|node)_accelerator_)?(duty_cycle|memory_(used|total)|)"
    R"(tensorcore_utilization|memory_bandwidth_utilization).*"})";
constexpr std::size_t notes_max = 1000;
/// Requests come at a steady rate, but not at exact times.
constexpr WallSpan early = std::chrono::milliseconds(100);

}  // namespace

Result<PageTarget> parse_page_target(std::string_view text, std::string_view place) {
  DROVER_TRY(parse_url(text, place));
  return PageTarget{std::string(text), "", ""};
}

Result<PageTarget> parse_prometheus_target(std::string_view text, std::string query,
                                           std::string_view place) {
  DROVER_TRY(parse_url(text, place));
  return PageTarget{std::string(text), query.empty() ? default_query : std::move(query), ""};
}

/// Shared by the loop and the threads.
class PageFetcher::Threads {
 public:
  Threads(std::vector<PageTarget> targets, PageFetcherSettings settings)
      : settings_(settings), ready_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    for (PageTarget& target : targets)
      fetches_.push_back(std::make_unique<Fetch>(std::move(target)));
    const std::size_t threads = std::min(fetches_.size(), settings_.threads_max);
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }

  ~Threads() {
    {
      MutexLock lock(mutex_);
      ended_ = true;
      wake_.notify_all();
      const auto running = [](const auto& fetch) { return fetch->running; };
      while (std::ranges::any_of(fetches_, running)) {
        // Again and again: one that is looking its host up has no socket yet.
        for (const auto& fetch : fetches_) cut(*fetch);
        ended_fetch_.wait_for(mutex_, std::chrono::milliseconds(50));
      }
    }
    for (std::thread& thread : threads_) thread.join();
  }

  int descriptor() const { return ready_.get(); }

  void request(WallTime now) {
    const MutexLock lock(mutex_);
    for (const auto& fetch : fetches_) {
      // A server that sends a byte now and then would keep its thread for ever.
      if (fetch->running && now > fetch->deadline) cut(*fetch);
      if (fetch->running || fetch->queued) continue;
      if (now + early < fetch->asked + fetch->pause) {
        add({fetch->target.url, {}, fetch->failure});
        continue;
      }
      fetch->asked = now;
      fetch->queued = true;
      queue_.push_back(fetch.get());
    }
    wake_.notify_all();
  }

  std::vector<agents::TargetNews> take() {
    const MutexLock lock(mutex_);
    std::uint64_t count = 0;
    (void)!::read(ready_.get(), &count, sizeof count);
    return std::exchange(news_, {});
  }

  std::vector<FetchedText> take_texts() {
    const MutexLock lock(mutex_);
    return std::exchange(texts_, {});
  }

  std::vector<std::string> take_notes() {
    const MutexLock lock(mutex_);
    return std::exchange(notes_, {});
  }

 private:
  struct Fetch {
    explicit Fetch(PageTarget wanted) : target(std::move(wanted)) {}
    PageTarget target;
    std::unique_ptr<httplib::ClientImpl> client;  // of the thread that fetches
    /// The connection, while there is one. The client's own `stop` waits while it connects.
    FileDescriptor socket;
    bool queued = false, running = false;
    WallTime asked{}, deadline{};
    WallSpan pause{};     // before it is asked again; 0: it has not failed
    std::string failure;  // the last one
  };
  struct Page {
    std::string text;
    std::string failure;
    bool whole = false;
  };

  void work() {
    // A server that closes its connection early must not end the process.
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    for (;;) {
      Fetch* fetch = nullptr;
      {
        MutexLock lock(mutex_);
        wake_.wait(mutex_, [this]() DROVER_REQUIRES(mutex_) { return ended_ || !queue_.empty(); });
        if (ended_) return;
        fetch = queue_.front();
        queue_.pop_front();
        prepare(*fetch);
      }
      Page page = get(*fetch);
      if (!fetch->target.range.empty()) {
        finish(*fetch, {std::move(page.text), std::move(page.failure)});
        continue;
      }
      agents::TargetNews news;
      std::vector<std::string> notes;
      read(*fetch, page, news, notes);
      finish(*fetch, std::move(news), notes);
    }
  }

  static void cut(const Fetch& fetch) {
    if (fetch.socket.is_open()) (void)::shutdown(fetch.socket.get(), SHUT_RDWR);
  }

  void prepare(Fetch& fetch) DROVER_REQUIRES(mutex_) {
    fetch.queued = false;
    fetch.running = true;
    fetch.deadline = wall_now() + settings_.connect_within + settings_.answer_within;
    if (fetch.client) return;
    const Url url = *parse_url(fetch.target.url, "");
    if (url.secure) {
      fetch.client = std::make_unique<httplib::SSLClient>(url.host, url.port);
    } else {
      fetch.client = std::make_unique<httplib::ClientImpl>(url.host, url.port);
    }
    httplib::ClientImpl& client = *fetch.client;
    client.set_socket_options([this, &fetch](int socket) {
      const MutexLock lock(mutex_);
      fetch.socket = FileDescriptor(::fcntl(socket, F_DUPFD_CLOEXEC, 0));
    });
    const auto seconds = [](WallSpan span) {
      return std::chrono::ceil<std::chrono::seconds>(span);
    };
    client.set_connection_timeout(seconds(settings_.connect_within));
    client.set_read_timeout(seconds(settings_.answer_within));
    client.set_write_timeout(seconds(settings_.answer_within));
    client.set_url_encode(false);  // the URL is sent as it was given
    client.enable_server_certificate_verification(true);
    if (!url.user.empty() || !url.password.empty()) client.set_basic_auth(url.user, url.password);
  }

  Page get(Fetch& fetch) {
    const Url url = *parse_url(fetch.target.url, "");
    const std::string path = path_of(fetch.target, url);
    Page page;
    int status = 0;
    bool too_large = false;
    const auto late = [&] { return wall_now() > fetch.deadline; };
    const auto begin = [&](const httplib::Response& response) {
      status = response.status;
      page.whole =
          response.has_header("Content-Length") || response.has_header("Transfer-Encoding");
      return status == 200;
    };
    const auto take = [&](const char* bytes, std::size_t size) {
      too_large = page.text.size() + size > settings_.page_bytes_max;
      if (too_large || late()) return false;
      page.text.append(bytes, size);
      return true;
    };
    const httplib::Headers headers{{"Accept", "text/plain;version=0.0.4, */*;q=0.5"},
                                   {"Accept-Encoding", "gzip"}};
    const WallTime begun = wall_now();
    const httplib::Result result = fetch.client->Get(path, headers, begin, take);
    if (result) status = result->status;  // of an answer that has no content
    if (status != 0 && status != 200) {
      page.failure = fmt::format("answers with HTTP status {}", status);
    } else if (too_large) {
      page.failure = fmt::format("its page is larger than {} MiB", settings_.page_bytes_max >> 20U);
    } else if (!result && status == 200) {
      const bool waited = late() || wall_now() - begun >= settings_.answer_within;
      page.failure = waited ? "its page does not come to an end in time" : "its page is cut off";
    } else if (!result) {
      page.failure =
          failure_text(result.error(), late() || wall_now() - begun >= settings_.answer_within);
    }
    return page;
  }

  static std::string path_of(const PageTarget& target, const Url& url) {
    const bool named = !url.path.empty() && url.path != "/";
    if (target.query.empty()) return (named ? url.path : "/metrics") + url.query;
    std::string base = url.path;
    while (base.ends_with('/')) base.pop_back();
    base += target.range.empty() ? "/api/v1/query?" : "/api/v1/query_range?" + target.range + "&";
    return base + httplib::detail::params_to_query_str({{"query", target.query}});
  }

  static std::string failure_text(httplib::Error error, bool waited) {
    switch (error) {
      case httplib::Error::Connection:
        return "cannot connect to it";
      case httplib::Error::ConnectionTimeout:
        return "does not accept the connection in time";
      case httplib::Error::Read:
        return waited ? "does not answer in time" : "ends the connection without an answer";
      case httplib::Error::SSLServerVerification:
        return "its certificate is not valid for it";
      default:
        return "cannot be read: " + httplib::to_string(error);
    }
  }

  static void read(const Fetch& fetch, const Page& page, agents::TargetNews& news,
                   std::vector<std::string>& notes) {
    const std::string& url = fetch.target.url;
    news.target = url;
    news.failure = page.failure;
    if (!news.failure.empty()) return;
    const PageEnd end = page.whole ? PageEnd::whole : PageEnd::may_be_cut;
    auto hosts = fetch.target.query.empty() ? agents::read_hosts(page.text, url, end)
                                            : agents::read_prometheus_answer(page.text, url);
    if (!hosts) {
      news.failure = hosts.error().message;
      return;
    }
    news.hosts = std::move(hosts->hosts);
    for (const std::string& note : hosts->notes)
      notes.push_back(fmt::format("{}: {}", agents::without_credentials(url), note));
  }

  void end(Fetch& fetch, const std::string& failure) DROVER_REQUIRES(mutex_) {
    fetch.running = false;
    fetch.socket.reset();
    fetch.failure = failure;
    const WallSpan longest = std::max(settings_.pause_min, settings_.pause_max);
    fetch.pause =
        failure.empty() ? WallSpan{} : std::clamp(2 * fetch.pause, settings_.pause_min, longest);
    ended_fetch_.notify_all();
  }

  void finish(Fetch& fetch, FetchedText text) {
    const MutexLock lock(mutex_);
    end(fetch, text.failure);
    texts_.push_back(std::move(text));
  }

  void finish(Fetch& fetch, agents::TargetNews news, const std::vector<std::string>& notes) {
    const MutexLock lock(mutex_);
    end(fetch, news.failure);
    for (const std::string& note : notes) {
      // The same with another count is not new.
      std::string kind = note;
      std::erase_if(kind, [](char letter) { return letter >= '0' && letter <= '9'; });
      if (noted_.size() < notes_max && noted_.insert(std::move(kind)).second)
        notes_.push_back(note);
    }
    add(std::move(news));
  }

  void add(agents::TargetNews news) DROVER_REQUIRES(mutex_) {
    news_.push_back(std::move(news));
    const std::uint64_t one = 1;
    (void)!::write(ready_.get(), &one, sizeof one);
  }

  const PageFetcherSettings settings_;
  const FileDescriptor ready_;
  std::vector<std::unique_ptr<Fetch>> fetches_;  // their state is guarded by the mutex
  Mutex mutex_;
  std::condition_variable_any wake_, ended_fetch_;
  bool ended_ DROVER_GUARDED_BY(mutex_) = false;
  std::deque<Fetch*> queue_ DROVER_GUARDED_BY(mutex_);
  std::vector<agents::TargetNews> news_ DROVER_GUARDED_BY(mutex_);
  std::vector<FetchedText> texts_ DROVER_GUARDED_BY(mutex_);
  std::vector<std::string> notes_ DROVER_GUARDED_BY(mutex_);
  std::set<std::string> noted_ DROVER_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_;
};

PageFetcher::PageFetcher(std::vector<PageTarget> targets, PageFetcherSettings settings)
    : threads_(std::make_unique<Threads>(std::move(targets), settings)) {}

PageFetcher::~PageFetcher() = default;

int PageFetcher::descriptor() const { return threads_->descriptor(); }
void PageFetcher::request(WallTime now) { threads_->request(now); }
std::vector<agents::TargetNews> PageFetcher::take(WallTime) { return threads_->take(); }
std::vector<FetchedText> PageFetcher::take_texts() { return threads_->take_texts(); }
std::vector<std::string> PageFetcher::take_notes() { return threads_->take_notes(); }

}  // namespace drover::commands
