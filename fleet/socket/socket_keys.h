// CURVE key pairs: drawn from the kernel by libsodium, through ZeroMQ.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fleet/base/result.h"

namespace drover {

struct KeyPair {
  std::string key;     // public, Z85
  std::string secret;  // Z85
};

/// The error says that this ZeroMQ was built without CURVE.
Result<KeyPair> draw_key_pair();

/// The public half of a secret; none for what is no key.
std::optional<std::string> public_half(std::string_view secret);

}  // namespace drover
