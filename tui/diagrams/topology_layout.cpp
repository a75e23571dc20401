#include "tui/diagrams/topology_layout.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "fleet/base/text.h"

namespace drover::tui {
namespace {

constexpr int frame_border = 1, frame_gap = 1;

/// Devices of a group in one NUMA node; all, if the nodes are not known.
struct NodeOfGroup {
  std::string title;
  std::vector<std::size_t> devices;
};

std::string device_span(const HostTopology& host, const FabricGroup& group) {
  const std::uint16_t first = host.devices[group.devices.front()].index;
  const std::uint16_t last = host.devices[group.devices.back()].index;
  return first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
}

std::vector<NodeOfGroup> nodes_of(const HostTopology& host, const FabricGroup& group) {
  std::map<int, std::vector<std::size_t>> by_node;
  for (const std::size_t device : group.devices) {
    const std::optional<int> node = host.devices[device].numa_node;
    if (!node) {
      by_node.clear();
      break;
    }
    by_node[*node].push_back(device);
  }
  std::vector<NodeOfGroup> nodes;
  for (auto& [node, devices] : by_node) {
    nodes.push_back({fmt::format("NUMA {}", node), std::move(devices)});
    add_part(nodes.back().title, ", ", group.pcie);
  }
  if (nodes.empty()) {
    nodes.push_back({fmt::format("{} {}", group.kind, device_span(host, group)), group.devices});
    add_part(nodes.back().title, ", ", group.pcie);
  }
  return nodes;
}

/// "NVLink through a switch, 450GB/s a device, one way".
std::string fabric_text(const FabricGroup& group) {
  const std::string rate = group.bytes_per_s > 0 ? fmt::format(", {} a device, one way",
                                                               link_rate_text(group.bytes_per_s))
                                                 : std::string();
  switch (group.fabric) {
    case Fabric::unknown:
      return "links unknown: neither driver nor exporter reports them";
    case Fabric::none:
      return "no links of their own: PCIe only";
    case Fabric::pairs:
      return group.link_name + " bridges between two" + rate;
    case Fabric::mesh:
      return group.link_name + " from each to every other" + rate;
    case Fabric::switched:
      return group.link_name + " through a switch" + rate;
    case Fabric::torus:
      break;
  }
  return {};
}

/// Devices of a row of boxes, and the columns of their middles.
using Taps = std::vector<std::pair<std::size_t, int>>;

/// Boxes of a frame in rows: `row_height` with the bus below each.
struct BoxRows {
  int rows, abreast, row_height;
};

class TopologyPlacer {
 public:
  TopologyPlacer(const HostTopology& host, int columns) : host_(host), columns_(columns) {}

  TopologyLayout result() {
    for (const FabricGroup& group : host_.groups) {
      if (group.fabric == Fabric::torus) {
        place_torus(group);
      } else {
        place_group(group);
      }
    }
    layout_.rows = top_;
    return std::move(layout_);
  }

 private:
  void place_group(const FabricGroup& group) {
    int column = 0, height = 0;
    Taps taps;  // of the lowest boxes of this row of frames
    const auto end_row = [&] {
      top_ += height;
      if (has_buses(group)) place_buses(group, taps, {top_++, {}, false, false});
      taps.clear();
      column = height = 0;
    };
    for (const NodeOfGroup& node : nodes_of(host_, group)) {
      const BoxRows boxes = box_rows_of(group, static_cast<int>(node.devices.size()));
      const int title = columns_of(node.title) + 4 + 2 * frame_border;
      const int width = std::min(
          columns_, std::max(title, boxes.abreast * topology_box.columns + 2 * frame_border));
      // A node of several rows stands alone: its lowest row shares no bus with another node.
      if (column > 0 && (boxes.rows > 1 || column + width > columns_)) end_row();
      height =
          boxes.rows * boxes.row_height - (boxes.row_height - topology_box.rows) + 2 * frame_border;
      layout_.frames.push_back({{column, top_, width, height}, node.title});
      place_boxes(group, node.devices, boxes, column + frame_border, taps);
      column = boxes.rows > 1 ? columns_ : column + width + frame_gap;
    }
    end_row();
    layout_.labels.push_back({top_++, fabric_text(group)});
    ++top_;
  }

  static bool has_buses(const FabricGroup& group) {
    return group.fabric == Fabric::switched || group.fabric == Fabric::mesh ||
           group.fabric == Fabric::pairs;
  }

  /// Rows of about as many boxes each. A bridge joins two beside each other.
  BoxRows box_rows_of(const FabricGroup& group, int count) const {
    const bool pairs = group.fabric == Fabric::pairs;
    int most = std::max(1, (columns_ - 2 * frame_border) / topology_box.columns);
    if (pairs && most > 1) most -= most % 2;
    const int rows = (count + most - 1) / most;
    int abreast = (count + rows - 1) / rows;
    if (pairs && rows > 1 && abreast < most) abreast += abreast % 2;
    return {rows, abreast, topology_box.rows + (has_buses(group) ? 1 : 0)};
  }

