#include "fleet/socket/keys.h"

#include <array>

#include <zmq.hpp>

#include "fleet/keys/keys.h"

namespace drover {
namespace {

// 40 characters and a terminating zero.
using Buffer = std::array<char, 41>;

}  // namespace

Result<KeyPair> generate_key_pair() {
  Buffer key{};
  Buffer secret{};
  if (zmq_curve_keypair(key.data(), secret.data()) != 0) {
    return error(ErrorKind::io, "cannot generate a key: {} (expected a ZeroMQ with CURVE)",
                 zmq_strerror(zmq_errno()));
  }
  return KeyPair{key.data(), secret.data()};
}

std::optional<std::string> public_key_of(std::string_view secret) {
  if (!key_bytes(secret)) return std::nullopt;
  Buffer key{};
  if (zmq_curve_public(key.data(), std::string(secret).c_str()) != 0) return std::nullopt;
  return std::string(key.data());
}

}  // namespace drover
