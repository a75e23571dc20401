// Who may read `/metrics`: names with the hashes of their passwords.
#pragma once

#include <map>
#include <string>

#include "fleet/base/result.h"

namespace drover::commands {

/// Lines `USER:HASH` as of `htpasswd -nB` or `openssl passwd -6`; empty lines and those after # are
/// left out. `place` is the file's name.
Result<std::map<std::string, std::string>> parse_users(const std::string& text,
                                                       const std::string& place);
/// Whether the password has this hash (crypt(3)).
bool matches_hash(const std::string& password, const std::string& hash);

}  // namespace drover::commands
