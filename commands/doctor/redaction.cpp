#include "commands/doctor/redaction.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "fleet/base/search.h"
#include "fleet/base/text.h"

namespace drover::commands {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// A character of names of accounts and hosts.
bool is_name_character(char c) { return is_word(c) || c == '.' || c == '_' || c == '-'; }

bool ends_text(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("\"'<>,;)]}\\`").find(c) != std::string_view::npos;
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

/// Names that say nothing about anybody.
bool is_harmless(const std::string& lower) {
  static const std::vector<std::string> words = {"localhost", "root",    "drover", "client",
                                                 "admin",     "default", "site"};
  return contains(words, lower) || std::all_of(lower.begin(), lower.end(), [](char c) {
           return !std::isalpha(static_cast<unsigned char>(c));
         });
}

bool is_loopback(std::string_view address) {
  return address.starts_with("127.") || address == "::1" || address == "0.0.0.0" ||
         address == "::" || address == "localhost" || address == "*" || address.empty();
}

bool is_ipv4(const std::string& text) {
  in_addr parsed{};
  return inet_pton(AF_INET, text.c_str(), &parsed) == 1;
}

bool is_ipv6(const std::string& text) {
  in6_addr parsed{};
  return inet_pton(AF_INET6, text.c_str(), &parsed) == 1;
}

/// "52:54:00:12:34:56"
bool is_hardware_address(std::string_view text) {
  if (text.size() != 17) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool colon = i % 3 == 2;
    if (colon != (text[i] == ':')) return false;
    if (!colon && std::isxdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  }
  return true;
}

/// Where the run of characters that satisfy `belongs` ends.
template <typename Belongs>
std::size_t run_end(std::string_view text, std::size_t begin, const Belongs& belongs) {
  while (begin < text.size() && belongs(text[begin])) ++begin;
  return begin;
}

}  // namespace

void Redaction::add(std::string_view kind, const std::string& name) {
  const std::string lower = in_lower_case(name);
  if (is_harmless(lower)) return;
  const bool known = std::any_of(names_.begin(), names_.end(),
                                 [&](const auto& each) { return each.first == lower; });
  if (known) return;
  const std::string instead = placeholder(kind, lower);
  names_.emplace_back(lower, instead);
  const std::string host = lower.substr(0, lower.find('.'));
  if (kind == "host" && host != lower && !is_harmless(host)) names_.emplace_back(host, instead);
  std::stable_sort(names_.begin(), names_.end(), [](const auto& one, const auto& other) {
    return one.first.size() > other.first.size();
  });
}

std::string Redaction::apply(std::string_view text) {
  const std::string rest = without_addresses(without_homes(without_urls(without_secrets(text))));
  learn_accounts(rest);
  return without_names(rest);
}

std::string Redaction::placeholder(std::string_view kind, std::string name) {
  const auto [found, fresh] = placeholders_.try_emplace(fmt::format("{} {}", kind, name));
  if (fresh) found->second = fmt::format("{}-{}", kind, ++counts_[std::string(kind)]);
  return found->second;
}

std::string Redaction::without_urls(std::string_view text) {
  std::string result;
  while (true) {
    const std::size_t scheme = text.find("://");
    result += text.substr(0, scheme == std::string_view::npos ? scheme : scheme + 3);
    if (scheme == std::string_view::npos) return result;
    text.remove_prefix(scheme + 3);
    // "[::1]:80": these brackets do not end the URL.
    const std::size_t bracket = text.starts_with('[') ? text.find(']') : std::string_view::npos;
    const std::size_t host_end = bracket == std::string_view::npos ? 0 : bracket + 1;
    const std::size_t end = run_end(text, host_end, [](char c) { return !ends_text(c); });
    std::string_view authority = text.substr(0, std::min(end, text.find_first_of("/?#")));
    const bool more = authority.size() + 1 < end;
    text.remove_prefix(end);
    authority.remove_prefix(authority.rfind('@') + 1);  // npos + 1 is 0
    const std::size_t colon = authority.rfind(':');
    const bool has_port =
        colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos;
    std::string_view host = authority.substr(0, has_port ? colon : std::string_view::npos);
    const std::string_view port = has_port ? authority.substr(colon) : std::string_view();
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    const std::string shown(host);
    const bool numeric = is_ipv4(shown) || is_ipv6(shown);
    if (is_loopback(host)) {
      result += fmt::format("{}{}", host, port);
    } else {
      if (!numeric) add("host", shown);
      result += placeholder(numeric ? "address" : "host", in_lower_case(shown));
      result += port;
    }
    if (more) result += "/...";
  }
}

std::string Redaction::without_homes(std::string_view text) {
  static const std::vector<std::string> ours = {".config/drover", ".local/state/drover"};
  std::vector<std::string> homes = {"/home/", "/Users/"};
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    std::size_t length = 0;  // of the home folder
    const bool begins = at == 0 || !is_name_character(text[at - 1]);
    if (begins && !home_.empty() && rest.starts_with(home_)) {
      const bool whole = rest.size() == home_.size() || !is_name_character(rest[home_.size()]);
      if (whole) length = home_.size();
    }
    for (const std::string& parent : homes) {
      if (length != 0 || !begins || !rest.starts_with(parent)) continue;
      length = run_end(rest, parent.size(), is_name_character);
    }
    if (length == 0) {
      result += text[at++];
      continue;
    }
    const std::size_t end =
        run_end(text, at + length, [](char c) { return !ends_text(c) && c != ':'; });
    const std::string_view below = text.substr(at + length, end - at - length);
    result += "~";
    const std::string_view inside = below.substr(below.starts_with('/') ? 1 : 0);
    const bool known = std::any_of(ours.begin(), ours.end(), [&](const std::string& folder) {
      return inside.starts_with(folder);
    });
    if (known) {
      result += below;
    } else if (!inside.empty()) {
      result += '/' + placeholder("path", std::string(inside));
    }
    at = end;
  }
  return result;
}

