// An HTTP server of a test, which answers as it is told: also slowly, wrongly or not at all.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace drover::commands {

/// The page of an idle NVIDIA L4, as dcgm-exporter writes it.
inline std::string l4_page(const std::string& host, double watts = 16.5) {
  const std::string labels = fmt::format(
      R"({{gpu="0",UUID="GPU-{0}",pci_bus_id="00000000:31:00.0",modelName="NVIDIA L4",Hostname="{0}"}})",
      host);
  return fmt::format(
      "DCGM_FI_DEV_GPU_UTIL{0} 37\nDCGM_FI_DEV_POWER_USAGE{0} {1}\nDCGM_FI_DEV_GPU_TEMP{0} 31\n"
      "DCGM_FI_DEV_FB_USED{0} 1024\nDCGM_FI_DEV_FB_FREE{0} 22009\n",
      labels, watts);
}

/// A whole answer; `more`: further lines of its head.
inline std::string http_answer(std::string_view body, std::string_view status = "200 OK",
                               std::string_view more = "Content-Type: text/plain\r\n") {
  return fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\n{}\r\n{}", status, body.size(), more,
                     body);
}

class StandInServer {
 public:
  class Connection {
   public:
    Connection(const StandInServer& server, int socket) : server_(server), socket_(socket) {}
    /// Whether it was taken.
    bool send(std::string_view bytes) {
      while (!bytes.empty()) {
        const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
      }
      return true;
    }
    /// False when the server ends before that.
    bool wait(std::chrono::milliseconds span) const {
      const auto end = std::chrono::steady_clock::now() + span;
      while (!server_.ended_ && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      return !server_.ended_;
    }

   private:
    const StandInServer& server_;
    int socket_;
  };
  /// Answers a request, of which it gets the head; then the connection is closed.
  using Answer = std::function<void(Connection&, const std::string& head)>;

  explicit StandInServer(Answer answer, std::uint16_t port = 0, bool ipv6 = false)
      : answer_(std::move(answer)), ipv6_(ipv6) {
    listener_ = ::socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in6 six{};
    sockaddr_in four{};
    six.sin6_family = AF_INET6;
    six.sin6_addr = in6addr_loopback;
    six.sin6_port = four.sin_port = htons(port);
    four.sin_family = AF_INET;
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const address =
        ipv6 ? reinterpret_cast<sockaddr*>(&six) : reinterpret_cast<sockaddr*>(&four);
    socklen_t size = ipv6 ? sizeof six : sizeof four;
    listens_ = ::bind(listener_, address, size) == 0 && ::listen(listener_, 1000) == 0;
    getsockname(listener_, address, &size);
    port_ = ntohs(ipv6 ? six.sin6_port : four.sin_port);
    if (listens_) acceptor_ = std::thread([this] { accept_all(); });
  }
  /// A server of one page.
  explicit StandInServer(const std::string& page)
      : StandInServer(
            [page](Connection& line, const std::string&) { line.send(http_answer(page)); }) {}
  ~StandInServer() { end(); }
  StandInServer(const StandInServer&) = delete;
  StandInServer& operator=(const StandInServer&) = delete;

  /// Closes everything, as a host that dies.
  void end() {
    if (ended_.exchange(true)) return;
    ::shutdown(listener_, SHUT_RDWR);
    if (acceptor_.joinable()) acceptor_.join();
    ::close(listener_);
    {
      const std::lock_guard lock(mutex_);
      for (const int socket : open_) ::shutdown(socket, SHUT_RDWR);
    }
    for (std::thread& thread : threads_) thread.join();
  }

  bool listens() const { return listens_; }
  std::uint16_t port() const { return port_; }
  std::string place() const { return fmt::format("{}:{}", ipv6_ ? "[::1]" : "127.0.0.1", port_); }
  std::string url(std::string_view path = "/metrics") const {
    return fmt::format("http://{}{}", place(), path);
  }
  /// The heads of all requests.
  std::vector<std::string> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void accept_all() {
    while (!ended_) {
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) continue;
      const std::lock_guard lock(mutex_);
      open_.push_back(socket);
      threads_.emplace_back([this, socket] { answer(socket); });
    }
  }
  void answer(int socket) {
    std::string head;
    char letter = 0;
    while (!head.ends_with("\r\n\r\n") && ::recv(socket, &letter, 1, 0) == 1) head += letter;
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(head);
    }
    Connection line(*this, socket);
    answer_(line, head);
    const std::lock_guard lock(mutex_);
    std::erase(open_, socket);
    ::close(socket);
  }

  const Answer answer_;
  const bool ipv6_;
  int listener_ = -1;
  bool listens_ = false;
  std::uint16_t port_ = 0;
  std::atomic<bool> ended_{false};
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::vector<int> open_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

/// A URL of this machine on which nothing listens.
inline std::string dead_url() {
  StandInServer server("");
  server.end();
  return server.url();
}

}  // namespace drover::commands
