// A short name for contents: equal contents have equal names, different ones practically never. It
// does not protect against deliberate collisions; ssh authenticates hosts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace drover::launch {

/// 32 hexadecimal digits. Parts are separate: {"ab", "c"} is not {"a", "bc"}.
std::string content_name(const std::vector<std::string_view>& parts);

}  // namespace drover::launch
