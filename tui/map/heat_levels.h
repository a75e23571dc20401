// Which of the heat scale's levels each cell of the map shows. A value that trembles on the border
// of two levels keeps the one it has, so that it repaints nothing on a slow link.
#pragma once

#include <cstdint>
#include <vector>

namespace drover::tui {

/// A cell moves on when its value has left its level by so much of a level's width.
inline constexpr double level_slack = 0.25;

class HeatLevels {
 public:
  /// What the cells are of. Another fleet, metric or grouping has no past here.
  struct Subject {
    std::uint64_t structure = 0;  // of the model
    int metric = 0;
    int grouping = 0;
    std::uint32_t per_cell = 0;
    bool operator==(const Subject&) const = default;
  };
  void begin(const Subject& subject, std::size_t keys);
  /// All levels are the plain ones from here on.
  void forget() { levels_.clear(); }
  /// The level of a share of the scale, 0 to heat_level_count - 1; -1 for NaN. The same share again
  /// never moves it. REQUIRES key < keys.
  int settle(std::size_t key, double share);

 private:
  Subject subject_;
  std::vector<std::int8_t> levels_;  // by key; -1: none
};

}  // namespace drover::tui
