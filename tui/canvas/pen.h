// Draws inside one rectangle of a canvas: text, headings, bars, curves. Columns and rows count from
// the rectangle's corner, and nothing is ever written outside it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tui/canvas/canvas.h"

namespace drover::tui {

enum class Align : std::uint8_t { left, right };

class Pen {
 public:
  Pen(Canvas& canvas, const Rect& area, bool ascii)
      : canvas_(&canvas), area_(area), ascii_(ascii) {}

  int columns() const { return area_.columns; }
  int rows() const { return area_.rows; }
  bool ascii() const { return ascii_; }
  const Rect& area() const { return area_; }
  /// A pen for a rectangle of the canvas (in the canvas's own columns and rows).
  Pen on(const Rect& area) const { return Pen(*canvas_, area, ascii_); }

  /// Answers the column behind the text.
  int text(int column, int row, std::string_view text, Role role = Role::plain);
  /// Exactly `width` columns: cut with an ellipsis, or padded.
  void field(int column, int row, int width, std::string_view text, Role role = Role::plain,
             Align align = Align::left);
  /// A heading: "Title ------- note", over the whole width.
  void heading(int row, std::string_view title, std::string_view note = {});
  /// A bar with its number inside. A share that is NaN draws no bar.
  void gauge(int column, int row, int width, double share, std::string_view number, Role fill);
  /// One column per value, the newest at the right end; NaN leaves a gap.
  void sparkline(int column, int row, int width, std::span<const double> shares, Role role);
  /// The same over several rows, filled below the curve.
  void curve(const Rect& area, std::span<const double> shares, Role role);
  /// A row of the area, in the canvas's own columns and rows.
  Rect row_area(int row) const { return {area_.column, area_.row + row, area_.columns, 1}; }
  void tint(int row, Role role);
  /// Rows of another canvas, from `first_row` on, over the pen's rows from `row` on.
  void paste(const Canvas& from, int first_row, int row);
  void blank(Role role = Role::plain);

 private:
  Canvas* canvas_;
  Rect area_;
  bool ascii_;
};

inline constexpr int heat_level_count = 8;
/// The level of the heat scale on which a share of it lies, 0..1; REQUIRES a number.
int heat_level(double share);
Role level_role(int level);
inline Role heat_role(double share) { return level_role(heat_level(share)); }
/// good below `warm`, then warm, then hot: the fill of a bar, and the ink of a number.
Role fill_role(double share, double warm, double hot);
Role ink_role(double share, double warm, double hot);

/// Exactly `width` columns or fewer: cut with an ellipsis ("~" in ASCII).
std::string shortened(std::string_view text, int width, bool ascii);
/// What stands where a value is missing: never a zero.
inline constexpr std::string_view not_known = "N/A";
/// `not_known` for NaN.
std::string known_text(double value, std::string (*text)(double));
/// "64%"; `not_known` for NaN.
std::string percent_text(double share);

}  // namespace drover::tui
