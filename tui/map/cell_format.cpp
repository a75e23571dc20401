#include "tui/map/cell_format.h"

#include <algorithm>

namespace drover::tui {
namespace {

// A curve of fewer than nine seconds says little, and a temperature and a power need nine columns.
constexpr MapFormat host_formats[] = {{3, 10, 17, 2}, {2, 6, 17, 2},  {1, 4, 13, 2}, {1, 3, 3, 2},
                                      {1, 4, 13, 1},  {1, 3, 3, 1},   {1, 2, 2, 1},  {1, 2, 2, 0},
                                      {1, 1, 1, 0},   {1, 1, 1, 0, 1}};
constexpr MapFormat group_formats[] = {{3, 10, 17, 2}, {2, 6, 17, 2}, {1, 4, 13, 2},
                                       {1, 3, 3, 2},   {1, 2, 2, 2},  {1, 1, 1, 2},
                                       {1, 1, 1, 1},   {1, 1, 1, 0},  {1, 1, 1, 0, 1}};

constexpr int line_cells_least = 4;   // blocks are not cut into narrower strips
constexpr int host_cells_usual = 16;  // a host of so many devices is one line

}  // namespace

std::span<const MapFormat> map_formats(bool by_hosts) {
  return by_hosts ? std::span<const MapFormat>(host_formats)
                  : std::span<const MapFormat>(group_formats);
}

LineFit fit_line(const MapFormat& format, const LineContent& content, int room) {
  if (content.cells == 0) return {1, format.least};
  if (content.cells * format.least + content.blanks <= room) {
    return {content.cells, std::min(format.most, (room - content.blanks) / content.cells)};
  }
  const int most_cells = room / format.least;
  const bool whole = content.by_hosts && content.cells <= host_cells_usual;
  if (whole || most_cells < std::min(content.cells, line_cells_least)) return {};
  const int lines = (content.cells + most_cells - 1) / most_cells;
  const int cells = (content.cells + lines - 1) / lines;
  return {cells, std::min(format.most, room / cells)};
}

}  // namespace drover::tui
