// Draws inside one rectangle of a canvas: text, headings, bars, curves. Columns and rows are
// relative to the rectangle's corner, and nothing is ever written outside it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tui/canvas/canvas.h"

namespace drover::tui {

enum class Align : std::uint8_t { left, right };

class DrawRegion {
 public:
  DrawRegion(Canvas& canvas, const Rect& area, bool ascii)
      : canvas_(&canvas), area_(area), ascii_(ascii) {}

  int columns() const { return area_.columns; }
  int rows() const { return area_.rows; }
  bool ascii() const { return ascii_; }
  const Rect& area() const { return area_; }
  /// A region for another rectangle of the canvas (in the canvas's columns and rows).
  DrawRegion on(const Rect& area) const { return DrawRegion(*canvas_, area, ascii_); }

  /// A region for a rectangle of this one.
  DrawRegion part(const Rect& within) const {
    return on({area_.column + within.column, area_.row + within.row, within.columns, within.rows});
  }

  /// Returns the column after the text.
  int text(int column, int row, std::string_view text, CellStyle style = CellStyle::plain);
  /// Exactly `width` columns: cut with an ellipsis, or padded.
  void field(int column, int row, int width, std::string_view text,
             CellStyle style = CellStyle::plain, Align align = Align::left);
  /// A heading: "Title ------- note", over the whole width.
  void heading(int row, std::string_view title, std::string_view note = {});
  /// A bar with its number inside; no bar if the share is NaN.
  void gauge(int column, int row, int width, double share, std::string_view number, CellStyle fill);
  /// One column per value, the newest at the right end; NaN leaves a gap.
  void sparkline(int column, int row, int width, std::span<const double> shares, CellStyle style);
  /// The same over several rows, filled below the curve.
  void curve(const Rect& area, std::span<const double> shares, CellStyle style);
  /// A row of the region, in the canvas's columns and rows.
  Rect row_area(int row) const { return {area_.column, area_.row + row, area_.columns, 1}; }
  void tint(int row, CellStyle style);
  /// Gives the cells of the heat scale among these this shade.
  void shade(int column, int row, int width, HeatShade shade);
  /// Copies the rows of another canvas from `first_row` on to the region's rows from `row` on.
  void paste(const Canvas& from, int first_row, int row);
  void blank(CellStyle style = CellStyle::plain);

 private:
  Canvas* canvas_;
  Rect area_;
  bool ascii_;
};

/// The level of a share of the heat scale, 0..1. REQUIRES that it is not NaN.
int heat_level(double share);
CellStyle heat_level_style(int level);
/// The shade of a share, as the level. REQUIRES that it is not NaN.
HeatShade heat_shade(double share);

/// Good below `warm`, then warm, then hot: the style of a bar and of a number.
CellStyle gauge_style(double share, double warm, double hot);
CellStyle threshold_style(double share, double warm, double hot);

/// Whether the text is printable ASCII: one column per byte.
bool is_ascii(std::string_view text);
/// The columns that the text takes when it is drawn.
int columns_of(std::string_view text);
/// At most `width` columns: cut with an ellipsis ("~" in ASCII).
std::string shortened(std::string_view text, int width, bool ascii);
/// The text of a missing value, which is never shown as a zero.
inline constexpr std::string_view not_known = "N/A";
/// `not_known` for NaN.
std::string known_text(double value, std::string (*text)(double));
/// "71C", "1410 MHz"; `not_known` for NaN.
std::string rounded_text(double value, std::string_view unit);
/// "64%"; `not_known` for NaN.
std::string percent_text(double share);

}  // namespace drover::tui
