// Draws a flow diagram: bands of braille dots, or of characters in ASCII.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "tui/canvas/braille.h"
#include "tui/diagrams/flow_diagram.h"

namespace drover::tui {
namespace {

constexpr int flow_rate_columns = 5;
constexpr int flow_name_least = 6, flow_name_most = 14;

/// Columns of a side: name, blank, rate, blank.
struct FlowColumns {
  int name = 0;
  int side() const { return name + 1 + flow_rate_columns + 1; }
};

FlowColumns flow_columns_of(const FlowDiagram& diagram, int columns) {
  int name = flow_name_least;
  for (const auto* side : {&diagram.left, &diagram.right}) {
    for (const FlowBox& box : *side) name = std::max(name, columns_of(box.pool));
  }
  return {std::min({name, flow_name_most, std::max(flow_name_least, columns / 6)})};
}

/// The top of a band at a share of the way, 0 at the left: it leaves and arrives level.
double top_at(const FlowBand& band, double way) {
  const double eased = way * way * (3 - 2 * way);
  return band.left_top + (band.right_top - band.left_top) * eased;
}

CellStyle band_style(const FlowBand& band) {
  return band.flow.reason ? CellStyle::warm : CellStyle::good;
}

/// A cell of the bands: its dots, and the band that was drawn there last.
struct FlowCell {
  unsigned dots = 0;
  const FlowBand* band = nullptr;
};

/// The bit of a dot in a braille character.
unsigned dot_bit(int column, int row) {
  constexpr std::array<std::array<unsigned, dots_per_cell>, 2> bits = {
      {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}};
  return bits[static_cast<std::size_t>(column)][static_cast<std::size_t>(row)];
}

class FlowDrawing {
 public:
  FlowDrawing(DrawRegion region, const FlowDiagram& diagram)
      : region_(region),
        diagram_(diagram),
        at_(flow_columns_of(diagram, region.columns())),
        first_(at_.side() + 1),
        width_(region.columns() - 2 * (at_.side() + 1)) {}

  void draw() {
    draw_side(diagram_.left, 0, at_.name + 1, at_.side());
    const int right = region_.columns() - at_.side();
    draw_side(diagram_.right, right + 1 + flow_rate_columns + 1, right + 1, right - 1);
    if (width_ < 1) return;
    draw_bands();
    for (const FlowBand& band : diagram_.bands) draw_label(band);
  }

 private:
  /// Names and rates, and a bar as thick as the rate.
  void draw_side(const std::vector<FlowBox>& boxes, int name, int rate, int bar) {
    for (const FlowBox& box : boxes) {
      region_.field(name, box.row(), at_.name, box.pool.empty() ? "-" : box.pool,
                    CellStyle::strong);
      region_.field(rate, box.row(), flow_rate_columns, rate_text(box.per_min), CellStyle::plain,
                    Align::right);
      const int rows = std::max(1, static_cast<int>(std::ceil(box.thickness - 1e-9)));
      for (int i = 0; i < rows; ++i) {
        region_.text(bar, box.row() + i, region_.ascii() ? "|" : "┃", CellStyle::header);
      }
    }
  }

  void draw_bands() {
    cells_.assign(static_cast<std::size_t>(width_) * static_cast<std::size_t>(region_.rows()), {});
    for (const FlowBand& band : diagram_.bands) {
      region_.ascii() ? fill_characters(band) : fill_dots(band);
    }
    for (int row = 0; row < region_.rows(); ++row) {
      for (int column = 0; column < width_; ++column) {
        const FlowCell& cell = cell_at(column, row);
        if (cell.band == nullptr || (cell.dots == 0 && !region_.ascii())) continue;
        const std::string text = !region_.ascii()         ? braille(cell.dots)
                                 : cell.band->flow.reason ? "#"
                                                          : "=";
        region_.text(first_ + column, row, text, band_style(*cell.band));
      }
    }
  }

  FlowCell& cell_at(int column, int row) {
    return cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) +
                  static_cast<std::size_t>(column)];
  }

  void fill_dots(const FlowBand& band) {
    for (int x = 0; x < 2 * width_; ++x) {
      const double top = top_at(band, (x + 0.5) / (2 * width_)) * dots_per_cell;
      const int begin = static_cast<int>(std::lround(top));
      const int end =
          std::max(begin + 1, static_cast<int>(std::lround(top + band.thickness * dots_per_cell)));
      // Fallbacks are hatched, so that they stand out without colours; thin lines would be lost.
      const bool hatched = band.flow.reason && end - begin > 1;
      for (int y = begin; y < std::min(end, region_.rows() * dots_per_cell); ++y) {
        FlowCell& cell = cell_at(x / 2, y / dots_per_cell);
        const unsigned bit = dot_bit(x % 2, y % dots_per_cell);
        const bool dot = !hatched || (x + y) % 2 == 0;
        cell.dots = dot ? cell.dots | bit : cell.dots & ~bit;
        cell.band = &band;
      }
    }
  }

  void fill_characters(const FlowBand& band) {
    for (int column = 0; column < width_; ++column) {
      const double top = top_at(band, (column + 0.5) / width_);
      const int begin = static_cast<int>(std::lround(top));
      const int end = std::max(begin + 1, static_cast<int>(std::lround(top + band.thickness)));
      for (int row = begin; row < std::min(end, region_.rows()); ++row) {
        cell_at(column, row).band = &band;
      }
    }
  }

  /// "capacity 5.9" on the band where no other label is; nowhere if there is no room.
  void draw_label(const FlowBand& band) {
    const std::string text = band.flow.reason ? fmt::format(" {} {} ", to_text(*band.flow.reason),
                                                            rate_text(band.flow.per_min))
                                              : fmt::format(" {} ", rate_text(band.flow.per_min));
    const int columns = static_cast<int>(text.size());
    for (const double way : {0.5, 0.35, 0.65, 0.2, 0.8}) {
      const int begin = static_cast<int>(way * width_) - columns / 2;
      const int row = static_cast<int>(top_at(band, way) + band.thickness / 2);
      if (begin < 0 || begin + columns > width_ || row >= region_.rows()) continue;
      const bool free = std::ranges::none_of(labels_, [&](const Rect& other) {
        return other.row == row && begin < other.column + other.columns &&
               other.column < begin + columns;
      });
      if (!free) continue;
      labels_.push_back({begin, row, columns, 1});
      region_.text(first_ + begin, row, text, band_style(band));
      return;
    }
  }

  DrawRegion region_;
  const FlowDiagram& diagram_;
  FlowColumns at_;
  int first_, width_;  // of the bands
  std::vector<FlowCell> cells_;
  std::vector<Rect> labels_;
};

}  // namespace

void draw_flow_diagram(DrawRegion region, const FlowDiagram& diagram) {
  FlowDrawing(region, diagram).draw();
}

}  // namespace drover::tui
