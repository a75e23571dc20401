#include "commands/connection/keys.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "commands/connection/allow_list.h"
#include "commands/connection/key_files.h"
#include "commands/shell/files.h"
#include "fleet/base/identity.h"
#include "fleet/base/search.h"
#include "fleet/base/text.h"
#include "fleet/socket/keys.h"

namespace drover::commands {

namespace fs = std::filesystem;

namespace {

std::string secret_path(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / (name + ".key")).string();
}
std::string public_path(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / (name + ".pub")).string();
}
std::string allow_folder(const std::string& folder) {
  return (fs::path(folder) / "authorized").string();
}

Result<SecretKey> read_secret(const std::string& path) {
  DROVER_ASSIGN(const auto text, read_key_text(path, Secrecy::secret));
  auto key = parse_secret_key(text, path);
  if (!key) return of_kind(ErrorKind::io, key.error());
  if (key->known.name + ".key" != fs::path(path).filename().string()) {
    return error(ErrorKind::io, "{}: name: found {}, expected the name of the file",
                 printable(path), key->known.name);
  }
  if (public_key_of(key->secret) != key->known.key) {
    return error(ErrorKind::io, "{}: the public key does not match the secret key",
                 printable(path));
  }
  return key;
}

Result<PublicKey> read_public(const std::string& path) {
  DROVER_ASSIGN(const auto text, read_key_text(path, Secrecy::open));
  auto key = parse_public_key(text, path);
  return key ? key : of_kind(ErrorKind::io, key.error());
}

/// An existing key must have the requested role and hosts.
Status check_same(const PublicKey& found, const PublicKey& requested, const std::string& path) {
  if (found.role == requested.role && found.ids == requested.ids) return {};
  return error(ErrorKind::refused,
               "{}: already exists, with role {} and hosts {}: choose another name, or remove it",
               printable(path), to_text(found.role), ids_text(found));
}

Result<PublicKey> check_request(const std::string& name, KeyRole role,
                                std::vector<std::string> ids) {
  PublicKey requested{name, role, std::move(ids), {}};
  if (!is_name(name) || name.starts_with('.')) {
    return error(
        "the name of a key: found \"{}\", expected 1 to 64 characters of A-Z a-z 0-9 . _ : -, not "
        "starting with a dot",
        excerpt(name));
  }
  if ((role == KeyRole::router) != (name == "router")) {
    return error("only the key named router has the role router, and it can have no other role");
  }
  if (role == KeyRole::agent && requested.ids.empty()) requested.ids = {name};
  if (role != KeyRole::agent && !requested.ids.empty()) {
    return error("--ids: only a key with role agent may act as hosts");
  }
  if (requested.ids.size() > key_ids_max) {
    return error("--ids: found {} hosts, expected at most {}", requested.ids.size(), key_ids_max);
  }
  return requested;
}

Status enter(const std::string& folder, const PublicKey& key) {
  if (key.role == KeyRole::router) {
    return error(ErrorKind::refused,
                 "{}: is a router's key: clients need it to connect; it cannot be allowed",
                 key.name);
  }
  const std::string authorized = allow_folder(folder);
  DROVER_TRY(make_key_folder(authorized));
  const std::string path = public_path(authorized, key.name);
  DROVER_ASSIGN(const auto written, write_new_key_file(path, to_toml(key), Secrecy::open));
  if (written) return {};
  DROVER_ASSIGN(const auto present, read_public(path));
  if (present == key) return {};
  return error(ErrorKind::refused, "{}: another key of this name is allowed ({}): revoke it first",
               printable(path), fingerprint(present.key));
}

/// Makes the secret half, or reads the existing one. The public half is not written yet.
Result<KeyFiles> make_secret(const std::string& folder, const PublicKey& requested) {
  DROVER_TRY(make_key_folder(folder));
  KeyFiles files{requested, secret_path(folder, requested.name),
                 public_path(folder, requested.name)};
  const auto secret = path_exists(files.secret_file);
  const auto published = path_exists(files.public_file);
  if (!secret) return secret.error();
  if (!published) return published.error();
  if (!*secret && *published) {
    return error(ErrorKind::refused,
                 "{}: exists without its secret: choose another name, or remove it",
                 printable(files.public_file));
  }
  files.fresh = !*published;
  DROVER_ASSIGN(const auto pair, generate_key_pair());
  files.key.key = pair.key;
  const std::string text = to_toml(SecretKey{files.key, pair.secret});
  DROVER_ASSIGN(const auto written, write_new_key_file(files.secret_file, text, Secrecy::secret));
  if (written) return files;
  DROVER_ASSIGN(const auto present, read_secret(files.secret_file));
  DROVER_TRY(check_same(present.known, requested, files.secret_file));
  files.key = present.known;
  return files;
}

/// Writes the public half. It is written last: if it exists, every step is done.
Result<KeyFiles> publish(KeyFiles files) {
  DROVER_TRY(write_new_key_file(files.public_file, to_toml(files.key), Secrecy::open));
  return files;
}

}  // namespace

Result<std::string> default_keys_folder() {
  if (const char* named = std::getenv("DROVER_KEYS"); named != nullptr && *named != 0) {
    return std::string(named);
  }
  if (const auto folder = user_folder("XDG_CONFIG_HOME", ".config")) {
    return (fs::path(*folder) / "keys").string();
  }
  return error(ErrorKind::not_found, "no HOME to keep keys in: name a folder with --dir");
}

