#include "commands/shell/url.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::commands {
namespace {

constexpr std::size_t url_bytes_max = 2048;

/// With "%40" as "@".
std::string decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
      plain += static_cast<char>(value);
      i += 2;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

/// The port; nothing when the text is none.
std::optional<int> port_of(std::string_view text) {
  const auto port = parse_integer(text, "port");
  if (!port || *port < 1 || *port > 65535) return std::nullopt;
  return static_cast<int>(*port);
}

/// Reads "user:password@host:port". Returns what is wrong with it; null: nothing.
const char* read_authority(std::string_view authority, Url& url) {
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    const std::string_view login = authority.substr(0, at);
    const std::size_t colon = std::min(login.find(':'), login.size());
    url.user = decoded(login.substr(0, colon));
    if (colon < login.size()) url.password = decoded(login.substr(colon + 1));
    authority.remove_prefix(at + 1);
  }
  // An IPv6 address stands in brackets.
  const bool bracketed = authority.starts_with('[');
  const std::size_t end = std::min(authority.find(bracketed ? ']' : ':'), authority.size());
  if (bracketed && end == authority.size()) return "has no ] after its address";
  url.host = authority.substr(bracketed ? 1 : 0, end - (bracketed ? 1 : 0));
  if (url.host.empty()) return "has no host";
  const std::string_view behind = authority.substr(end + (bracketed ? 1 : 0));
  const auto port = behind.empty()            ? std::optional(url.secure ? 443 : 80)
                    : behind.starts_with(':') ? port_of(behind.substr(1))
                                              : std::nullopt;
  url.port = port.value_or(0);
  return port ? nullptr : "has an invalid port (1 to 65535)";
}

}  // namespace

std::string shown_url(std::string_view text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos) return excerpt(text);
  const std::size_t scheme = text.find("://");
  const std::string_view begin = scheme < at ? text.substr(0, scheme + 3) : std::string_view();
  return excerpt(std::string(begin) + std::string(text.substr(at + 1)));
}

Result<Url> parse_url(std::string_view text, std::string_view place) {
  const auto invalid = [&](std::string_view why) {
    return error("{} {}: {}, expected http://HOST:PORT/PATH or https://..", place, shown_url(text),
                 why);
  };
  if (text.size() > url_bytes_max) return invalid("is longer than 2,048 bytes");
  for (const char letter : text) {
    if (static_cast<unsigned char>(letter) <= ' ' || letter == 0x7f)
      return invalid("has a blank or a control character");
  }
  const std::size_t scheme_end = text.find("://");
  const std::string_view scheme = text.substr(0, scheme_end);
  if (scheme_end == std::string_view::npos || (scheme != "http" && scheme != "https"))
    return invalid("does not begin with http:// or https://");
  Url url;
  url.secure = scheme == "https";
  std::string_view rest = text.substr(scheme_end + 3);
  rest = rest.substr(0, rest.find('#'));
  const std::size_t path_begin = std::min(rest.find_first_of("/?"), rest.size());
  const std::size_t query_begin = std::min(rest.find('?'), rest.size());
  url.path = rest.substr(path_begin, query_begin - path_begin);
  url.query = rest.substr(query_begin);
  if (const char* const why = read_authority(rest.substr(0, path_begin), url)) return invalid(why);
  return url;
}

}  // namespace drover::commands