std::string Redaction::without_addresses(std::string_view text) {
  const auto belongs = [](char c) {
    return std::isxdigit(static_cast<unsigned char>(c)) != 0 || c == '.' || c == ':';
  };
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = at == 0 || !is_word(text[at - 1]);
    const std::size_t end = begins ? run_end(text, at, belongs) : at;
    if (end == at || (end < text.size() && is_word(text[end]))) {
      result += text[at++];
      continue;
    }
    std::string found(text.substr(at, end - at));
    while (found.ends_with('.') || (found.ends_with(':') && !found.ends_with("::")))
      found.pop_back();
    if (!is_ipv6(found) && !is_hardware_address(found)) found = found.substr(0, found.find(':'));
    const bool address = is_ipv4(found) || is_ipv6(found) || is_hardware_address(found);
    if (found.empty() || !address || is_loopback(found)) {
      const std::size_t taken = std::max<std::size_t>(1, found.size());
      result += text.substr(at, taken);
      at += taken;
      continue;
    }
    result += placeholder("address", in_lower_case(found));
    at += found.size();
  }
  return result;
}

void Redaction::learn_accounts(std::string_view text) {
  for (std::size_t at = text.find('@'); at != std::string_view::npos; at = text.find('@', at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && is_name_character(text[begin - 1])) --begin;
    std::size_t end = run_end(text, at + 1, is_name_character);
    while (end > at + 1 && !is_word(text[end - 1])) --end;
    if (begin == at || end == at + 1) continue;
    add("user", std::string(text.substr(begin, at - begin)));
    add("host", std::string(text.substr(at + 1, end - at - 1)));
  }
}

std::string Redaction::without_names(std::string_view text) const {
  const std::string lower = in_lower_case(text);
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto matches = [&](const std::pair<std::string, std::string>& name) {
      const std::size_t end = at + name.first.size();
      return lower.compare(at, name.first.size(), name.first) == 0 &&
             (end >= lower.size() || !is_word(lower[end]));
    };
    const bool begins = at == 0 || !is_word(lower[at - 1]);
    const auto found = begins ? std::find_if(names_.begin(), names_.end(), matches) : names_.end();
    if (found == names_.end()) {
      result += text[at++];
      continue;
    }
    result += found->second;
    at += found->first.size();
  }
  return result;
}

std::string without_secrets(std::string_view text) {
  static const std::vector<std::string> words = {"token",   "password", "passwd",        "secret",
                                                 "api_key", "apikey",   "authorization", "bearer"};
  const std::string lower = in_lower_case(text);
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto word = std::find_if(words.begin(), words.end(), [&](const std::string& each) {
      return lower.compare(at, each.size(), each) == 0;
    });
    if (word == words.end()) {
      result += text[at++];
      continue;
    }
    std::size_t value = at + word->size();
    const auto skip = [&](std::string_view characters) {
      value = run_end(text, value,
                      [&](char c) { return characters.find(c) != std::string_view::npos; });
    };
    skip("\"' ");
    const bool assigned = value < text.size() && (text[value] == '=' || text[value] == ':');
    if (assigned) skip("=:\"' ");
    const std::size_t end = run_end(text, value, [](char c) { return !ends_text(c); });
    const bool bearer = *word == "bearer" && value > at + word->size();
    if ((!assigned && !bearer) || end == value) {
      result += text.substr(at, word->size());
      at += word->size();
      continue;
    }
    result += text.substr(at, value - at);
    // "Authorization: Bearer abc": the value is the next word.
    if (in_lower_case(text.substr(value, end - value)) == "bearer") {
      at = value;
      continue;
    }
    result += "REMOVED";
    at = end;
  }
  return result;
}

}  // namespace drover::commands
