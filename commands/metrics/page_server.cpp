#include "commands/metrics/page_server.h"

#include <fcntl.h>
#include <httplib.h>
#include <netdb.h>
#include <openssl/err.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "commands/metrics/user_hashes.h"
#include "commands/shell/clock.h"
#include "fleet/base/mutex.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/base/version.h"

namespace drover::commands {

namespace {

/// One client's connection, with TLS or without: with deadlines, and a limit on what it may send.
class ClientStream final : public httplib::Stream {
 public:
  /// `stops` ends waits early. `tls` null: none. Closes the socket.
  ClientStream(int socket, SSL_CTX* tls, const PageServer::Times& times,
               const std::atomic<bool>& stops)
      : socket_(socket),
        tls_(tls == nullptr ? nullptr : SSL_new(tls)),
        stops_(stops),
        request_end_(wall_now() + times.request),
        response_end_(request_end_ + times.response) {
    ::fcntl(socket_, F_SETFL, ::fcntl(socket_, F_GETFL) | O_NONBLOCK);
    if (tls_ != nullptr) SSL_set_fd(tls_, socket_);
  }
  ~ClientStream() override {
    if (tls_ != nullptr) {
      (void)SSL_shutdown(tls_);
      SSL_free(tls_);
    }
    ::shutdown(socket_, SHUT_RDWR);
    ::close(socket_);
  }
  ClientStream(const ClientStream&) = delete;
  ClientStream& operator=(const ClientStream&) = delete;

  /// Whether the connection can be used: the TLS handshake has succeeded.
  bool open() {
    return tls_ == nullptr || transfer([&] { return SSL_accept(tls_); }, POLLIN, request_end_) > 0;
  }

  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* bytes, std::size_t size) override {
    size = std::min(size, PageServer::request_bytes - received_);
    if (size == 0) return -1;
    const auto once = [&]() -> ssize_t {
      return tls_ == nullptr ? ::recv(socket_, bytes, size, 0)
                             : SSL_read(tls_, bytes, static_cast<int>(size));
    };
    const ssize_t count = transfer(once, POLLIN, request_end_);
    if (count > 0) received_ += static_cast<std::size_t>(count);
    return count;
  }
  ssize_t write(const char* bytes, std::size_t size) override {
    size = std::min(size, std::size_t{1} << 20);
    const auto once = [&]() -> ssize_t {
      return tls_ == nullptr ? ::send(socket_, bytes, size, MSG_NOSIGNAL)
                             : SSL_write(tls_, bytes, static_cast<int>(size));
    };
    return transfer(once, POLLOUT, response_end_);
  }
  // For logs, which this server does not keep.
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return socket_; }

 private:
  /// Repeats it until it succeeds, fails or the deadline has passed.
  ssize_t transfer(const std::function<ssize_t()>& once, short events, WallTime deadline) {
    while (true) {
      ERR_clear_error();
      const ssize_t count = once();
      if (count > 0) return count;
      short wanted = events;
      if (tls_ != nullptr) {
        const int why = SSL_get_error(tls_, static_cast<int>(count));
        if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) return -1;
        wanted = why == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
      } else if (count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
        return count;
      }
      if (!wait(wanted, deadline)) return -1;
    }
  }
  bool wait(short events, WallTime deadline) const {
    while (!stops_ && wall_now() < deadline) {
      pollfd watched{socket_, events, 0};
      if (::poll(&watched, 1, 100) > 0) return true;
    }
    return false;
  }

  int socket_;
  SSL* tls_;
  const std::atomic<bool>& stops_;
  WallTime request_end_, response_end_;
  std::size_t received_ = 0;
};