Result<KeyFiles> make_key(const std::string& folder, const std::string& name, KeyRole role,
                          std::vector<std::string> ids) {
  DROVER_ASSIGN(const auto requested, check_request(name, role, std::move(ids)));
  const auto made = make_secret(folder, requested);
  return made ? publish(*made) : made;
}

Result<KeyFiles> make_allowed_key(const std::string& folder, const std::string& name) {
  DROVER_ASSIGN(const auto requested, check_request(name, KeyRole::agent, {}));
  const auto made = make_secret(folder, requested);
  if (!made) return made;
  if (made->fresh) {
    DROVER_TRY(enter(folder, made->key));
  }
  return publish(*made);
}

Result<bool> is_allowed(const std::string& folder, const PublicKey& key) {
  const std::string path = public_path(allow_folder(folder), key.name);
  const auto there = path_exists(path);
  if (!there || !*there) return there;
  DROVER_ASSIGN(const auto present, read_public(path));
  return present == key;
}

Result<PublicKey> allow_file(const std::string& folder, const std::string& file) {
  auto key = read_public(file);
  if (!key) return key;
  DROVER_TRY(make_key_folder(folder));
  DROVER_TRY(enter(folder, *key));
  return key;
}

Result<bool> revoke_key(const std::string& folder, const std::string& name) {
  if (!is_name(name)) return error("found \"{}\", expected the name of a key", excerpt(name));
  const std::string path = public_path(allow_folder(folder), name);
  std::error_code problem;
  const bool removed = fs::remove(path, problem);
  if (problem) return error(ErrorKind::io, "{}: {}", printable(path), problem.message());
  return removed;
}

Result<SecretKey> read_router_key(const std::string& folder) {
  const std::string path = secret_path(folder, "router");
  DROVER_ASSIGN(const auto there, path_exists(path));
  if (!there) {
    return error(ErrorKind::not_found,
                 "{}: does not exist; make it with: drover keys new router --role router --dir {}",
                 printable(path), printable(folder));
  }
  return read_secret(path);
}

Result<Credentials> read_credentials(const std::string& folder, const std::string& name,
                                     const std::string& preferred) {
  DROVER_ASSIGN(const auto found, names_in(folder, ".key"));
  std::vector<std::string> names = found;
  std::erase(names, "router");
  std::string chosen = name;
  if (chosen.empty() && contains(names, preferred)) chosen = preferred;
  if (chosen.empty() && names.size() == 1) chosen = names.front();
  if (chosen.empty() && names.empty()) {
    return error(ErrorKind::not_found,
                 "{}: holds no key to connect with; make one with: drover keys new NAME --role "
                 "agent|submit|view|admin --dir {}",
                 printable(folder), printable(folder));
  }
  if (chosen.empty()) {
    return error("{}: holds several keys: choose one with --key{}", printable(folder),
                 suggestion("", names));
  }
  if (!contains(names, chosen)) {
    return error(ErrorKind::not_found, "{}: holds no key named {}{}", printable(folder),
                 excerpt(chosen), suggestion(chosen, names));
  }
  DROVER_ASSIGN(auto own, read_secret(secret_path(folder, chosen)));
  const std::string router_file = public_path(folder, "router");
  DROVER_ASSIGN(const auto there, path_exists(router_file));
  if (!there) {
    return error(ErrorKind::not_found, "{}: does not exist: copy it from the keys of the router",
                 printable(router_file));
  }
  DROVER_ASSIGN(const auto router, read_public(router_file));
  if (router.role != KeyRole::router) {
    return error(ErrorKind::io, "{}: role: found {}, expected router", printable(router_file),
                 to_text(router.role));
  }
  return Credentials{std::move(own), router.key};
}

Result<KeyListing> list_keys(const std::string& folder) {
  DROVER_ASSIGN(const auto allowed, read_allow_list(folder));
  DROVER_ASSIGN(const auto secrets, names_in(folder, ".key"));
  DROVER_ASSIGN(const auto published, names_in(folder, ".pub"));
  KeyListing listing{{}, allowed.problems};
  if (!allowed.unsafe.empty()) listing.problems.push_back(allowed.unsafe);
  std::map<std::pair<std::string, std::string>, ListedKey> keys;  // by name and key
  const auto entry = [&](const PublicKey& key) -> ListedKey& {
    ListedKey& listed = keys[{key.name, key.key}];
    listed.key = key;
    return listed;
  };
  for (const std::string& name : secrets) {
    const auto key = read_secret(secret_path(folder, name));
    if (key) {
      entry(key->known).secret = true;
    } else {
      listing.problems.push_back(key.error().message);
    }
  }
  for (const std::string& name : published) {
    const auto key = read_public(public_path(folder, name));
    if (key) {
      entry(*key);
    } else {
      listing.problems.push_back(key.error().message);
    }
  }
  for (const PublicKey& key : allowed.keys) entry(key).allowed = true;
  for (auto& [id, listed] : keys) listing.keys.push_back(std::move(listed));
  return listing;
}

}  // namespace drover::commands
