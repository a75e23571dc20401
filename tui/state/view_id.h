// The views, in the order of their number keys.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drover::tui {

enum class ViewId : std::uint8_t {
  fleet,
  devices,
  device,
  jobs,
  routing,
  power,
  events,
  data_plane,
  help  // the last one
};
inline constexpr int view_count = static_cast<int>(ViewId::help) + 1;

inline const std::vector<std::string>& view_names() {
  static constexpr std::array names = {"fleet", "devices", "device",     "jobs", "routing",
                                       "power", "events",  "data-plane", "help"};
  static_assert(names.size() == view_count);
  static const std::vector<std::string> all(names.begin(), names.end());
  return all;
}
inline std::string_view to_text(ViewId view) {
  return view_names()[static_cast<std::size_t>(view)];
}

/// A set of views, with a bit for each one.
using ViewSet = std::uint16_t;
constexpr ViewSet only(ViewId view) {
  return static_cast<ViewSet>(1U << static_cast<unsigned>(view));
}
inline constexpr ViewSet in_every_view = (1U << view_count) - 1;

}  // namespace drover::tui
