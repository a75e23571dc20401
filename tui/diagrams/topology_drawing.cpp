// Draws a host's devices and what connects them.
#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "tui/diagrams/topology_layout.h"

namespace drover::tui {
namespace {

/// The characters of lines, with and without UTF-8.
struct LineSigns {
  std::string_view across, down, top_left, top_right, bottom_left, bottom_right;
  std::string_view tap, bus, switch_tap, switch_bus;
};
constexpr LineSigns drawn_lines = {"─", "│", "┌", "┐", "└", "┘", "┴", "─", "╩", "═"};
constexpr LineSigns ascii_lines = {"-", "|", "+", "+", "+", "+", "+", "-", "#", "="};

class TopologyDrawing {
 public:
  TopologyDrawing(DrawRegion region, const HostTopology& host)
      : region_(region), host_(host), signs_(region.ascii() ? ascii_lines : drawn_lines) {}

  void draw(const TopologyLayout& layout) {
    for (const TopologyFrame& frame : layout.frames) {
      draw_frame(frame.area, CellStyle::faint);
      region_.text(
          frame.area.column + 2, frame.area.row,
          shortened(fmt::format(" {} ", frame.title), frame.area.columns - 4, region_.ascii()),
          CellStyle::header);
    }
    for (const TopologyWire& wire : layout.wires) draw_wire(wire);
    for (const TopologyBox& box : layout.boxes) {
      box.area.rows > 1 ? draw_box(box) : draw_small_box(box);
    }
    for (const TopologyBus& bus : layout.buses) draw_bus(bus);
    for (const TopologyLabel& label : layout.labels) {
      region_.field(1, label.row, region_.columns() - 1, label.text, CellStyle::accent);
    }
  }

 private:
  void draw_frame(const Rect& area, CellStyle style) {
    const int right = area.column + area.columns - 1, bottom = area.row + area.rows - 1;
    for (int column = area.column + 1; column < right; ++column) {
      region_.text(column, area.row, signs_.across, style);
      region_.text(column, bottom, signs_.across, style);
    }
    for (int row = area.row + 1; row < bottom; ++row) {
      region_.text(area.column, row, signs_.down, style);
      region_.text(right, row, signs_.down, style);
    }
    region_.text(area.column, area.row, signs_.top_left, style);
    region_.text(right, area.row, signs_.top_right, style);
    region_.text(area.column, bottom, signs_.bottom_left, style);
    region_.text(right, bottom, signs_.bottom_right, style);
  }

  /// Of a device that is not ok, the style of its marker.
  CellStyle style_of(const TopologyDevice& device, CellStyle ok) const {
    return device.marker.empty() ? ok : device.marker_style;
  }

  /// Index, utilization and temperature in a box.
  void draw_box(const TopologyBox& box) {
    const TopologyDevice& device = host_.devices[box.device];
    const int inner = box.area.columns - 2;
    draw_frame(box.area, style_of(device, CellStyle::plain));
    std::string title = fmt::format("{}", device.index);
    add_part(title, " ", device.marker);
    region_.text(box.area.column + 1, box.area.row, title, style_of(device, CellStyle::strong));
    region_.field(box.area.column + 1, box.area.row + 1, inner, percent_text(device.utilization),
                  std::isnan(device.utilization) ? CellStyle::faint : CellStyle::plain,
                  Align::right);
    region_.field(box.area.column + 1, box.area.row + 2, inner,
                  rounded_text(device.temperature_c, "C"), device.temperature_style, Align::right);
    if (!box.place.empty()) {
      region_.text(box.area.column + 2, box.area.row + box.area.rows - 1,
                   shortened(box.place, inner - 1, region_.ascii()), CellStyle::faint);
    }
  }

  void draw_small_box(const TopologyBox& box) {
    const TopologyDevice& device = host_.devices[box.device];
    region_.field(box.area.column, box.area.row, box.area.columns,
                  fmt::format("{}{}", device.index, device.marker),
                  style_of(device, CellStyle::plain), Align::right);
  }

  void draw_wire(const TopologyWire& wire) {
    for (int i = 0; i < std::max(wire.area.columns, wire.area.rows); ++i) {
      const int column = wire.area.column + (wire.vertical() ? 0 : i);
      region_.text(column, wire.area.row + (wire.vertical() ? i : 0),
                   wire.vertical() ? signs_.down : signs_.across, CellStyle::accent);
    }
  }

  /// The taps of a bus below a frame also pass through its border.
  void draw_bus(const TopologyBus& bus) {
    const std::string_view line = bus.through_switch ? signs_.switch_bus : signs_.bus;
    for (int column = bus.taps.front(); column <= bus.taps.back(); ++column) {
      region_.text(column, bus.row, line, CellStyle::accent);
    }
    for (const int tap : bus.taps) {
      if (!bus.in_frame) region_.text(tap, bus.row - 1, signs_.down, CellStyle::accent);
      region_.text(tap, bus.row, bus.through_switch ? signs_.switch_tap : signs_.tap,
                   CellStyle::accent);
    }
  }

  DrawRegion region_;
  const HostTopology& host_;
  const LineSigns& signs_;
};

}  // namespace

void draw_topology(DrawRegion region, const HostTopology& host, const TopologyLayout& layout) {
  TopologyDrawing(region, host).draw(layout);
}

}  // namespace drover::tui
