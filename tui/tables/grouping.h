// How the map and the table group devices.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drover::tui {

enum class Grouping : std::uint8_t { host, rack, pool, kind, state };
inline constexpr int grouping_count = 5;
/// As typed after `:group`, in the order of Grouping.
inline const std::vector<std::string>& grouping_names() {
  static const std::vector<std::string> names = {"host", "rack", "pool", "kind", "state"};
  return names;
}
inline std::string_view to_text(Grouping grouping) {
  return grouping_names()[static_cast<std::size_t>(grouping)];
}

}  // namespace drover::tui
