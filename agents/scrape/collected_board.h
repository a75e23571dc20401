// One board while its series are read: values by slot, parts, and who uses it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/scrape/known_series.h"
#include "agents/watch/reading.h"

namespace drover::agents {

/// What the labels of one series say, by role; empty: nothing.
using LabelTexts = std::array<std::string_view, label_role_count>;
inline std::string_view text_of(const LabelTexts& labels, LabelRole role) {
  return labels[static_cast<std::size_t>(role)];
}

/// A series with a place on a board.
struct PlacedSeries {
  const KnownSeries* known = nullptr;
  LabelTexts labels;
  double value = 0;
  std::uint64_t label_hash = 0;  // of all labels
};

class CollectedBoard {
 public:
  explicit CollectedBoard(Exporter exporter) : exporter_(exporter) {}

  Exporter exporter() const { return exporter_; }

  /// Returns whether an equal series was there before; this one replaces it.
  bool add(const PlacedSeries& series);

  /// All that was collected. `read_by` and the index are the caller's.
  BoardReading reading() const;

 private:
  struct Cell {
    const KnownSeries* from = nullptr;  // null: nothing yet
    std::uint64_t label_hash = 0;
    double value = 0;      // as on the page
    bool good = false;     // the value counts
    bool of_part = false;  // read of a part of the board
  };
  struct Part {
    std::uint32_t number = 0;
    std::string profile, uuid;
    std::array<double, slot_count> values;
  };

  void describe(const PlacedSeries& series);
  void add_user(const PlacedSeries& series);
  bool set(const PlacedSeries& series, bool of_part);
  Part* part_of(const PlacedSeries& series);

  std::optional<double> value_at(Slot slot) const;
  std::optional<double> memory_of(Metric metric) const;
  void fill_values(BoardReading& reading) const;
  void fill_board(BoardReading& reading) const;
  void fill_missing(BoardReading& reading) const;
  std::string why_missing(Metric metric) const;

  Exporter exporter_;  // of the first series
  std::string vendor_, serial_;
  DeviceClass class_ = DeviceClass::gpu;
  Board board_;
  std::array<Cell, slot_count> cells_{};
  std::vector<Part> parts_;
  std::vector<DeviceProcess> users_;
  std::uint32_t users_left_out_ = 0;
};

}  // namespace drover::agents