  /// Places a bus below each row of boxes but the last, whose devices go to `taps`.
  void place_boxes(const FabricGroup& group, const std::vector<std::size_t>& devices,
                   const BoxRows& boxes, int column, Taps& taps) {
    Taps upper;
    for (int i = 0; i < static_cast<int>(devices.size()); ++i) {
      const int line = i / boxes.abreast;
      const int at = column + i % boxes.abreast * topology_box.columns;
      const int row = top_ + frame_border + line * boxes.row_height;
      const std::size_t device = devices[static_cast<std::size_t>(i)];
      layout_.boxes.push_back({device, {at, row, topology_box.columns, topology_box.rows}, {}});
      Taps& own = line + 1 == boxes.rows ? taps : upper;
      own.emplace_back(device, at + topology_box.columns / 2);
      if (line + 1 == boxes.rows || (i + 1) % boxes.abreast != 0) continue;
      if (has_buses(group)) place_buses(group, upper, {row + topology_box.rows, {}, false, true});
      upper.clear();
    }
  }

  /// `bus`: without taps.
  void place_buses(const FabricGroup& group, const Taps& taps, TopologyBus bus) {
    if (group.fabric == Fabric::pairs) {
      for (std::size_t i = 0; i + 1 < taps.size(); ++i) {
        const bool joined = host_.pair(taps[i].first, taps[i + 1].first).path == LinkPath::links;
        if (!joined) continue;
        bus.taps = {taps[i].second, taps[i + 1].second};
        layout_.buses.push_back(bus);
      }
      return;
    }
    bus.through_switch = group.fabric == Fabric::switched;
    for (const auto& [device, column] : taps) bus.taps.push_back(column);
    // One device alone has no bus, unless the others stand in other rows.
    if (!bus.taps.empty() && group.devices.size() > 1) layout_.buses.push_back(std::move(bus));
  }

  /// In the place of a drawing.
  void place_note(std::string text) {
    layout_.labels.push_back({top_++, std::move(text)});
    ++top_;
  }

  void place_torus(const FabricGroup& group) {
    if (group.left_out > 0) {
      return place_note(fmt::format("{} {}: torus not drawn, {} of its {} chips are not shown",
                                    group.kind, device_span(host_, group), group.left_out,
                                    static_cast<int>(group.devices.size()) + group.left_out));
    }
    const auto& [across, down, layers] = group.lengths;
    const auto width = [across = across](Size box, int gap) {
      return across * (box.columns + gap) - gap;
    };
    Size box = topology_box;
    int gap_columns = 2;
    if (width(box, gap_columns) + 2 * frame_border > columns_) {
      box = small_topology_box;
      gap_columns = 1;
    }
    const int gap_rows = 1;
    const int columns = width(box, gap_columns) + 2 * frame_border;
    const int rows = down * (box.rows + gap_rows) - gap_rows + 2 * frame_border;
    if (columns > columns_) {
      return place_note(
          fmt::format("{} {}: too wide to draw here", group.kind, device_span(host_, group)));
    }
    int column = 0;
    for (int layer = 0; layer < layers; ++layer) {
      if (column > 0 && column + columns > columns_) {
        column = 0;
        top_ += rows;
      }
      const std::string title = layers > 1
                                    ? fmt::format("{} z={}", group.kind, layer)
                                    : fmt::format("{} {}", group.kind, device_span(host_, group));
      layout_.frames.push_back({{column, top_, columns, rows}, title});
      place_layer(group, layer, {column + frame_border, top_ + frame_border, 0, 0}, box,
                  gap_columns);
      column += columns + frame_gap;
    }
    top_ += rows;
    layout_.labels.push_back({top_++, torus_text(group)});
    ++top_;
  }

  static std::string torus_text(const FabricGroup& group) {
    std::string text = group.link_name + " to the neighbours";
    if (group.bytes_per_s > 0)
      text += fmt::format(", {} a device, one way", link_rate_text(group.bytes_per_s));
    constexpr std::array<std::string_view, 3> axes = {"rows", "columns", "layers"};
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      if (group.rings[axis]) text += fmt::format(", {} are rings", axes[axis]);
    }
    return text;
  }

  /// Boxes of one layer, and the wires to the right of and below each.
  void place_layer(const FabricGroup& group, int layer, const Rect& corner, Size box,
                   int gap_columns) {
    for (std::size_t i = 0; i < group.devices.size(); ++i) {
      const auto [x, y, z] = torus_place(group.lengths, static_cast<int>(i));
      if (z != layer) continue;
      const Rect area{corner.column + x * (box.columns + gap_columns),
                      corner.row + y * (box.rows + 1), box.columns, box.rows};
      layout_.boxes.push_back({group.devices[i], area, fmt::format("{},{}", x, y)});
      const int middle = area.row + box.rows / 2;
      if (x + 1 < group.lengths[0]) {
        layout_.wires.push_back({{area.column + box.columns, middle, gap_columns, 1}});
      }
      if (y + 1 < group.lengths[1]) {
        layout_.wires.push_back({{area.column + box.columns / 2, area.row + box.rows, 1, 1}});
      }
    }
  }

  const HostTopology& host_;
  int columns_;
  int top_ = 0;
  TopologyLayout layout_;
};

}  // namespace

TopologyLayout lay_out_topology(const HostTopology& host, int columns) {
  return TopologyPlacer(host, columns).result();
}

}  // namespace drover::tui
