// URLs of HTTP servers, from outside: their parts, and how messages show them.
#pragma once

#include <string>
#include <string_view>

#include "fleet/base/result.h"

namespace drover::commands {

/// The parts of "https://user:password@node-7:9400/metrics?all=1".
struct Url {
  bool secure = false;
  std::string host;  // without brackets
  int port = 0;
  std::string user, password;  // decoded
  std::string path;            // "/metrics"; empty: none
  std::string query;           // "?all=1"; empty: none
};

/// `place` names the source of the text in the error: "--scrape".
Result<Url> parse_url(std::string_view text, std::string_view place);

/// The URL, valid or not, for messages: whatever may belong to user and password is left out.
std::string shown_url(std::string_view text);

}  // namespace drover::commands
