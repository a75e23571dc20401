// Where the parts of a host stand in a drawing of it: a box for each device, frames of NUMA nodes
// around them, the bus of a switch below, and the lines of a torus between.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tui/canvas/draw_region.h"
#include "tui/diagrams/host_topology.h"

namespace drover::tui {

struct TopologyBox {
  std::size_t device = 0;  // its place in HostTopology::devices
  Rect area;
  std::string place;  // in a torus: "1,3"; else empty
};

struct TopologyFrame {
  Rect area;
  std::string title;
};

/// Below a row of boxes: a line that connects devices, with a tap at the middle of each.
struct TopologyBus {
  int row = 0;
  std::vector<int> taps;  // columns, in order
  bool through_switch = false;
  bool in_frame = false;  // below boxes that have more below them; else below the frames
};

/// A straight line between two boxes.
struct TopologyWire {
  Rect area;  // a row or a column
  bool vertical() const { return area.columns == 1; }
};

struct TopologyLabel {
  int row = 0;
  std::string text;
};

struct TopologyLayout {
  std::vector<TopologyBox> boxes;
  std::vector<TopologyFrame> frames;
  std::vector<TopologyBus> buses;
  std::vector<TopologyWire> wires;
  std::vector<TopologyLabel> labels;
  int rows = 0;
};

inline constexpr Size topology_box{8, 4};
inline constexpr Size small_topology_box{4, 1};  // of tori that are too large for the others

/// Groups stand below each other. Boxes that have no room in a row of `columns` continue in the
/// next one. A torus that is too wide even with small boxes, or whose chips are not all there, has
/// none, and a label says so.
TopologyLayout lay_out_topology(const HostTopology& host, int columns);

void draw_topology(DrawRegion region, const HostTopology& host, const TopologyLayout& layout);

}  // namespace drover::tui
