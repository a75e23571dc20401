// Keys identify peers on encrypted (CURVE) connections; the role of a key determines what its peer
// may send.
//
// A key pair has a name and a role. The router has the public key of every peer that it allows;
// libzmq verifies that the peer has the secret key. This module only parses and checks: files are
// read in commands/connection, sockets are in fleet/socket.
//
// Both files are TOML. NAME.key (secret): kind = "secret", name, role, ids, public, secret.
// NAME.pub: kind = "public", name, role, ids, public. Keys are 40 characters of Z85 (ZeroMQ RFC
// 32).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/messages.h"
#include "fleet/outbox.h"

namespace drover {

enum class KeyRole : std::uint8_t { agent, submit, view, admin, router };
std::string_view to_text(KeyRole role);
/// The error begins with `place` and lists the roles.
Result<KeyRole> parse_key_role(std::string_view text, std::string_view place);

inline constexpr std::size_t key_file_bytes_max = 256 * 1024;
inline constexpr std::size_t key_ids_max = 4096;

/// The public part of a key.
struct PublicKey {
  std::string name;
  KeyRole role = KeyRole::view;
  std::vector<std::string> ids;  // agents: the hosts that it may act for; else empty
  std::string key;               // Z85
  bool operator==(const PublicKey&) const = default;
};

struct SecretKey {
  PublicKey known;
  std::string secret;  // Z85
  bool operator==(const SecretKey&) const = default;
};

std::string to_toml(const PublicKey& key);
std::string to_toml(const SecretKey& key);
/// `place` is the file's name in error messages. The example keys of ZeroMQ's manual are refused.
Result<PublicKey> parse_public_key(std::string_view text, const std::string& place);
Result<SecretKey> parse_secret_key(std::string_view text, const std::string& place);

/// The 32 bytes of a key; nothing when the text is not a key.
std::optional<std::string> key_bytes(std::string_view z85);
/// The key's first 8 bytes, for users who compare keys: "3f2a-91bc-77de-01a4".
std::string fingerprint(std::string_view z85);

/// The hosts that a key may act for, in short: "node[01-20],spare"; "-" for none.
std::string ids_text(const PublicKey& key);

/// Why this key may not send this message on this channel; nothing when it may. Besides the table
/// of roles, this checks that an agent's key acts only for the hosts in its `ids`.
std::optional<std::string> refusal(const PublicKey& key, Channel channel, const Envelope& envelope);
/// Whether peers of this role may subscribe to the router's published messages.
bool may_subscribe(KeyRole role);

}  // namespace drover
