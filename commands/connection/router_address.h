// Where the router is and with which key to go there: the options and the environment of every verb
// that connects.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "commands/shell/options.h"
#include "fleet/base/result.h"
#include "fleet/socket/socket.h"

namespace drover::commands {

inline constexpr const char* default_endpoint = "tcp://127.0.0.1:7700";

struct RouterAddress {
  std::string endpoint = default_endpoint;
  std::string keys;      // the folder of keys; empty: not encrypted
  std::string key_name;  // empty: the folder's only key

  RouterAddress() = default;
  RouterAddress(std::string where) : endpoint(std::move(where)) {}
  RouterAddress(const char* where) : endpoint(where) {}
  operator const std::string&() const { return endpoint; }
};

/// `--connect`, then the environment's DROVER_CONNECT, then the default.
Option connect_option();
/// The usage of a verb with `--connect`, which then takes `--keys` and `--key` too.
CommandUsage with_key_options(CommandUsage usage);
/// `--keys`, then DROVER_KEYS, then none.
RouterAddress endpoint_of(const Arguments& arguments);
/// Whether one can connect there; `place` names where the text stood.
Status check_connect(const std::string& endpoint, std::string_view place);

/// Encrypts from now on, when the address says so. `preferred`: the key to take, if it is there,
/// where the address names none.
Status use_keys_of(const RouterAddress& address, const std::string& preferred, Sockets& sockets);

/// Why the router's door stays closed, and how to mend it; one line.
std::string barred_text(Barred barred, const RouterAddress& address, const std::string& preferred);

/// The same of a router that had taken us, in a few words for a line of a dashboard.
std::string barred_words(Barred barred, const RouterAddress& address);

/// The endpoint of one of the router's doors as seen from here: a router that listens on every
/// address does not know by which one it was reached.
std::string reachable(const std::string& door, const std::string& control);

}  // namespace drover::commands
