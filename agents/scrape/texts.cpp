#include "agents/scrape/texts.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "fleet/base/identity.h"
#include "fleet/base/text.h"

namespace drover::agents {
namespace {

/// Where "user:password@host:port" of a URL begins and ends.
struct Authority {
  std::size_t begin = 0;
  std::size_t end = 0;
};
Authority authority_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  const std::size_t begin = scheme == std::string_view::npos ? 0 : scheme + 3;
  return {begin, std::min(url.find_first_of("/?#", begin), url.size())};
}

}  // namespace

std::string without_credentials(std::string_view url) {
  const Authority place = authority_of(url);
  const std::size_t at = url.substr(0, place.end).rfind('@');
  if (at == std::string_view::npos || at < place.begin) return std::string(url);
  return std::string(url.substr(0, place.begin)) + std::string(url.substr(at + 1));
}

std::string_view host_of(std::string_view url_or_address) {
  const Authority place = authority_of(url_or_address);
  std::string_view host = url_or_address.substr(place.begin, place.end - place.begin);
  if (const std::size_t at = host.rfind('@'); at != std::string_view::npos) {
    host.remove_prefix(at + 1);
  }
  if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
  const std::size_t colon = host.find(':');
  // An IPv6 address without brackets has no port.
  if (colon == std::string_view::npos || colon != host.rfind(':')) return host;
  return host.substr(0, colon);
}

std::string as_name(std::string_view text) {
  std::string name(text.substr(0, name_bytes_max));
  for (char& letter : name) {
    if (!is_name(std::string_view(&letter, 1))) letter = '-';
  }
  return name;
}

std::string as_label(std::string_view text) {
  constexpr std::size_t bytes_max = 128;
  return excerpt(trimmed(text), bytes_max);
}

std::string as_pci_address(std::string_view text) {
  constexpr std::size_t long_domain = 8;
  std::string address = as_label(text);
  for (char& letter : address) letter = lower(letter);
  if (address.find(':') == long_domain && address.starts_with("0000")) address.erase(0, 4);
  return address;
}

std::optional<std::uint64_t> as_number(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (text.empty() || stop != end || problem != std::errc{}) return std::nullopt;
  return number;
}

}  // namespace drover::agents
