// How the map and the table group devices.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drover::tui {

enum class Grouping : std::uint8_t { host, rack, pool, kind, state };
inline constexpr int grouping_count = 5;
/// "host": as typed after `:group`.
std::string_view to_text(Grouping grouping);
const std::vector<std::string>& grouping_names();  // in the order of Grouping

}  // namespace drover::tui
