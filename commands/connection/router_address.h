// The router's endpoint and the key to connect with: the options and environment variables of
// every command that connects.
#pragma once

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
  RouterAddress(std::string text) : endpoint(std::move(text)) {}
  RouterAddress(const char* text) : endpoint(text) {}
  operator const std::string&() const { return endpoint; }
};

/// The option `--connect`.
Option connect_option();
/// Adds `--keys` and `--key` to the usage of a command that has `--connect`.
CommandUsage with_key_options(CommandUsage usage);
/// The endpoint: `--connect`, else $DROVER_CONNECT, else the default. The keys: `--keys`, else
/// $DROVER_KEYS, else none.
RouterAddress endpoint_of(const Arguments& arguments);
/// Checks that a client can connect to the endpoint. `place` names the source of the text.
Status check_connect(const std::string& endpoint, std::string_view place);

/// Encrypts new connections if the address has keys. `preferred`: the key to use, if it exists,
/// when the address names none.
Status use_keys_of(const RouterAddress& address, const std::string& preferred, Sockets& sockets);

/// Why the router refuses the connection, and how to fix it; one line.
std::string connect_refusal_text(ConnectRefusal connect_refusal, const RouterAddress& address,
                                 const std::string& preferred);

/// Why a router that had accepted this client now refuses it; short, for a line of a dashboard.
std::string connect_refusal_summary(ConnectRefusal connect_refusal, const RouterAddress& address);

/// The router's `endpoint` as reachable from here. A router that listens on every address does not
/// know which one the client used, so the host is taken from `control`.
std::string reachable(const std::string& endpoint, const std::string& control);

}  // namespace drover::commands
