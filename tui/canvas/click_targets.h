// The clickable areas of the last frame; views add them while they draw.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tui/canvas/canvas.h"

namespace drover::tui {

struct ClickTarget {
  enum class Kind : std::uint8_t {
    view,    // a ViewId
    key,     // index in bindings()
    item,    // index in the current view's list
    group,   // index in the order of the map
    pool,    // index in Model::pools()
    column,  // of the devices table
    figure,  // a metric or limit of the device view
    moment,  // of the covered time: one of scrubber_parts
  };
  Rect area;
  Kind kind = Kind::view;
  int value = 0;
};

class ClickTargets {
 public:
  void clear() { targets_.clear(); }
  /// Later areas are above earlier ones.
  void add(const Rect& area, ClickTarget::Kind kind, int value) {
    targets_.push_back({area, kind, value});
  }
  std::optional<ClickTarget> at(int column, int row) const {
    for (auto hit = targets_.rbegin(); hit != targets_.rend(); ++hit) {
      const Rect& area = hit->area;
      const bool inside = column >= area.column && column < area.column + area.columns &&
                          row >= area.row && row < area.row + area.rows;
      if (inside) return *hit;
    }
    return std::nullopt;
  }

 private:
  std::vector<ClickTarget> targets_;
};

}  // namespace drover::tui
