#include <arpa/inet.h>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/whole_text.h"
#include "fleet/socket/socket.h"

namespace drover {
namespace {

bool is_ipv4(const std::string& host) {
  in_addr address{};
  return inet_pton(AF_INET, host.c_str(), &address) == 1;
}

bool is_ipv6(const std::string& host) {
  in6_addr address{};
  return inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

// Letters, digits, dots and hyphens. A numeric name must be an IPv4 address.
bool is_host_name(const std::string& host) {
  constexpr std::size_t length_max = 253;  // RFC 1035
  if (host.empty() || host.size() > length_max) return false;
  bool numeric = true;
  for (const char character : host) {
    const bool digit = character >= '0' && character <= '9';
    const bool letter =
        (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
    if (!digit && !letter && character != '.' && character != '-') return false;
    numeric = numeric && (digit || character == '.');
  }
  return numeric ? is_ipv4(host) : host.front() != '-' && host.front() != '.';
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  if (text == "*") return 0;
  return parse_whole_text<std::uint16_t>(text);
}

}  // namespace

std::string Endpoint::to_text() const {
  const bool bracketed = host.find(':') != std::string::npos;
  const std::string shown_host = bracketed ? fmt::format("[{}]", host) : host;
  return port == 0 ? fmt::format("tcp://{}:*", shown_host)
                   : fmt::format("tcp://{}:{}", shown_host, port);
}

bool Endpoint::loopback() const {
  return host == "localhost" || host == "::1" || (is_ipv4(host) && host.starts_with("127."));
}

Result<Endpoint> parse_endpoint(std::string_view text, std::string_view place) {
  constexpr std::string_view scheme = "tcp://";
  const auto refuse = [&](std::string_view expected) {
    constexpr std::size_t shown_max = 80;
    return error("{}{}found \"{}\", expected {}", place, place.empty() ? "" : ": ",
                 printable(text.substr(0, shown_max)), expected);
  };
  constexpr std::string_view form = "tcp://HOST:PORT, such as tcp://127.0.0.1:7700";
  if (!text.starts_with(scheme)) return refuse(form);
  const std::string_view address = text.substr(scheme.size());
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) return refuse(form);
  std::string host(address.substr(0, colon));
  const auto port = parse_port(address.substr(colon + 1));
  if (!port) return refuse("a port 0..65535 after the last colon");
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
    if (!is_ipv6(host)) return refuse("an IPv6 address in the brackets");
  } else if (host != "*" && !is_host_name(host)) {
    return refuse(form);
  }
  return Endpoint{std::move(host), *port};
}

}  // namespace drover
