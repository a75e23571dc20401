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
      connects + 1,
      {{"keys", "DIR", "connect encrypted, with a key of this folder (default: $DROVER_KEYS)"},
       {"key", "NAME", "which of its keys, when there are several"}});
  return usage;
}

Status check_connect(const std::string& endpoint, std::string_view place) {
  const auto parsed = parse_endpoint(endpoint, place);
  if (!parsed) return parsed.error();
  if (parsed->host != "*" && parsed->port != 0) return {};
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
    return error("--key {}: of which folder? Name it with --keys", excerpt(address.key_name));
  }
  const auto credentials = read_credentials(address.keys, address.key_name, preferred);
  if (!credentials) return credentials.error();
  sockets.use_keys({credentials->router_key, credentials->own.known.key, credentials->own.secret});
  return {};
}

std::string barred_text(Barred barred, const RouterAddress& address, const std::string& preferred) {
  switch (barred) {
    case Barred::key: {
      const auto credentials = read_credentials(address.keys, address.key_name, preferred);
      if (!credentials) return credentials.error().message;
      const PublicKey& key = credentials->own.known;
      return fmt::format(
          "the router at {} does not let in the key {} ({}, role {}); where the router runs: "
          "drover keys allow {}.pub",
          address.endpoint, key.name, fingerprint(key.key), to_text(key.role), key.name);
    }
    case Barred::router_key:
      return fmt::format(
          "what answers at {} does not hold the key in {}/router.pub: another router, one that was "
          "started without --keys, or its key has changed; then copy its router.pub again",
          address.endpoint, printable(address.keys));
    case Barred::plain_text:
      return fmt::format(
          "the router at {} takes only encrypted connections: give --keys DIR or set DROVER_KEYS "
          "(drover keys --help)",
          address.endpoint);
    case Barred::encryption:
      return fmt::format(
          "the router at {} was started without --keys and takes no encrypted connections: start "
          "it "
          "with --keys, or connect without",
          address.endpoint);
  }
  return {};
}

std::string barred_words(Barred barred, const RouterAddress& address) {
  switch (barred) {
    case Barred::key: {
      const auto credentials = read_credentials(address.keys, address.key_name, "");
      const std::string name = credentials ? " " + credentials->own.known.name : "";
      return fmt::format("the router no longer accepts the key{}", name);
    }
    case Barred::router_key:
      return "what answers there does not hold the router's key";
    case Barred::plain_text:
      return "the router now takes only encrypted connections";
    case Barred::encryption:
      return "the router now takes no encrypted connections";
  }
  return {};
}

std::string reachable(const std::string& door, const std::string& control) {
  auto there = parse_endpoint(door, "");
  const auto here = parse_endpoint(control, "");
  if (!there || !here) return door;
  if (there->host == "0.0.0.0" || there->host == "::" || there->host == "*") {
    there->host = here->host;
  }
  return there->to_text();
}

}  // namespace drover::commands
