// The keys that a launched agent needs: made here where they are missing, and carried to its host.
#pragma once

#include <string>

#include "agents/launch/fleet_file.h"
#include "fleet/base/result.h"

namespace drover::commands {

/// Texts of key files; empty where the fleet file names no folder of keys.
struct CarriedKeys {
  std::string router;  // its public half
  std::string agent;   // secret
};

/// The fleet's folder of keys, `keys` being relative to the fleet file's own; empty: none.
std::string fleet_keys_folder(const launch::LaunchFleet& fleet, const std::string& fleet_file);

/// The keys for one host. With `make` an absent one is made and entered in the folder's allow-list,
/// and one that is not on the list is an error; without, what is absent is empty.
Result<CarriedKeys> carried_keys(const std::string& folder, const std::string& host, bool make);

}  // namespace drover::commands
