#include "commands/readings/page_fetcher.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <set>
#include <thread>
#include <utility>

#include <httplib.h>

#include "agents/scrape/read_hosts.h"
#include "commands/shell/file_descriptor.h"
#include "fleet/base/mutex.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::commands {
namespace {

/// Everything that the readers of pages understand.
constexpr const char* default_query =
    R"({__name__=~"DCGM_FI_.+|all_smi_.+|(amd_)?(gpu|GPU|pcie|PCIE)_.+|nvidia_smi_.+|duty_cycle.*|)"
    R"(memory_(used|total).*|tensorcore_utilization.*|memory_bandwidth_utilization.*"})";
constexpr std::size_t url_bytes_max = 2048;
constexpr std::size_t notes_max = 1000;

/// The parts of "https://user:password@node-7:9400/metrics".
struct Url {
  std::string origin;  // "https://node-7:9400"
  std::string user, password;
  std::string path;  // with its query; empty: none
};

Result<Url> parse_url(std::string_view text, std::string_view place) {
  const auto invalid = [&](std::string_view why) {
    return error("{} {}: {}, expected http://HOST:PORT/PATH or https://..", place,
                 excerpt(std::string(text)), why);
  };
  if (text.size() > url_bytes_max) return invalid("is longer than 2,048 bytes");
  for (const char letter : text) {
    if (static_cast<unsigned char>(letter) <= ' ' || letter == 0x7f)
      return invalid("has a blank or a control character");
  }
  const std::size_t scheme_end = text.find("://");
  const std::string_view scheme = text.substr(0, scheme_end);
  if (scheme_end == std::string_view::npos || (scheme != "http" && scheme != "https"))
    return invalid("has no http:// or https://");
  std::string_view rest = text.substr(scheme_end + 3);
  const std::size_t path_begin = std::min(rest.find_first_of("/?"), rest.size());
  Url url;
  url.path = rest.substr(path_begin);
  std::string_view authority = rest.substr(0, path_begin);
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    const std::string_view login = authority.substr(0, at);
    const std::size_t colon = std::min(login.find(':'), login.size());
    url.user = httplib::detail::decode_url(std::string(login.substr(0, colon)), false);
    if (colon < login.size())
      url.password = httplib::detail::decode_url(std::string(login.substr(colon + 1)), false);
    authority.remove_prefix(at + 1);
  }
  if (authority.empty() || authority.front() == ':') return invalid("names no host");
  const std::size_t colon = authority.rfind(':');
  const bool bracketed = authority.back() == ']';
  if (colon != std::string_view::npos && !bracketed) {
    const auto port = parse_integer(authority.substr(colon + 1), "port");
    if (!port || *port < 1 || *port > 65535) return invalid("has no port from 1 to 65535");
  }
  url.origin = fmt::format("{}://{}", scheme, authority);
  return url;
}

}  // namespace

Result<PageTarget> parse_page_target(std::string_view text, std::string_view place) {
  DROVER_TRY(parse_url(text, place));
  return PageTarget{std::string(text), ""};
}

