#include "commands/launch/keys.h"

#include <cstdlib>
#include <filesystem>

#include "commands/connection/keys.h"
#include "commands/shell/files.h"
#include "fleet/base/text.h"

namespace drover::commands {

namespace fs = std::filesystem;

std::string fleet_keys_folder(const launch::LaunchFleet& fleet, const std::string& fleet_file) {
  if (fleet.keys.empty()) return {};
  const char* home = std::getenv("HOME");
  if (fleet.keys.starts_with("~/") && home != nullptr) return home + fleet.keys.substr(1);
  return (fs::path(fleet_file).parent_path() / fleet.keys).string();
}

Result<HostKeys> keys_for_host(const std::string& folder, const std::string& host, bool make) {
  HostKeys keys;
  if (folder.empty()) return keys;
  auto router = read_file((fs::path(folder) / "router.pub").string(), key_file_bytes_max);
  if (!router) {
    if (!make) return keys;
    return error("router.keys: {}; make it with: drover keys new router --dir {}",
                 router.error().message, printable(folder));
  }
  std::string secret_file = (fs::path(folder) / (host + ".key")).string();
  if (make) {
    const auto made = make_allowed_key(folder, host);
    if (!made) return made.error();
    const auto allowed = is_allowed(folder, made->key);
    if (!allowed) return allowed.error();
    if (!*allowed) {
      return error(
          "{}: its key is not allowed (revoked?); to allow it: drover keys allow {} --dir {}", host,
          host, printable(folder));
    }
    secret_file = made->secret_file;
  }
  auto secret = read_file(secret_file, key_file_bytes_max);
  if (!secret && make) return secret.error();
  if (!secret) return keys;
  keys.router = std::move(*router);
  keys.agent = std::move(*secret);
  return keys;
}

}  // namespace drover::commands
