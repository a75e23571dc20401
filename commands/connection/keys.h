// Folders of key files: finds, makes, reads, allows and revokes keys.
//
//   DIR/NAME.key             secret, 0600        DIR/NAME.pub       its public half
//   DIR/router.key           the router's        DIR/router.pub     clients need it
//   DIR/authorized/NAME.pub  one file for each key that may connect to the router
//
// A router needs router.key and authorized/; a client or agent needs its NAME.key and router.pub.
#pragma once

#include <string>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/keys/keys.h"

namespace drover::commands {

struct KeyFiles {
  PublicKey key;
  std::string secret_file;
  std::string public_file;
  bool fresh = false;  // NAME.pub, which is written last, did not exist before
};

/// $DROVER_KEYS, else $XDG_CONFIG_HOME/drover/keys, else ~/.config/drover/keys.
Result<std::string> default_keys_folder();

/// Makes a key pair and its two files, and the folder (0700) if it does not exist. Returns an
/// existing key with this role and these ids; one with others is an error. `ids`: the hosts that an
/// agent's key may act as; empty: the host of its name. The router's own key has the name "router"
/// and the role `router`.
Result<KeyFiles> make_key(const std::string& folder, const std::string& name, KeyRole role,
                          std::vector<std::string> ids = {});
/// Makes the key of an agent and, if it is fresh, adds it to the allow-list: a key that was revoked
/// since it was made stays revoked. Completes what an earlier process left unfinished.
Result<KeyFiles> make_allowed_key(const std::string& folder, const std::string& name);

/// Adds the key in a .pub file to the folder's allow-list and returns it. A router that runs on
/// that folder accepts the key within a second. Does nothing if the key is allowed already.
Result<PublicKey> allow_file(const std::string& folder, const std::string& file);
/// Whether exactly this key is on the allow-list.
Result<bool> is_allowed(const std::string& folder, const PublicKey& key);
/// Removes the key from the allow-list. Returns whether it was on it.
Result<bool> revoke_key(const std::string& folder, const std::string& name);

/// The router's key. The error says how to make one.
Result<SecretKey> read_router_key(const std::string& folder);

/// The keys that a client or agent connects with.
struct Credentials {
  SecretKey own;
  std::string router_key;  // Z85, public
};
/// If `name` is empty: the key called `preferred`, else the folder's only key besides the router's.
Result<Credentials> read_credentials(const std::string& folder, const std::string& name,
                                     const std::string& preferred);

/// A key of a folder: made there, or allowed there.
struct ListedKey {
  PublicKey key;
  bool secret = false;   // its secret half is here
  bool allowed = false;  // it is on the allow-list
};
struct KeyListing {
  std::vector<ListedKey> keys;
  std::vector<std::string> problems;
};
Result<KeyListing> list_keys(const std::string& folder);

}  // namespace drover::commands
