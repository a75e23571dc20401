#include "commands/host_claim.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "fleet/socket.h"

namespace drover::commands {

namespace {

/// The same for every spelling of this machine's own address.
std::string router_text(const std::string& text) {
  const auto endpoint = parse_endpoint(text, "");
  if (!endpoint) return text;
  return endpoint->loopback() ? fmt::format("loopback:{}", endpoint->port) : endpoint->to_text();
}

}  // namespace

HostClaim::HostClaim(const std::string& host, const std::string& endpoint)
    : name_(fmt::format("drover/{}/{}", router_text(endpoint), host)) {}

HostClaim::~HostClaim() {
  if (socket_ >= 0) close(socket_);
}

bool HostClaim::take() {
  if (socket_ >= 0) return true;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // An abstract name begins with a zero. The end tells agents apart: it is what must fit.
  constexpr std::size_t room = sizeof address.sun_path - 1;
  const std::size_t length = std::min(name_.size(), room);
  std::memcpy(address.sun_path + 1, name_.data() + (name_.size() - length), length);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  const int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  // A machine that has no such sockets keeps nobody from running an agent.
  if (descriptor < 0) return true;
  if (bind(descriptor, reinterpret_cast<const sockaddr*>(&address), size) == 0) {
    socket_ = descriptor;
    return true;
  }
  const bool taken = errno == EADDRINUSE;
  close(descriptor);
  return !taken;
}

}  // namespace drover::commands
