// Serves `/metrics` over HTTP, or HTTPS, on threads of its own, which only ever see finished pages.
//
// Limits: connections_max clients at once, further ones wait in the kernel; a client has
// request_time to send its request, in at most request_bytes, and response_time to read the answer.
// One request per connection, so that idle clients hold nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "commands/metrics/live_pages.h"
#include "commands/metrics/server_options.h"
#include "fleet/base/result.h"

namespace drover::commands {

class PageServer {
 public:
  static constexpr int connections_max = 8;
  static constexpr std::size_t request_bytes = 16U << 10;
  struct Times {
    std::chrono::milliseconds request{10'000};
    std::chrono::milliseconds response{60'000};
  };

  /// The pages must outlive the server. The error says why the address cannot be served.
  static Result<std::unique_ptr<PageServer>> open(const ServerOptions& options, LivePages& pages,
                                                  const Times& times);
  static Result<std::unique_ptr<PageServer>> open(const ServerOptions& options, LivePages& pages) {
    return open(options, pages, Times{});
  }
  /// Ends all connections.
  ~PageServer();

  /// "http://127.0.0.1:9400/metrics".
  const std::string& url() const;

 private:
  class Server;
  explicit PageServer(std::unique_ptr<Server> server);
  std::unique_ptr<Server> server_;
};

/// What a request's Accept asks for: OpenMetrics if it prefers that.
PageFormat format_asked(const std::string& accept);
bool accepts_gzip(const std::string& accept_encoding);

}  // namespace drover::commands
