// The sizes of a map's cells: from one sign per device to three lines with a number, further
// readings and a curve. Sizes in, sizes out, so every screen and fleet can be tested.
#pragma once

#include <span>

namespace drover::tui {

struct CellSize {
  int columns = 1;  // with the blank column that separates the cells of a line
  int lines = 1;    // number; further readings; curve
  bool operator==(const CellSize&) const = default;
};

/// Cells of fewer columns have no number: one sign, with a blank after it if there are two.
inline constexpr int number_columns_least = 3;
/// Cells of one line and at least so many columns show another reading after the number.
inline constexpr int reading_columns_least = 9;

/// A way to show groups of devices as blocks: a label and the cells after it.
struct MapFormat {
  int lines;
  int least, most;  // columns of a cell
  int details;      // parts of the label in addition to the name
  int gap = 3;      // columns between blocks beside each other
};
/// From much to little. Hosts have labels of more parts.
std::span<const MapFormat> map_formats(bool by_hosts);

/// The widest group of a map.
struct LineContent {
  int cells = 0;
  int blanks = 0;        // between its groups of devices, if it is not broken into lines
  bool by_hosts = true;  // hosts of usual size are not broken into lines
};

/// The cells of a block whose lines have `room` columns for them.
struct LineFit {
  int cells = 0;    // of a line; 0: the format does not fit
  int columns = 0;  // of a cell
};
/// The cells grow with the room. A group that needs several lines has about as many cells in each.
LineFit fit_line(const MapFormat& format, const LineContent& content, int room);

}  // namespace drover::tui
