// The allow-list of a router: DIR/authorized/NAME.pub, one file for each key that may connect.
// Files and folders that users other than root and the router's own may write to are not trusted.
#pragma once

#include <string>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/keys/keys.h"

namespace drover::commands {

struct AllowList {
  std::vector<PublicKey> keys;
  std::vector<std::string> problems;  // a line for each invalid file; such a file grants no access
  std::string unsafe;  // if others may write to the list: why, and the fix; `keys` is then empty
};

/// Without a folder the list is empty. On an error the list could not be read, and its content is
/// unknown.
Result<AllowList> read_allow_list(const std::string& folder);
/// A text that differs after every change of what `read_allow_list` reads.
Result<std::string> allow_list_state(const std::string& folder);

}  // namespace drover::commands
