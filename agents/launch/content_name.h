// A short name for contents: the same contents have the same one, others practically never. No
// protection against people who want two alike; ssh sees to them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace drover::launch {

/// 32 hexadecimal digits. Parts are told apart: {"ab", "c"} is not {"a", "bc"}.
std::string content_name(const std::vector<std::string_view>& parts);

}  // namespace drover::launch
