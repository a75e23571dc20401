// Folders of key files: where they are, how they are made, read, allowed and revoked.
//
//   DIR/NAME.key             secret, 0600        DIR/NAME.pub       its public half
//   DIR/router.key           the router's        DIR/router.pub     what clients need of it
//   DIR/authorized/NAME.pub  whom the router lets in, one file for each
//
// A router needs router.key and authorized/; a client or agent needs its NAME.key and router.pub.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/keys/keys.h"

namespace drover::commands {

struct KeyFiles {
  PublicKey key;
  std::string secret_file;
  std::string public_file;
  bool fresh = false;  // NAME.pub, which is written last, was not there before
};

/// $DROVER_KEYS, else $XDG_CONFIG_HOME/drover/keys, else ~/.config/drover/keys.
Result<std::string> default_keys_folder();

/// Makes a key pair and its two files, and the folder (0700) where it is absent. A key that is
/// there already with this role and these ids is answered as it is; with others it is an error.
/// `ids`: of an agent's key the hosts that it speaks for; empty: the one of its name. The router's
/// own key has the name "router" and the role `router`.
Result<KeyFiles> make_key(const std::string& folder, const std::string& name, KeyRole role,
                          std::vector<std::string> ids = {});
/// The same for an agent's key of its own name, which is entered in the folder's allow-list if it
/// is fresh: one that was revoked since it was made stays revoked. A process that ended between the
/// steps is finished by the next.
Result<KeyFiles> make_allowed_key(const std::string& folder, const std::string& name);

/// Enters the folder's own NAME.pub in its allow-list; a router that runs on that folder lets the
/// key in within a second. Done before: nothing changes.
Status allow_key(const std::string& folder, const std::string& name);
/// The same for a .pub file from elsewhere. Answers the key that it holds.
Result<PublicKey> allow_file(const std::string& folder, const std::string& file);
/// Whether this very key is on the allow-list.
Result<bool> is_allowed(const std::string& folder, const PublicKey& key);
/// Takes the key off the allow-list. Answers whether it stood there.
Result<bool> revoke_key(const std::string& folder, const std::string& name);

/// The router's key. The error says how to make one.
Result<SecretKey> read_router_key(const std::string& folder);

/// What a client or agent connects with.
struct Credentials {
  SecretKey own;
  std::string router_key;  // Z85, public
};
/// With `name` empty: the folder's only key beside the router's, or the one called `preferred`.
Result<Credentials> read_credentials(const std::string& folder, const std::string& name,
                                     const std::string& preferred);

/// Every key of a folder: own ones and allowed ones.
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
