// Parses the targets of decisions and jobs: "host/r0" (a replica), "host/0-3,6" (devices),
// "a/0-7 b/0-3" (a gang over several hosts).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace drover {

/// The part of a target on one host.
struct TargetPart {
  std::string_view host;
  std::string_view place;  // "r0", "0-3,6"
};
/// Removes the next part from the front of `target` and returns it; nothing when no part is left.
/// Both members are empty when the part is malformed.
std::optional<TargetPart> take_target_part(std::string_view& target);

/// The number of the replica that `place` names; nothing when it names devices.
std::optional<std::uint32_t> replica_in(std::string_view place);
/// Whether `place` lists the device: "0-3,6" lists 2.
bool lists_device(std::string_view place, std::uint32_t index);

}  // namespace drover
