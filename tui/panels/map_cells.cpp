#include "tui/panels/map_parts.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/tables/device_queries.h"

namespace drover::tui {
namespace {

/// A device that is lost or not usable shows a sign instead of a number; one that is drained or has
/// a fault shows a sign beside the number.
struct CellLook {
  DeviceMarker marker;
  bool gone = false, beside = false, shown = false;
  CellStyle style = CellStyle::stale;
};

CellLook look_of(const FrameContext& frame, const HeatCell& cell) {
  CellLook look;
  look.marker = device_marker(frame.model, frame.now, cell.shown);
  look.gone = look.marker.text == "x" || look.marker.text == "!";
  look.beside = look.marker.text == "*" || look.marker.text == "d";
  look.shown = !look.gone && cell.level >= 0;
  if (look.gone) look.style = CellStyle::critical;
  if (look.shown) look.style = heat_level_style(cell.level);
  return look;
}

unsigned signs_of(const CellLook& look) {
  if (look.marker.text == "x") return sign_lost;
  if (look.marker.text == "!") return sign_unusable;
  unsigned signs = look.shown ? 0u : unsigned{sign_no_data};
  if (look.marker.text == "*") signs |= sign_fault;
  if (look.marker.text == "d") signs |= sign_drained;
  return signs;
}

/// A cell's number has its unit if the cell is so wide; the scale in the heading has it anyway.
constexpr int unit_columns_least = 6;

/// Columns of a cell's number. A sign beside it has the last column, and never covers a digit.
int map_number_columns(const CellLook& look, int width) {
  return width >= 4 || !look.beside ? width : width - 1;
}

/// Two columns have no room for 100: they show 99, and the heading says that it may be more.
bool is_cut(const MapValue& reading, int columns) {
  return columns == 2 && reading.display_value >= 99.5;
}

/// The number that fits into a cell, with "~" if the end of its scale is assumed.
std::string number_text(const MapValue& reading, MapMetric metric, int width) {
  if (std::isnan(reading.display_value)) return "-";
  if (width >= unit_columns_least) {
    std::string text = map_value_text(metric, std::min(reading.display_value, 999.0));
    if (reading.assumed && static_cast<int>(text.size()) + 1 < width) text.insert(0, "~");
    return text;
  }
  const double number = is_cut(reading, width) ? 99 : std::min(reading.display_value, 999.0);
  const bool tenths = metric == MapMetric::age && width >= 4 && number < 9.95;
  std::string text = fmt::format("{:.{}f}", number, tenths ? 1 : 0);
  const int room = width >= 4 ? width - 1 : width;
  if (reading.assumed && static_cast<int>(text.size()) < room) text.insert(0, "~");
  return text;
}

/// A reading beside the map's metric.
struct FurtherReading {
  MapMetric metric;  // that shows the same
  std::string (*text)(const Model&, DeviceTable::Row);
};
constexpr FurtherReading further_readings[] = {
    {MapMetric::utilization,
     [](const Model& model, DeviceTable::Row row) {
       return percent_text(model.reading(row, Metric::utilization));
     }},
    {MapMetric::temperature,
     [](const Model& model, DeviceTable::Row row) {
       return rounded_text(model.reading(row, Metric::temperature), "C");
     }},
    {MapMetric::power,
     [](const Model& model, DeviceTable::Row row) {
       return rounded_text(model.reading(row, Metric::power), "W");
     }},
    {MapMetric::memory, [](const Model& model, DeviceTable::Row row) {
       return known_text(model.reading(row, Metric::memory_used), bytes_text);
     }}};

/// As many of the known readings as fit; those of the map's metric are in its number already,
/// except for watts and bytes.
std::string readings_text(const Model& model, DeviceTable::Row row, MapMetric metric, int width) {
  std::string line;
  for (const FurtherReading& further : further_readings) {
    const bool again =
        further.metric == metric && metric != MapMetric::power && metric != MapMetric::memory;
    if (again) continue;
    const std::string text = further.text(model, row);
    if (text == not_known) continue;
    if (static_cast<int>(line.size() + text.size()) + (line.empty() ? 0 : 1) > width) continue;
    if (!line.empty()) line += ' ';
    line += text;
  }
  return line;
}

/// "/3" of a host's cells; the names of devices elsewhere are too long.
std::string index_text(const FrameContext& frame, const HeatMap& map, const HeatCell& cell) {
  if (map.order.grouping != Grouping::host || cell.count > 1) return {};
  return fmt::format("/{}", frame.model.devices().index(cell.shown));
}

/// The text of a cell's first line, `width` columns.
std::string first_line(const FrameContext& frame, const HeatMap& map, MapMetric metric,
                       const HeatCell& cell, const CellLook& look, int width) {
  const MapValue reading = map_value(frame.model, frame.now, cell.shown, metric);
  const int margin = width >= 4 || look.beside ? 1 : 0;
  const int room_of_number = map_number_columns(look, width);
  std::string number = look.gone            ? std::string(look.marker.text)
                       : room_of_number < 2 ? std::string()
                                            : number_text(reading, metric, room_of_number);
  std::string before;
  if (width >= reading_columns_least - 1 && !look.gone) {
    const int room = width - margin - 1 - static_cast<int>(number.size()) - 1;
    if (map.cell.lines > 1) {
      before = index_text(frame, map, cell);
    } else {
      before = readings_text(frame.model, cell.shown, metric, room);
      std::swap(before, number);
    }
  }
  const int used = static_cast<int>(before.size()) + (before.empty() ? 0 : 1);
  const std::string begin = before.empty() ? std::string() : " " + before;
  return fmt::format("{}{:>{}}{:{}}", begin, number, std::max(0, width - margin - used), "",
                     margin);
}

/// The same with a cursor. It must be visible on any colour and without colours, so it is a shape
/// and a style.
std::string with_cursor(std::string text) {
  if (text.size() >= 4) {
    text.front() = '[';
    text.back() = ']';
  }
  return text.size() == 1 ? "X" : text;
}

void draw_further_lines(const FrameContext& frame, DrawRegion& region, const HeatMap& map,
                        MapMetric metric, const HeatCell& cell, int row, bool selected) {
  const int width = content_columns(map.cell);
  const bool throttled = is_throttled(frame.model.reading(cell.shown, Metric::throttle));
  const bool old = frame.stale(cell.shown);
  const CellStyle style = selected    ? CellStyle::selected
                          : old       ? CellStyle::stale
                          : throttled ? CellStyle::hot
                                      : CellStyle::faint;
  region.field(
      cell.column, row + 1, width,
      fmt::format("{:>{}}", readings_text(frame.model, cell.shown, metric, width - 1), width - 1),
      style);
  if (map.cell.lines < 3) return;
  const int seconds = std::min(width, sparkline_values_max(frame));
  region.sparkline(cell.column, row + 2, width,
                   sparkline_values(frame, cell.shown, curve_metric(metric), seconds),
                   old ? CellStyle::stale : CellStyle::accent);
}

}  // namespace

GaugeMetric curve_metric(MapMetric metric) {
  switch (metric) {
    case MapMetric::memory:
      return GaugeMetric::memory;
    case MapMetric::power:
      return GaugeMetric::power;
    case MapMetric::temperature:
      return GaugeMetric::temperature;
    default:
      return GaugeMetric::utilization;
  }
}

int content_columns(const CellSize& cell) { return std::max(1, cell.columns - 1); }

unsigned draw_map_cell(const FrameContext& frame, DrawRegion& region, const HeatMap& map,
                       MapMetric metric, const HeatCell& cell, int row, bool selected) {
  const CellLook look = look_of(frame, cell);
  unsigned signs = signs_of(look);
  const int width = content_columns(map.cell);
  if (width == 1) {
    const bool marked = look.beside || look.gone;
    const std::string_view sign = selected     ? std::string_view("X")
                                  : marked     ? look.marker.text
                                  : look.shown ? std::string_view(" ")
                                               : std::string_view("-");
    region.text(cell.column, row, sign,
                selected      ? CellStyle::selected
                : look.beside ? look.marker.style
                              : look.style);
    region.shade(cell.column, row, width, cell.shade);
    return signs;
  }
  std::string text = first_line(frame, map, metric, cell, look, width);
  if (text.find('~') != std::string::npos) signs |= sign_assumed;
  const MapValue reading = map_value(frame.model, frame.now, cell.shown, metric);
  if (!look.gone && is_cut(reading, map_number_columns(look, width))) signs |= sign_cut;
  region.text(cell.column, row, selected ? with_cursor(std::move(text)) : text,
              selected ? CellStyle::selected : look.style);
  region.shade(cell.column, row, width, cell.shade);
  if (look.beside && !selected) {
    region.text(cell.column + width - 1, row, look.marker.text, look.marker.style);
  }
  if (map.cell.lines > 1) draw_further_lines(frame, region, map, metric, cell, row, selected);
  return signs;
}

}  // namespace drover::tui
