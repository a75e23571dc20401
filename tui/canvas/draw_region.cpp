#include "tui/canvas/draw_region.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/text.h"

namespace drover::tui {
namespace {

constexpr std::array<std::string_view, 9> eighths = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 9> eighths_ascii = {"_", ".", ":", "-", "=",
                                                           "+", "*", "#", "@"};

}  // namespace

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

int columns_of(std::string_view text) {
  if (is_ascii(text)) return static_cast<int>(text.size());
  return static_cast<int>(column_width(printable(text)));
}

int DrawRegion::text(int column, int row, std::string_view text, CellStyle style) {
  const int end = canvas_->put(area_, area_.column + column, area_.row + row, text, style);
  return end - area_.column;
}

void DrawRegion::field(int column, int row, int width, std::string_view text, CellStyle style,
                       Align align) {
  if (width <= 0) return;
  const std::string cut = shortened(text, width, ascii_);
  const int used = columns_of(cut);
  this->text(column + (align == Align::right ? width - used : 0), row, cut, style);
}

void DrawRegion::heading(int row, std::string_view title, std::string_view note) {
  std::string line;
  for (int i = 0; i < columns(); ++i) line += ascii_ ? "-" : "─";
  text(0, row, line, CellStyle::faint);
  const std::string shown = shortened(title, columns(), ascii_);
  const int end =
      text(0, row, shown + (columns_of(shown) < columns() ? " " : ""), CellStyle::header);
  const int width = columns_of(note);
  if (width > 0 && end + width + 1 < columns()) {
    text(columns() - width - 1, row, " ", CellStyle::faint);
    text(columns() - width, row, note, CellStyle::faint);
  }
}

void DrawRegion::gauge(int column, int row, int width, double share, std::string_view number,
                       CellStyle fill) {
  if (width <= 0) return;
  const bool known = !std::isnan(share);
  const double bounded = known ? std::clamp(share, 0.0, 1.0) : 0.0;
  int filled = static_cast<int>(std::lround(bounded * width));
  // A small value shows one cell, so that it differs from zero.
  if (known && bounded > 0.005 && filled == 0) filled = 1;
  std::string cells(static_cast<std::size_t>(width), ' ');
  const std::string cut = shortened(number, width, true);
  if (columns_of(cut) == static_cast<int>(cut.size())) {
    const std::size_t margin = static_cast<int>(cut.size()) < width ? 1 : 0;
    cells.replace(cells.size() - cut.size() - margin, cut.size(), cut);
  }
  if (!known) {
    // An unknown value has no bar, so that it differs from zero.
    text(column, row, cells, CellStyle::faint);
    return;
  }
  text(column, row, std::string_view(cells).substr(0, static_cast<std::size_t>(filled)), fill);
  text(column + filled, row, std::string_view(cells).substr(static_cast<std::size_t>(filled)),
       CellStyle::track);
}

void DrawRegion::sparkline(int column, int row, int width, std::span<const double> shares,
                           CellStyle style) {
  const int count = std::min(width, static_cast<int>(shares.size()));
  for (int i = 0; i < count; ++i) {
    const double share = shares[shares.size() - static_cast<std::size_t>(count - i)];
    if (std::isnan(share)) continue;
    // At most seven eighths, so that full rows below each other stay separate.
    const auto step =
        static_cast<std::size_t>(std::clamp(1 + static_cast<int>(std::floor(share * 7)), 1, 7));
    text(column + width - count + i, row, ascii_ ? eighths_ascii[step] : eighths[step], style);
  }
}

void DrawRegion::curve(const Rect& area, std::span<const double> shares, CellStyle style) {
  const int count = std::min(area.columns, static_cast<int>(shares.size()));
  for (int i = 0; i < count; ++i) {
    const double share = shares[shares.size() - static_cast<std::size_t>(count - i)];
    if (std::isnan(share)) continue;
    // Eighths of a row, at least one, so that zero differs from unknown.
    const int height =
        std::max(1, static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * 8 * area.rows)));
    for (int row = 0; row < area.rows; ++row) {
      const int part = std::clamp(height - 8 * row, 0, 8);
      if (part == 0) break;
      const auto step = static_cast<std::size_t>(part);
      text(area.column + area.columns - count + i, area.row + area.rows - 1 - row,
           ascii_ ? eighths_ascii[step] : eighths[step], style);
    }
  }
}

void DrawRegion::tint(int row, CellStyle style) {
  if (row < 0 || row >= area_.rows) return;
  canvas_->tint({area_.column, area_.row + row, area_.columns, 1}, style);
}

void DrawRegion::shade(int column, int row, int width, HeatShade shade) {
  if (row < 0 || row >= area_.rows) return;
  const int end = std::min(column + width, area_.columns);
  canvas_->shade({area_.column + column, area_.row + row, std::max(0, end - column), 1}, shade);
}

void DrawRegion::paste(const Canvas& from, int first_row, int row) {
  canvas_->paste(from, first_row, {area_.column, area_.row + row, area_.columns, area_.rows - row});
}

void DrawRegion::blank(CellStyle style) { canvas_->fill(area_, " ", style); }

int heat_level(double share) {
  return static_cast<int>(std::clamp(share * heat_level_count, 0.0, heat_level_count - 1.0));
}

CellStyle heat_level_style(int level) {
  return static_cast<CellStyle>(static_cast<int>(CellStyle::heat0) +
                                std::clamp(level, 0, heat_level_count - 1));
}

HeatShade heat_shade(double share) {
  return static_cast<HeatShade>(1 +
                                std::clamp(share * heat_shade_count, 0.0, heat_shade_count - 1.0));
}

CellStyle gauge_style(double share, double warm, double hot) {
  if (share >= hot) return CellStyle::fill_hot;
  return share >= warm ? CellStyle::fill_warm : CellStyle::fill_good;
}

CellStyle threshold_style(double share, double warm, double hot) {
  if (std::isnan(share)) return CellStyle::faint;
  if (share >= hot) return CellStyle::hot;
  return share >= warm ? CellStyle::warm : CellStyle::plain;
}

std::string shortened(std::string_view text, int width, bool ascii) {
  if (width <= 0) return {};
  if (static_cast<int>(text.size()) <= width && is_ascii(text)) return std::string(text);
  const std::string safe = printable(text);
  if (static_cast<int>(column_width(safe)) <= width) return safe;
  std::string cut;
  int used = 0;
  for (std::size_t at = 0; at < safe.size();) {
    std::size_t next = at + 1;
    while (next < safe.size() && (static_cast<unsigned char>(safe[next]) & 0xC0) == 0x80) ++next;
    const std::string_view character = std::string_view(safe).substr(at, next - at);
    const int wide = static_cast<int>(column_width(character));
    if (used + wide > width - 1) break;
    cut += character;
    used += wide;
    at = next;
  }
  return cut + (ascii ? "~" : "…");
}

std::string known_text(double value, std::string (*text)(double)) {
  return std::isnan(value) ? std::string(not_known) : text(value);
}

std::string rounded_text(double value, std::string_view unit) {
  return std::isnan(value) ? std::string(not_known) : fmt::format("{:.0f}{}", value, unit);
}

std::string percent_text(double share) {
  if (std::isnan(share)) return std::string(not_known);
  return fmt::format("{:.0f}%", share * 100);
}

}  // namespace drover::tui