Result<PageTarget> parse_prometheus_target(std::string_view text, std::string query,
                                           std::string_view place) {
  DROVER_TRY(parse_url(text, place));
  return PageTarget{std::string(text), query.empty() ? default_query : std::move(query)};
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
      const MutexLock lock(mutex_);
      ended_ = true;
      for (const auto& fetch : fetches_) {
        if (fetch->running) fetch->client->stop();
      }
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  int descriptor() const { return ready_.get(); }

  void request(WallTime now) {
    const MutexLock lock(mutex_);
    for (const auto& fetch : fetches_) {
      // A server that sends a byte now and then would keep its thread for ever.
      if (fetch->running && now > fetch->deadline) fetch->client->stop();
      if (fetch->running || fetch->queued) continue;
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

  std::vector<std::string> take_notes() {
    const MutexLock lock(mutex_);
    return std::exchange(notes_, {});
  }

 private:
  struct Fetch {
    explicit Fetch(PageTarget wanted) : target(std::move(wanted)) {}
    PageTarget target;
    std::unique_ptr<httplib::Client> client;  // of the thread that fetches; `stop` is for any
    bool queued = false, running = false;
    WallTime deadline{};
  };
  struct Page {
    std::string text;
    std::string failure;
    bool whole = false;
  };

  void work() {
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
      const Page page = get(*fetch);
      agents::TargetNews news;
      std::vector<std::string> notes;
      read(*fetch, page, news, notes);
      finish(*fetch, std::move(news), notes);
    }
  }

  void prepare(Fetch& fetch) DROVER_REQUIRES(mutex_) {
    fetch.queued = false;
    fetch.running = true;
    fetch.deadline = wall_now() + settings_.connect_within + settings_.answer_within;
    if (fetch.client) return;
    const Url url = *parse_url(fetch.target.url, "");
    fetch.client = std::make_unique<httplib::Client>(url.origin);
    httplib::Client& client = *fetch.client;
    const auto seconds = [](WallSpan span) {
      return std::chrono::ceil<std::chrono::seconds>(span);
    };
    client.set_connection_timeout(seconds(settings_.connect_within));
    client.set_read_timeout(seconds(settings_.answer_within));
    client.set_write_timeout(seconds(settings_.answer_within));
    client.set_keep_alive(true);
    client.set_tcp_nodelay(true);
    client.enable_server_certificate_verification(true);
    if (!url.user.empty()) client.set_basic_auth(url.user, url.password);
  }

  Page get(Fetch& fetch) {
    const Url url = *parse_url(fetch.target.url, "");
    const std::string path = path_of(fetch.target, url);
    Page page;
    int status = 0;
    bool too_large = false, late = false;
    const auto begin = [&](const httplib::Response& response) {
      status = response.status;
      page.whole =
          response.has_header("Content-Length") || response.has_header("Transfer-Encoding");
      return status == 200;
    };
    const auto take = [&](const char* bytes, std::size_t size) {
      too_large = page.text.size() + size > settings_.page_bytes_max;
      late = wall_now() > fetch.deadline;
      if (too_large || late) return false;
      page.text.append(bytes, size);
      return true;
    };
    const httplib::Headers headers{{"Accept", "text/plain;version=0.0.4, */*;q=0.5"}};
    const httplib::Result result = fetch.client->Get(path, headers, begin, take);
    if (status != 0 && status != 200) {
      page.failure = fmt::format("answers with HTTP status {}", status);
    } else if (too_large) {
      page.failure = fmt::format("its page is larger than {} MiB", settings_.page_bytes_max >> 20U);
    } else if (late) {
      page.failure = "its page does not come to an end in time";
    } else if (!result) {
      page.failure = failure_text(result.error());
    }
    return page;
  }

  static std::string path_of(const PageTarget& target, const Url& url) {
    if (target.query.empty()) return url.path.empty() || url.path == "/" ? "/metrics" : url.path;
    std::string base = url.path;
    while (base.ends_with('/')) base.pop_back();
    return base + "/api/v1/query?" +
           httplib::detail::params_to_query_str({{"query", target.query}});
  }

  static std::string failure_text(httplib::Error error) {
    switch (error) {
      case httplib::Error::Connection:
        return "cannot connect to it";
      case httplib::Error::ConnectionTimeout:
        return "does not accept the connection in time";
      case httplib::Error::Read:
        return "does not answer in time";
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
    notes = std::move(hosts->notes);
  }

  void finish(Fetch& fetch, agents::TargetNews news, const std::vector<std::string>& notes) {
    const MutexLock lock(mutex_);
    fetch.running = false;
    for (const std::string& note : notes) {
      if (noted_.size() < notes_max && noted_.insert(note).second) notes_.push_back(note);
    }
    news_.push_back(std::move(news));
    const std::uint64_t one = 1;
    (void)!::write(ready_.get(), &one, sizeof one);
  }

  const PageFetcherSettings settings_;
  const FileDescriptor ready_;
  std::vector<std::unique_ptr<Fetch>> fetches_;  // their state is guarded by the mutex
  Mutex mutex_;
  std::condition_variable_any wake_;
  bool ended_ DROVER_GUARDED_BY(mutex_) = false;
  std::deque<Fetch*> queue_ DROVER_GUARDED_BY(mutex_);
  std::vector<agents::TargetNews> news_ DROVER_GUARDED_BY(mutex_);
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
std::vector<std::string> PageFetcher::take_notes() { return threads_->take_notes(); }

}  // namespace drover::commands
