// The keys that a launched agent needs: made here if they are missing, and copied to its host.
#pragma once

#include <string>

#include "agents/launch/fleet_file.h"
#include "fleet/base/result.h"

namespace drover::commands {

/// Texts of key files; empty if the fleet file names no key folder.
struct HostKeys {
  std::string router;  // public
  std::string agent;   // secret
};

/// The fleet's key folder, relative to the folder of the fleet file; empty: none.
std::string fleet_keys_folder(const launch::LaunchFleet& fleet, const std::string& fleet_file);

/// The keys for one host. With `make`, a missing key is made and allowed, and a key that is not
/// allowed is an error. Without, missing keys are empty.
Result<HostKeys> keys_for_host(const std::string& folder, const std::string& host, bool make);

}  // namespace drover::commands