/// A fixed number of threads; who brings a connection waits until one is free.
class ClientThreads final : public httplib::TaskQueue {
 public:
  explicit ClientThreads(int count) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
  }
  void enqueue(std::function<void()> serve) override {
    const MutexLock lock(mutex_);
    changed_.wait(mutex_, [&]() DROVER_REQUIRES(mutex_) {
      return ending_ || busy_ + waiting_.size() < threads_.size();
    });
    waiting_.push_back(std::move(serve));
    changed_.notify_all();
  }
  void shutdown() override {
    {
      const MutexLock lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void work() {
    MutexLock lock(mutex_);
    while (true) {
      changed_.wait(mutex_, [&]() DROVER_REQUIRES(mutex_) { return ending_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const std::function<void()> serve = std::move(waiting_.front());
      waiting_.pop_front();
      ++busy_;
      lock.unlock();
      serve();
      lock.lock();
      --busy_;
      changed_.notify_all();
    }
  }

  Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::function<void()>> waiting_ DROVER_GUARDED_BY(mutex_);
  std::size_t busy_ DROVER_GUARDED_BY(mutex_) = 0;
  bool ending_ DROVER_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

/// The weight of a kind in a header such as "text/plain;q=0.5, */*;q=0.1"; nothing: not named.
std::optional<double> weight_of(const std::string& header, std::string_view kind) {
  for (const std::string& one : split(header, ',')) {
    const auto parts = split(one, ';');
    if (!equal_ignoring_case(trimmed(parts[0]), kind)) continue;
    double weight = 1;
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const std::string_view part = trimmed(parts[i]);
      if (!part.starts_with("q=")) continue;
      const auto read = parse_number(part.substr(2), "q");
      weight = read ? *read : 0;
    }
    return weight;
  }
  return std::nullopt;
}

constexpr std::string_view index_page =
    "<!DOCTYPE html><title>Drover</title><h1>Drover</h1>"
    "<p><a href=\"/metrics\">Metrics</a> for Prometheus; <a href=\"/-/healthy\">health</a></p>";

}  // namespace

PageFormat format_asked(const std::string& accept) {
  // A header may name OpenMetrics several times, with versions: the first has the highest weight.
  const double openmetrics = weight_of(accept, "application/openmetrics-text").value_or(0);
  const double text = weight_of(accept, "text/plain").value_or(0);
  return openmetrics > 0 && openmetrics >= text ? PageFormat::openmetrics : PageFormat::text;
}

bool accepts_gzip(const std::string& accept_encoding) {
  return weight_of(accept_encoding, "gzip").value_or(0) > 0;
}

class PageServer::Server final : public httplib::Server {
 public:
  Server(const ServerOptions& options, LivePages& pages, const Times& times)
      : options_(options), pages_(pages), times_(times) {
    new_task_queue = [] { return new ClientThreads(connections_max); };
    // Not SO_REUSEPORT: two programs must not share a port.
    set_socket_options([](socket_t socket) {
      const int on = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    });
    set_payload_max_length(request_bytes);
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      return may_read(request, response) ? HandlerResponse::Unhandled : HandlerResponse::Handled;
    });
    Get("/metrics", [this](const httplib::Request& request, httplib::Response& response) {
      answer(request, response);
    });
    Get("/-/healthy", [](const httplib::Request&, httplib::Response& response) {
      response.set_content("Drover is healthy.\n", "text/plain; charset=utf-8");
    });
    Get("/", [](const httplib::Request&, httplib::Response& response) {
      response.set_content(std::string(index_page), "text/html; charset=utf-8");
    });
  }
  ~Server() override {
    stops_ = true;
    if (listener_.joinable()) {
      stop();
      listener_.join();
    }
    SSL_CTX_free(tls_);
  }

  Status open() {
    DROVER_TRY(open_tls());
    const bool six = options_.host.find(':') != std::string::npos;
    const std::string host = printable(six ? "[" + options_.host + "]" : options_.host);
    const bool any = options_.port == 0;
    const int port = any                                          ? bind_to_any_port(options_.host)
                     : bind_to_port(options_.host, options_.port) ? options_.port
                                                                  : -1;
    if (port <= 0) {
      const std::string why = why_not_bound(std::strerror(errno));
      return error(ErrorKind::io, "cannot serve metrics on {}:{}: {}", host, options_.port, why);
    }
    url_ = fmt::format("{}://{}:{}/metrics", tls_ == nullptr ? "http" : "https", host, port);
    listener_ = std::thread([this] { listen_after_bind(); });
    // stop() has no effect before it listens.
    while (!is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return {};
  }
  const std::string& url() const { return url_; }

 private:
  /// Why the address cannot be bound: its name is not known, or what the system has said.
  std::string why_not_bound(std::string said) const {
    addrinfo* found = nullptr;
    const int problem = ::getaddrinfo(options_.host.c_str(), nullptr, nullptr, &found);
    if (problem != 0) return ::gai_strerror(problem);
    ::freeaddrinfo(found);
    return said;
  }

  Status open_tls() {
    if (options_.certificate.empty()) return {};
    tls_ = SSL_CTX_new(TLS_server_method());
    // OpenSSL would ask for the passphrase on the terminal.
    bool encrypted = false;
    SSL_CTX_set_default_passwd_cb_userdata(tls_, &encrypted);
    SSL_CTX_set_default_passwd_cb(tls_, [](char*, int, int, void* asked) {
      *static_cast<bool*>(asked) = true;
      return -1;
    });
    SSL_CTX_set_min_proto_version(tls_, TLS1_2_VERSION);
    SSL_CTX_set_mode(tls_, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    const auto wrong = [](const std::string& file) {
      char why[256] = "";
      ERR_error_string_n(ERR_get_error(), why, sizeof why);
      return error(ErrorKind::io, "--metrics-tls {}: {}", printable(file), why);
    };
    if (SSL_CTX_use_certificate_chain_file(tls_, options_.certificate.c_str()) != 1) {
      return wrong(options_.certificate);
    }
    const bool read =
        SSL_CTX_use_PrivateKey_file(tls_, options_.key.c_str(), SSL_FILETYPE_PEM) == 1;
    if (encrypted) {
      return error(
          "--metrics-tls {}: found a key with a passphrase, expected one without, as `openssl pkey "
          "-in KEY -out NEW` writes it",
          printable(options_.key));
    }
    if (!read || SSL_CTX_check_private_key(tls_) != 1) return wrong(options_.key);
    SSL_CTX_set_default_passwd_cb_userdata(tls_, nullptr);
    return {};
  }

  bool process_and_close_socket(socket_t socket) override {
    ClientStream stream(socket, tls_, times_, stops_);
    if (!stream.open()) return false;
    bool closed = false;
    return process_request(stream, true, closed, [](httplib::Request& request) {
      // A page is answered whole, and compressed here only.
      request.ranges.clear();
      request.headers.erase("Range");
    });
  }

  /// Sets the answer to a client that may not read.
  bool may_read(const httplib::Request& request, httplib::Response& response) {
    if (options_.users.empty()) return true;
    const std::string given = request.get_header_value("Authorization");
    if (!given.empty() && is_known(given)) return true;
    response.status = 401;
    response.set_header("WWW-Authenticate", "Basic realm=\"drover metrics\", charset=\"UTF-8\"");
    response.set_content("401: user and password are required\n", "text/plain; charset=utf-8");
    return false;
  }

  /// Checking a hash takes long on purpose: the last header that was right is remembered.
  bool is_known(const std::string& given) {
    {
      const MutexLock lock(mutex_);
      if (!known_.empty() && given.size() == known_.size() &&
          CRYPTO_memcmp(given.data(), known_.data(), given.size()) == 0) {
        return true;
      }
    }
    constexpr std::string_view scheme = "Basic ";
    if (!given.starts_with(scheme)) return false;
    const std::string pair = from_base64(std::string_view(given).substr(scheme.size()));
    const std::size_t colon = pair.find(':');
    if (colon == std::string::npos) return false;
    const auto user = options_.users.find(pair.substr(0, colon));
    // An unknown name takes as long as a wrong password.
    const std::string& hash =
        user == options_.users.end() ? options_.users.begin()->second : user->second;
    const bool right = matches_hash(pair.substr(colon + 1), hash) && user != options_.users.end();
    if (!right) return false;
    const MutexLock lock(mutex_);
    known_ = given;
    return true;
  }

  static std::string from_base64(std::string_view text) {
    if (text.size() % 4 != 0 || text.size() > request_bytes) return {};
    std::string bytes(text.size() / 4 * 3, '\0');
    const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()));
    const auto padding = static_cast<int>(
        std::count(text.end() - std::min<std::ptrdiff_t>(2, std::ssize(text)), text.end(), '='));
    bytes.resize(static_cast<std::size_t>(std::max(0, size - padding)));
    return bytes;
  }

  void answer(const httplib::Request& request, httplib::Response& response) {
    const PageFormat format = format_asked(request.get_header_value("Accept"));
    const bool gzipped = accepts_gzip(request.get_header_value("Accept-Encoding"));
    LivePages::HeldPage* const page = pages_.hold(format, gzipped);
    if (gzipped) response.set_header("Content-Encoding", "gzip");
    response.set_header("Vary", "Accept, Accept-Encoding");
    const std::size_t size = gzipped ? page->gzip.size() : page->page.size();
    response.set_content_provider(
        size, std::string(content_type_of(format)),
        [page, gzipped](std::size_t offset, std::size_t, httplib::DataSink& sink) {
          const std::string_view piece =
              gzipped ? std::string_view(page->gzip).substr(offset) : page->page.from(offset);
          return sink.write(piece.data(), piece.size());
        },
        [this, page](bool) { pages_.release(page); });
  }

  const ServerOptions options_;
  LivePages& pages_;
  const Times times_;
  SSL_CTX* tls_ = nullptr;
  std::string url_;
  std::atomic<bool> stops_ = false;
  std::thread listener_;
  Mutex mutex_;
  std::string known_ DROVER_GUARDED_BY(mutex_);
};

Result<std::unique_ptr<PageServer>> PageServer::open(const ServerOptions& options, LivePages& pages,
                                                     const Times& times) {
  auto server = std::make_unique<Server>(options, pages, times);
  DROVER_TRY(server->open());
  return std::unique_ptr<PageServer>(new PageServer(std::move(server)));
}

PageServer::PageServer(std::unique_ptr<Server> server) : server_(std::move(server)) {}
PageServer::~PageServer() = default;
const std::string& PageServer::url() const { return server_->url(); }

}  // namespace drover::commands
