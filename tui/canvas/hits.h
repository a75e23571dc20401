// What a click means, place by place, as the last frame was drawn: views say it while they draw.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tui/canvas/canvas.h"

namespace drover::tui {

struct Hit {
  enum class Kind : std::uint8_t {
    view,     // of that number
    command,  // of that number
    item,     // in the present view's list
    column,   // of the devices table
    figure,   // of the device view
    moment,   // of the time that is covered: a part of scrubber_parts
  };
  Rect area;
  Kind kind = Kind::view;
  int value = 0;
};

class Hits {
 public:
  void clear() { hits_.clear(); }
  /// What is added later lies above.
  void add(const Rect& area, Hit::Kind kind, int value) { hits_.push_back({area, kind, value}); }
  std::optional<Hit> at(int column, int row) const {
    for (auto hit = hits_.rbegin(); hit != hits_.rend(); ++hit) {
      const Rect& area = hit->area;
      const bool inside = column >= area.column && column < area.column + area.columns &&
                          row >= area.row && row < area.row + area.rows;
      if (inside) return *hit;
    }
    return std::nullopt;
  }

 private:
  std::vector<Hit> hits_;
};

}  // namespace drover::tui
