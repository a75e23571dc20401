// A host's devices and what connects them: facts, layout, matrix.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tui/sample_fleet.h"
#include "tui/diagrams/host_topology.h"
#include "tui/diagrams/link_matrix.h"
#include "tui/diagrams/topology_layout.h"

namespace drover::tui {
namespace {

using TopologyTexts = std::vector<std::string>;

constexpr std::string_view switched_links =
    "[links]\nbandwidth_gb_s = 900\ndomain = 8\npcie_gen = 5\npcie_lanes = 16\n";
constexpr std::string_view bridge_links =
    "[links]\nbandwidth_gb_s = 112.5\ndomain = 2\npcie_gen = 4\n";
constexpr std::string_view mesh_links = "[links]\nbandwidth_gb_s = 400\ndomain = 8\npeers = 7\n";
constexpr std::string_view torus_links =
    "[links]\nbandwidth_gb_s = 400\ndomain = 256\nlink_gb_s = 45\nwrap_axis = 4\n";

/// A host of one group of devices whose spec ends with this text.
HostTopology spec_host(const std::string& device_class, std::string_view spec, int devices,
                       const std::string& topology = {}) {
  HostChanged host;
  host.registration.host = "h";
  host.registration.specs = {
      {"kind", fmt::format("class = \"{}\"\nname = \"NVIDIA K\"\n{}", device_class, spec)}};
  Group group;
  group.count = static_cast<std::uint16_t>(devices);
  group.device = "kind";
  group.topology = topology;
  host.registration.groups = {group};
  const Model model = model_of({{"router", 1, SampleFleet::start, host}});
  return topology_of(model, "h").value();
}

TEST(HostTopology, TheSpecSaysWhatConnectsEmulatedDevices) {
  struct Case {
    const char* promise;
    std::string device_class;
    std::string_view spec;
    std::string topology;
    Fabric fabric;
    std::string row;  // of the matrix, of the first of four devices
  };
  for (const Case& row : std::vector<Case>{
           {"a switch", "gpu", switched_links, "", Fabric::switched, "X NV NV NV"},
           {"a bridge joins two", "gpu", bridge_links, "", Fabric::pairs, "X NV PCI PCI"},
           {"links to each other device", "gpu", mesh_links, "", Fabric::mesh, "X NV NV NV"},
           {"PCIe only", "gpu", "[links]\nbandwidth_gb_s = 0\ndomain = 1\n", "", Fabric::none,
            "X PCI PCI PCI"},
           {"a spec without links", "gpu", "", "", Fabric::none, "X PCI PCI PCI"},
           {"a torus counts the links in a row", "tpu", torus_links, "2x2", Fabric::torus,
            "X ICI1 ICI1 ICI2"},
           {"of four in a row the last is next to the first", "tpu", torus_links, "1x4",
            Fabric::torus, "X ICI1 ICI2 ICI1"},
           {"a topology that does not fit its chips is none", "tpu", torus_links, "2x4",
            Fabric::unknown, "X ? ? ?"},
       }) {
    const HostTopology host = spec_host(row.device_class, row.spec, 4, row.topology);
    ASSERT_EQ(host.groups.size(), 1U) << row.promise;
    EXPECT_EQ(host.groups[0].fabric, row.fabric) << row.promise;
    TopologyTexts cells;
    for (std::size_t i = 0; i < 4; ++i) {
      cells.push_back(pair_text(&host.groups[0], host.pair(0, i)));
    }
    EXPECT_EQ(fmt::format("{}", fmt::join(cells, " ")), row.row) << row.promise;
  }
}

TEST(HostTopology, OfARealDeviceNothingIsMadeUpFromItsSpec) {
  const HostTopology host = spec_host("gpu", fmt::format("real = true\n{}", switched_links), 2);
  EXPECT_EQ(host.groups[0].fabric, Fabric::unknown);
  EXPECT_EQ(host.pair(0, 1).path, LinkPath::unknown);
  EXPECT_NE(link_lines(host).front().text.find("neither driver nor exporter"), std::string::npos);
}

DeviceLink link_to(LinkEnd end, const std::string& peer, bool active = true) {
  DeviceLink link;
  link.active = active;
  link.end = end;
  link.peer = peer;
  link.bytes_per_s = 25e9;
  return link;
}

/// Real devices whose boards say this of their links, and each of the others "SYS".
HostTopology linked_real_host(const std::vector<std::vector<DeviceLink>>& links) {
  HostChanged host;
  host.registration.host = "h";
  host.registration.specs = {{"kind", "class = \"gpu\"\nname = \"NVIDIA K\"\nreal = true\n"}};
  Group group;
  group.count = static_cast<std::uint16_t>(links.size());
  group.device = "kind";
  host.registration.groups = {group};
  std::vector<Envelope> envelopes = {{"router", 1, SampleFleet::start, host}};
  for (std::size_t i = 0; i < links.size(); ++i) {
    BoardChanged changed;
    changed.host = "h";
    changed.board.device = static_cast<std::uint16_t>(i);
    changed.board.bus = fmt::format("bus{}", i);
    changed.board.links = links[i];
    changed.board.links_known = true;
    for (std::size_t j = 0; j < links.size(); ++j) {
      if (i != j) changed.board.paths.push_back({fmt::format("bus{}", j), PciePath::between_nodes});
    }
    envelopes.push_back({"router", 2 + i, SampleFleet::start, changed});
  }
  return topology_of(model_of(envelopes), "h").value();
}

TEST(HostTopology, OfARealHostTheDriversLinksAndPathsAreShown) {
  struct Case {
    const char* promise;
    std::vector<std::vector<DeviceLink>> links;
    Fabric fabric;
    std::string row;  // of the matrix, of the first device
  };
  const DeviceLink to_switch = link_to(LinkEnd::link_switch, "nvswitch");
  const DeviceLink down = link_to(LinkEnd::unknown, "", false);
  const auto to = [](int device) { return link_to(LinkEnd::device, fmt::format("bus{}", device)); };
  for (const Case& row : std::vector<Case>{
           {"no links", {{}, {}, {}}, Fabric::none, "X SYS SYS"},
           {"through a switch: the links that both have",
            {{to_switch, to_switch, to_switch}, {to_switch, to_switch}, {to_switch, down}},
            Fabric::switched,
            "X NV2 NV1"},
           {"a bridge", {{to(1), to(1)}, {to(0), to(0)}, {}}, Fabric::pairs, "X NV2 SYS"},
           {"links to each other",
            {{to(1), to(2), to(2)}, {to(0), to(2)}, {to(0), to(0), to(1)}},
            Fabric::mesh,
            "X NV1 NV2"},
           {"links that are down connect nothing",
            {{down}, {down}, {down}},
            Fabric::none,
            "X SYS SYS"},
       }) {
    const HostTopology host = linked_real_host(row.links);
    EXPECT_EQ(host.groups[0].fabric, row.fabric) << row.promise;
    TopologyTexts cells;
    for (std::size_t i = 0; i < host.devices.size(); ++i) {
      cells.push_back(pair_text(&host.groups[0], host.pair(0, i)));
    }
    EXPECT_EQ(fmt::format("{}", fmt::join(cells, " ")), row.row) << row.promise;
    EXPECT_EQ(host.devices[0].links.size(), row.links[0].size()) << row.promise;
  }
}

TEST(HostTopology, SaysHowManyDevicesAreLeftOut) {
  const HostTopology gpus = spec_host("gpu", switched_links, 70);
  EXPECT_EQ(gpus.devices.size(), topology_devices_max);
  EXPECT_EQ(gpus.left_out, 6U);
  EXPECT_EQ(lay_out_topology(gpus, 120).boxes.size(), topology_devices_max);
  EXPECT_EQ(spec_host("gpu", switched_links, 64).left_out, 0U);

  const HostTopology torus = spec_host("tpu", torus_links, 256, "16x16");
  EXPECT_EQ(torus.left_out, 192U);
  EXPECT_EQ(torus.groups[0].left_out, 192);
  EXPECT_EQ(torus.pair(0, 48).links, 3) << "a distance in the whole torus";
  const TopologyLayout layout = lay_out_topology(torus, 200);
  EXPECT_TRUE(layout.boxes.empty());
  ASSERT_FALSE(layout.labels.empty());
  EXPECT_EQ(layout.labels[0].text,
            "kind 0-63: torus not drawn, 192 of its 256 chips are not shown");
}

TEST(HostTopology, LabelsOfDevicesHaveTheirClass) {
  EXPECT_EQ(device_label(spec_host("gpu", switched_links, 2), 1), "GPU1");
  EXPECT_EQ(device_label(spec_host("tpu", torus_links, 4, "2x2"), 3), "TPU3");
  EXPECT_EQ(device_label(spec_host("tpu", "real = true\n", 2), 1), "TPU1") << "links not known";
}

TEST(HostTopology, AnUnknownHostHasNone) { EXPECT_FALSE(topology_of(model_of({}), "h")); }

TEST(HostTopology, ShapesOfSlicesAreLengthsOfAxes) {
  using Lengths = std::array<int, 3>;
  struct Case {
    std::string_view topology;
    int chips;
    std::optional<Lengths> expected;
  };
  for (const Case& row : std::vector<Case>{
           {"2x4", 8, Lengths{4, 2, 1}},
           {"2x2x4", 16, Lengths{4, 2, 2}},
           {"8", 8, Lengths{8, 1, 1}},
           {"2x4", 4, std::nullopt},
           {"", 1, std::nullopt},
           {"2x", 2, std::nullopt},
           {"0x4", 0, std::nullopt},
           {"-2x-4", 8, std::nullopt},
           {"99999x1", 99999, std::nullopt},
           {"1x1x1x4", 4, std::nullopt},
           {"1300x2501x1321", 4, std::nullopt},  // 2^32 and 4
       }) {
    EXPECT_EQ(torus_lengths(row.topology, row.chips), row.expected) << row.topology;
  }
  EXPECT_EQ(torus_place({4, 2, 2}, 13), (Lengths{1, 1, 1}));
}

bool boxes_overlap(const Rect& a, const Rect& b) {
  return a.column < b.column + b.columns && b.column < a.column + a.columns &&
         a.row < b.row + b.rows && b.row < a.row + a.rows;
}

TEST(TopologyLayout, EveryDeviceHasABoxInsideAFrameAndNothingOverlaps) {
  struct Case {
    std::string_view spec;
    int devices;
    std::string topology;
  };
  for (const Case& row : std::vector<Case>{{switched_links, 8, ""},
                                           {switched_links, 16, ""},
                                           {switched_links, 1, ""},
                                           {bridge_links, 6, ""},
                                           {torus_links, 8, "2x4"},
                                           {torus_links, 16, "4x4"},
                                           {torus_links, 16, "2x2x4"}}) {
    for (int columns = 24; columns <= 200; columns += 11) {
      HostTopology host =
          spec_host(row.topology.empty() ? "gpu" : "tpu", row.spec, row.devices, row.topology);
      for (std::size_t i = 0; row.topology.empty() && i < host.devices.size(); ++i) {
        if (columns % 2 == 0) host.devices[i].numa_node = static_cast<int>(i % 2);
      }
      const TopologyLayout layout = lay_out_topology(host, columns);
      SCOPED_TRACE(fmt::format("{} {} at {}", row.devices, row.topology, columns));
      EXPECT_EQ(layout.boxes.size(), static_cast<std::size_t>(row.devices));
      for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
        const Rect& area = layout.boxes[i].area;
        EXPECT_LE(area.column + area.columns, columns);
        EXPECT_LE(area.row + area.rows, layout.rows);
        const auto holds = [&](const TopologyFrame& frame) {
          return frame.area.column < area.column && frame.area.row < area.row &&
                 area.column + area.columns < frame.area.column + frame.area.columns &&
                 area.row + area.rows < frame.area.row + frame.area.rows;
        };
        EXPECT_EQ(std::ranges::count_if(layout.frames, holds), 1);
        for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(boxes_overlap(area, layout.boxes[j].area));
      }
      for (const TopologyBus& bus : layout.buses) {
        EXPECT_TRUE(std::ranges::is_sorted(bus.taps));
        EXPECT_FALSE(bus.taps.empty());
        for (const TopologyBox& box : layout.boxes) {
          EXPECT_FALSE(boxes_overlap(
              box.area, {bus.taps.front(), bus.row, bus.taps.back() - bus.taps.front() + 1, 1}));
        }
      }
    }
  }
}

/// The boxes that have a tap of a bus directly below them, or below the frame around them.
std::size_t tapped_boxes(const TopologyLayout& layout) {
  std::size_t tapped = 0;
  for (const TopologyBox& box : layout.boxes) {
    const int middle = box.area.column + box.area.columns / 2;
    const int below = box.area.row + box.area.rows;
    if (std::ranges::any_of(layout.buses, [&](const TopologyBus& bus) {
          return bus.row == below + (bus.in_frame ? 0 : 1) &&
                 std::ranges::find(bus.taps, middle) != bus.taps.end();
        })) {
      ++tapped;
    }
  }
  return tapped;
}

TEST(TopologyLayout, EveryRowOfBoxesHasItsBus) {
  for (const std::string_view spec : {switched_links, mesh_links, bridge_links}) {
    const HostTopology host = spec_host("gpu", spec, 16);
    for (int columns = 24; columns <= 140; columns += 4) {
      EXPECT_EQ(tapped_boxes(lay_out_topology(host, columns)), 16U) << spec << " at " << columns;
    }
  }
}

TEST(TopologyLayout, NodesOfAHostStandBesideEachOtherAndShareTheSwitch) {
  HostTopology host = spec_host("gpu", switched_links, 8);
  for (std::size_t i = 0; i < 8; ++i) host.devices[i].numa_node = i < 4 ? 0 : 1;
  const TopologyLayout layout = lay_out_topology(host, 118);
  ASSERT_EQ(layout.frames.size(), 2U);
  EXPECT_EQ(layout.frames[0].title, "NUMA 0, PCIe 5 x16");
  EXPECT_EQ(layout.frames[0].area.row, layout.frames[1].area.row);
  ASSERT_EQ(layout.buses.size(), 1U);
  EXPECT_EQ(layout.buses[0].taps.size(), 8U);
  EXPECT_TRUE(layout.buses[0].through_switch);
}

TEST(TopologyLayout, ATorusThatIsTooWideSaysSo) {
  const HostTopology host = spec_host("tpu", torus_links, 32, "1x32");
  const TopologyLayout layout = lay_out_topology(host, 78);
  EXPECT_TRUE(layout.boxes.empty());
  ASSERT_FALSE(layout.labels.empty());
  EXPECT_NE(layout.labels[0].text.find("too wide"), std::string::npos);
  EXPECT_EQ(lay_out_topology(host, 170).boxes.size(), 32U) << "in small boxes";
}

TopologyTexts matrix_texts(const std::vector<MatrixLine>& lines) {
  TopologyTexts all;
  for (const MatrixLine& line : lines) all.push_back(line.text);
  return all;
}

TEST(LinkMatrix, HasARowForEachDeviceAndALegendOfWhatIsInIt) {
  HostTopology host = spec_host("gpu", bridge_links, 3);
  host.devices[0].numa_node = 1;
  host.devices[2].bus = "0000:3b:00.0";
  host.pair(0, 1).links = 4;
  host.pair(0, 2).path = host.pair(2, 0).path = LinkPath::between_nodes;
  EXPECT_EQ(matrix_texts(matrix_lines(host, 78)),
            (TopologyTexts{
                "       GPU0 GPU1 GPU2  NUMA  BUS", "GPU0      X  NV4  SYS     1  N/A",
                "GPU1     NV    X  PCI   N/A  N/A", "GPU2    SYS  PCI    X   N/A  0000:3b:00.0",
                "  NV#   NVLink: # links; no number: not known",
                "  SYS   the connection between NUMA nodes", "  PCI   PCIe, route not known"}));
}

TEST(LinkMatrix, ColumnsThatHaveNoRoomAreCounted) {
  const TopologyTexts lines = matrix_texts(matrix_lines(spec_host("gpu", switched_links, 16), 60));
  const auto left = std::ranges::find_if(
      lines, [](const std::string& line) { return line.find("more columns") != line.npos; });
  ASSERT_NE(left, lines.end());
  for (const std::string& line : lines) EXPECT_LE(line.size(), 60U) << line;
}

TEST(LinkMatrix, StatesOfLinksAreAddedUpAndThoseThatAreDownAreSeen) {
  HostTopology host = spec_host("gpu", switched_links, 1);
  host.devices[0].links = {{0, true, "a switch", 25e9, 2},
                           {1, false, "", 25e9, 0},
                           {2, true, "a switch", 25e9, std::nullopt}};
  const std::vector<MatrixLine> lines = link_lines(host);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].text, "GPU0  2 of 3 links active  +x+  to a switch  50GB/s one way  errors 2");
  EXPECT_EQ(lines[0].style, CellStyle::hot);
}

}  // namespace
}  // namespace drover::tui
