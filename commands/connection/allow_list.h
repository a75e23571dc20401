// Whom a router lets in: DIR/authorized/NAME.pub, one file for each key. Only what nobody but root
// and the router's own user may write counts.
#pragma once

#include <string>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/keys/keys.h"

namespace drover::commands {

struct AllowList {
  std::vector<PublicKey> keys;
  std::vector<std::string> problems;  // a line for each file that is wrong; it lets nobody in
  std::string unsafe;  // others may write to the list, so it has no keys; how to mend it
};

/// No folder: nobody. The error: the list could not be read, which says nothing about whom it
/// names.
Result<AllowList> read_allow_list(const std::string& folder);
/// Another text after any change of what `read_allow_list` goes by.
Result<std::string> allow_list_state(const std::string& folder);

}  // namespace drover::commands
