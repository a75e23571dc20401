// Where work is, as decisions and jobs name it: "host/r0" (a replica), "host/0-3,6" (devices), of a
// gang over hosts "a/0-7 b/0-3".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace drover {

/// What one host has of a target.
struct TargetPart {
  std::string_view host;
  std::string_view place;  // "r0", "0-3,6"
};
/// Takes the next host's part off the front; nothing once the text has no more. A part that names
/// no host and place has neither.
std::optional<TargetPart> take_part(std::string_view& target);

/// The number of the replica that a place is.
std::optional<std::uint32_t> replica_in(std::string_view place);
/// Whether a place lists the device: "0-3,6" lists 2.
bool lists_device(std::string_view place, std::uint32_t index);

}  // namespace drover
