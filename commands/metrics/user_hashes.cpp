#include "commands/metrics/user_hashes.h"

#include <crypt.h>

#include <cstring>

#include "fleet/base/text.h"

namespace drover::commands {

Result<std::map<std::string, std::string>> parse_users(const std::string& text,
                                                       const std::string& place) {
  std::map<std::string, std::string> users;
  std::size_t number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    const std::string row(trimmed(line));
    if (row.empty() || row[0] == '#') continue;
    const std::size_t colon = row.find(':');
    // A hash names its method: $2y$, $6$, $y$. A password in clear text is refused.
    if (colon == std::string::npos || colon == 0 || row.size() < colon + 13 ||
        row[colon + 1] != '$') {
      return error(
          "{}:{}: expected USER:HASH, as `htpasswd -nB USER` or `openssl passwd -6` write "
          "hashes",
          place, number);
    }
    const std::string hash = row.substr(colon + 1);
    const int kind = ::crypt_checksalt(hash.c_str());
    if (kind == CRYPT_SALT_INVALID || kind == CRYPT_SALT_METHOD_DISABLED) {
      return error(
          "{}:{}: found a hash of kind {}, expected one that crypt(5) knows, as `htpasswd -nB "
          "USER` or `openssl passwd -6` write hashes",
          place, number, excerpt(hash.substr(0, hash.find('$', 1) + 1)));
    }
    users[row.substr(0, colon)] = hash;
  }
  if (users.empty()) return error("{}: has no users", place);
  return users;
}

bool matches_hash(const std::string& password, const std::string& hash) {
  crypt_data data{};
  const char* const made = ::crypt_r(password.c_str(), hash.c_str(), &data);
  if (made == nullptr || made[0] == '*') return false;
  const std::size_t size = std::strlen(made);
  if (size != hash.size()) return false;
  unsigned char differs = 0;  // in constant time
  for (std::size_t i = 0; i < size; ++i) {
    differs |= static_cast<unsigned char>(made[i] ^ hash[i]);
  }
  return differs == 0;
}

}  // namespace drover::commands
