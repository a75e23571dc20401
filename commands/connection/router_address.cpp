#include "commands/connection/router_address.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "commands/connection/keys.h"
#include "fleet/base/text.h"

namespace drover::commands {

Option connect_option() {
  Option option{
      "connect", "E",
      std::string("the router (default: $DROVER_CONNECT, else ") + default_endpoint + ")"};
  option.check = [](const std::string& value) { return check_connect(value, "--connect"); };
  return option;
}

CommandUsage with_key_options(CommandUsage usage) {
  const auto connects = std::find_if(usage.options.begin(), usage.options.end(),
                                     [](const Option& option) { return option.name == "connect"; });
  if (connects == usage.options.end()) return usage;
  usage.options.insert(
      connects + 1, {{"keys", "DIR",
                      "encrypt the connection with a key from this folder (default: $DROVER_KEYS)"},
                     {"key", "NAME", "the key to use, if the folder has several"}});
  return usage;
}

Status check_connect(const std::string& endpoint, std::string_view place) {
  DROVER_ASSIGN(const auto parsed, parse_endpoint(endpoint, place));
  if (parsed.host != "*" && parsed.port != 0) return {};
  return error("{}: found \"{}\", expected one host and one port", place, excerpt(endpoint, 80));
}

RouterAddress endpoint_of(const Arguments& arguments) {
  const auto value = [&](const char* option, const char* variable, const char* otherwise) {
    if (arguments.has(option)) return arguments.text(option);
    const char* from_environment = std::getenv(variable);
    return std::string(from_environment != nullptr && *from_environment != 0 ? from_environment
                                                                             : otherwise);
  };
  RouterAddress address(value("connect", "DROVER_CONNECT", default_endpoint));
  address.keys = value("keys", "DROVER_KEYS", "");
  address.key_name = arguments.text("key");
  return address;
}

Status use_keys_of(const RouterAddress& address, const std::string& preferred, Sockets& sockets) {
  if (address.keys.empty()) {
    if (address.key_name.empty()) return {};
    return error("--key {}: needs --keys DIR, the folder of the key", excerpt(address.key_name));
  }
  DROVER_ASSIGN(const auto credentials,
                read_credentials(address.keys, address.key_name, preferred));
  sockets.use_keys({credentials.router_key, credentials.own.known.key, credentials.own.secret});
  return {};
}

std::string connect_refusal_text(ConnectRefusal connect_refusal, const RouterAddress& address,
                                 const std::string& preferred) {
  switch (connect_refusal) {
    case ConnectRefusal::key: {
      const auto credentials = read_credentials(address.keys, address.key_name, preferred);
      if (!credentials) return credentials.error().message;
      const PublicKey& key = credentials->own.known;
      return fmt::format(
          "the router at {} does not accept the key {} ({}, role {}); run on the router's machine: "
          "drover keys allow {}.pub",
          address.endpoint, key.name, fingerprint(key.key), to_text(key.role), key.name);
    }
    case ConnectRefusal::router_key:
      return fmt::format(
          "the server at {} does not have the key in {}/router.pub: it is another router, runs "
          "without --keys, or has a new key (then copy its router.pub again)",
          address.endpoint, printable(address.keys));
    case ConnectRefusal::plain_text:
      return fmt::format(
          "the router at {} accepts only encrypted connections: use --keys DIR or set DROVER_KEYS "
          "(drover keys --help)",
          address.endpoint);
    case ConnectRefusal::encryption:
      return fmt::format(
          "the router at {} was started without --keys and accepts no encrypted connections: start "
          "it with --keys, or connect without",
          address.endpoint);
  }
  return {};
}

std::string connect_refusal_summary(ConnectRefusal connect_refusal, const RouterAddress& address) {
  switch (connect_refusal) {
    case ConnectRefusal::key: {
      const auto credentials = read_credentials(address.keys, address.key_name, "");
      const std::string name = credentials ? " " + credentials->own.known.name : "";
      return fmt::format("the router no longer accepts the key{}", name);
    }
    case ConnectRefusal::router_key:
      return "the server there does not have the router's key";
    case ConnectRefusal::plain_text:
      return "the router now accepts only encrypted connections";
    case ConnectRefusal::encryption:
      return "the router now accepts no encrypted connections";
  }
  return {};
}

std::string reachable(const std::string& endpoint, const std::string& control) {
  auto reported = parse_endpoint(endpoint, "");
  const auto used = parse_endpoint(control, "");
  if (!reported || !used) return endpoint;
  if (reported->host == "0.0.0.0" || reported->host == "::" || reported->host == "*") {
    reported->host = used->host;
  }
  return reported->to_text();
}

}  // namespace drover::commands
