// Where devices lie on the heat map, in every grouping, at any size.
#include "tui/map/heat_map.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <set>

#include <gtest/gtest.h>

#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_fleet.h"
#include "tui/screen.h"
#include "tui/views/view_layouts.h"

namespace drover::tui {
namespace {

constexpr Grouping groupings[] = {Grouping::host, Grouping::rack, Grouping::pool, Grouping::kind,
                                  Grouping::state};

/// Hosts of `each` devices in pools and racks of unequal sizes, some of them lost.
Model mixed_model(int hosts, int each) {
  std::vector<Envelope> envelopes = plain_hosts(hosts, each);
  int number = 0;
  for (Envelope& envelope : envelopes) {
    HostChanged host = std::get<HostChanged>(envelope.body);
    host.pools = {number % 7 == 0 ? "" : number % 3 == 0 ? "batch" : "chat"};
    if (number % 11 == 5) host.health = Health::lost;
    envelope.body = host;
    ++number;
  }
  return model_of(envelopes);
}

std::uint32_t largest_group(const HeatMap& map) {
  std::uint32_t largest = 0;
  for (const HeatGroup& group : map.order.groups) largest = std::max(largest, group.count);
  return largest;
}

std::vector<Rect> areas() {
  return {{0, 0, 60, 3}, {0, 0, 80, 11}, {0, 0, 118, 22}, {0, 0, 200, 40}};
}

/// Every device of the order in one cell, cells inside the area and apart from each other and from
/// the labels. A map that scrolls is longer than the area.
void expect_sound(const HeatMap& map, const Rect& area) {
  std::set<std::pair<int, int>> taken;
  const bool scrolls = map.rows > area.rows;
  if (scrolls) {
    ASSERT_GE(map.per_cell, largest_group(map));
  }
  const int end = scrolls ? map.rows : area.rows;
  const auto take = [&](int column, int row, int columns, int rows) {
    ASSERT_TRUE(column >= 0 && row >= 0 && column + columns <= area.columns && row + rows <= end)
        << column << "," << row << " in " << area.columns << "x" << area.rows;
    for (int i = 0; i < columns * rows; ++i) {
      ASSERT_TRUE(taken.insert({column + i % columns, row + i / columns}).second)
          << column + i % columns << "," << row + i / columns;
    }
  };
  std::uint32_t next = 0;
  for (const HeatCell& cell : map.cells) {
    ASSERT_EQ(cell.first, next);
    ASSERT_GE(cell.count, 1u);
    ASSERT_LE(cell.count, map.per_cell);
    ASSERT_NO_FATAL_FAILURE(take(cell.column, cell.row, map.cell.columns, map.cell.lines));
    next += cell.count;
  }
  ASSERT_EQ(next, map.order.rows.size());
  for (const HeatLabel& label : map.labels) {
    ASSERT_NO_FATAL_FAILURE(take(label.column, label.row, map_label_columns(map), map.cell.lines));
  }
}

TEST(HeatMap, HoldsEveryDeviceOnceInsideItsRectangleInEveryGrouping) {
  struct Fleet {
    int hosts, each;
  };
  for (const Fleet& size : {Fleet{1, 1}, {4, 8}, {40, 8}, {130, 8}, {10, 1'000}, {1'250, 8}}) {
    const Model model = mixed_model(size.hosts, size.each);
    for (const Grouping grouping : groupings) {
      for (const Rect& area : areas()) {
        SCOPED_TRACE(std::string(to_text(grouping)) + " " + std::to_string(size.hosts) + "x" +
                     std::to_string(size.each) + " in " + std::to_string(area.columns));
        const HeatMap map = lay_out_heat_map(
            model, order_devices(model, SampleFleet::start, grouping, FleetFilter()), area.columns,
            area.rows);
        ASSERT_EQ(map.order.rows.size(), model.devices().rows());
        const std::set<DeviceTable::Row> rows(map.order.rows.begin(), map.order.rows.end());
        ASSERT_EQ(rows.size(), map.order.rows.size());
        ASSERT_NO_FATAL_FAILURE(expect_sound(map, area));
        for (DeviceTable::Row row = 0; row < model.devices().rows(); row += 37) {
          const std::uint32_t place = map.order.places[row];
          ASSERT_EQ(map.order.rows[place], row);
          const HeatCell& cell = map.cells.at(cell_of(map, place));
          ASSERT_TRUE(place >= cell.first && place < cell.first + cell.count);
        }
      }
    }
  }
}

TEST(HeatMap, NothingIsDrawnWhereThereIsNoRoom) {
  const Model model = mixed_model(40, 8);
  for (const Grouping grouping : groupings) {
    for (int columns = 0; columns <= 130; ++columns) {
      for (int rows = 0; rows <= 30; rows += rows < 6 ? 1 : 5) {
        SCOPED_TRACE(std::string(to_text(grouping)) + std::to_string(columns) + "x" +
                     std::to_string(rows));
        const HeatMap map = lay_out_heat_map(
            model, order_devices(model, SampleFleet::start, grouping, FleetFilter()), columns,
            rows);
        if (columns == 0 || rows == 0) {
          EXPECT_TRUE(map.cells.empty() && map.labels.empty());
        } else {
          ASSERT_NO_FATAL_FAILURE(expect_sound(map, {0, 0, columns, rows}));
        }
      }
    }
  }
}

TEST(HeatMap, NoCellMixesTwoGroups) {
  const Model model = mixed_model(1'250, 8);
  for (const Grouping grouping : groupings) {
    for (const Rect& area : areas()) {
      const HeatMap map =
          lay_out_heat_map(model, order_devices(model, SampleFleet::start, grouping, FleetFilter()),
                           area.columns, area.rows);
      for (const HeatGroup& group : map.order.groups) {
        EXPECT_EQ(map.cells.at(cell_of(map, group.first)).first, group.first)
            << group.name << " per " << to_text(grouping) << " in " << area.columns;
      }
    }
  }
}

/// How the map shows a fleet in an area.
struct Shape {
  CellSize cell;
  std::uint32_t per_cell = 1;
  bool packed = false;   // only the first host of a row is named
  bool scrolls = false;  // longer than the area
  bool operator==(const Shape&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  return out << shape.cell.columns << "x" << shape.cell.lines << " of " << shape.per_cell
             << (shape.packed ? " packed" : "") << (shape.scrolls ? " scrolls" : "");
}

Shape shape_of(const Model& model, Rect body) {
  const HeatOrder order = order_devices(model, SampleFleet::start, Grouping::host, FleetFilter());
  const Rect cells =
      map_cells(lay_out_fleet(body, model, fleet_map_rows(body, model, order), FleetFilter()));
  const HeatMap map = lay_out_heat_map(model, order, cells.columns, cells.rows);
  return {map.cell, map.per_cell, map.packed, map.rows > cells.rows};
}

TEST(HeatMap, CellsGrowWithTheRoomAndAreSharedOnlyForWantOfIt) {
  constexpr Rect narrow{1, 1, 78, 22}, usual{1, 1, 118, 38}, wide{1, 1, 198, 58};
  struct Case {
    int hosts, each;
    Rect body;
    Shape shape;
  };
  const std::vector<Case> cases = {
      {1, 1, narrow, {{17, 3}}},
      {1, 1, usual, {{17, 3}}},
      {1, 8, narrow, {{6, 2}}},
      {1, 8, usual, {{11, 3}}},
      {1, 8, wide, {{17, 3}}},
      {5, 8, narrow, {{6, 1}}},
      {5, 8, usual, {{11, 2}}},
      {5, 8, wide, {{17, 3}}},
      {32, 8, narrow, {{1, 1}, 1, true}},
      {32, 8, usual, {{2, 1}}},
      {32, 8, wide, {{9, 1}}},
      {4, 209, usual, {{1, 1}}},
      {4, 209, wide, {{4, 1}}},
      {125, 8, usual, {{1, 1}}},
      {125, 8, wide, {{2, 1}}},
      {200, 50, usual, {{1, 1}, 5, true}},
      {1'250, 8, narrow, {{1, 1}, 8, true, true}},
      {1'250, 8, usual, {{1, 1}, 8, true}},
      {1'250, 8, wide, {{1, 1}, 2, true}},
  };
  for (const Case& c : cases) {
    const Model model = model_of(plain_hosts(c.hosts, c.each));
    EXPECT_EQ(shape_of(model, c.body), c.shape)
        << c.hosts << " hosts of " << c.each << " in " << c.body.columns << "x" << c.body.rows;
  }
}

TEST(HeatMap, GetsNoRowsThatItLeavesEmpty) {
  for (const auto& [hosts, each] :
       {std::pair{5, 8}, {32, 8}, {4, 209}, {125, 8}, {200, 50}, {1'250, 8}}) {
    const Model model = model_of(plain_hosts(hosts, each));
    for (const Rect& body : {Rect{1, 1, 118, 38}, {1, 1, 198, 58}}) {
      const HeatOrder order =
          order_devices(model, SampleFleet::start, Grouping::host, FleetFilter());
      const Rect cells =
          map_cells(lay_out_fleet(body, model, fleet_map_rows(body, model, order), FleetFilter()));
      EXPECT_EQ(lay_out_heat_map(model, order, cells.columns, cells.rows).rows, cells.rows)
          << hosts << " hosts of " << each << " in " << body.columns;
    }
  }
}

TEST(HeatMap, EveryHostHasALabelUnlessRowsArePacked) {
  for (const auto& [hosts, each] : {std::pair{1, 1}, {5, 8}, {4, 209}, {32, 8}, {125, 8}}) {
    const Model model = model_of(plain_hosts(hosts, each));
    for (const Rect& area : areas()) {
      const HeatMap map = lay_out_heat_map(
          model, order_devices(model, SampleFleet::start, Grouping::host, FleetFilter()),
          area.columns, area.rows);
      if (map.packed) continue;
      std::set<std::uint32_t> named;
      for (const HeatLabel& label : map.labels) named.insert(label.group);
      EXPECT_EQ(named.size(), static_cast<std::size_t>(hosts)) << area.columns;
    }
  }
}

TEST(HeatMap, APackedRowBeginsWithAHostOrContinuesTheOneBefore) {
  const Model model = model_of(plain_hosts(1'250, 8));
  const HeatMap map = lay_out_heat_map(
      model, order_devices(model, SampleFleet::start, Grouping::host, FleetFilter()), 118, 21);
  ASSERT_TRUE(map.packed);
  ASSERT_EQ(static_cast<int>(map.labels.size()), map.rows);
  for (const HeatLabel& label : map.labels) {
    EXPECT_EQ(label.within, 0u) << "a host of eight is not broken";
    const HeatCell& cell = map.cells.at(cell_of(map, map.order.groups[label.group].first));
    EXPECT_EQ(cell.row, label.row);
    EXPECT_EQ(cell.column, map_label_columns(map));
  }
}

TEST(HeatMap, TheCursorReachesEveryCellAndStopsAtTheEdges) {
  const Model model = model_of(plain_hosts(20, 8));
  const HeatMap map = lay_out_heat_map(
      model, order_devices(model, SampleFleet::start, Grouping::host, FleetFilter()), 80, 11);
  std::size_t cell = 0;
  for (std::size_t step = 1; step < map.cells.size(); ++step) {
    cell = neighbour(map, cell, 1, 0);
    EXPECT_EQ(cell, step);
  }
  EXPECT_EQ(neighbour(map, cell, 1, 0), cell);
  EXPECT_EQ(neighbour(map, 0, -1, 0), 0u);
  EXPECT_EQ(neighbour(map, 0, 0, -1), 0u);
  const std::size_t below = neighbour(map, 0, 0, 1);
  EXPECT_EQ(map.cells[below].row, map.cells[0].row + 1);
  EXPECT_EQ(neighbour(map, below, 0, -1), 0u);
}

TEST(HeatMap, AThousandDevicesEachHaveACellAt120x40BesideTheDevicePanel) {
  const Rect body{1, 1, 118, 38};
  struct Fleet {
    int hosts, each;
  };
  for (const Fleet& size : {Fleet{125, 8}, {250, 4}, {16, 64}, {1, 1'000}}) {
    const Model model = mixed_model(size.hosts, size.each);
    for (const Grouping grouping : groupings) {
      const HeatOrder order = order_devices(model, SampleFleet::start, grouping, FleetFilter());
      const FleetLayout layout =
          lay_out_fleet(body, model, fleet_map_rows(body, model, order), FleetFilter());
      const Rect cells = map_cells(layout);
      const HeatMap map = lay_out_heat_map(model, order, cells.columns, cells.rows);
      EXPECT_EQ(map.per_cell, 1u) << to_text(grouping) << " of " << size.hosts;
      EXPECT_GE(map.cells.size(), 1'000u);
      EXPECT_GE(layout.device.rows, 7);
    }
  }
}

/// Text of the fleet view of so many devices after `keys`.
std::string shown_of(int hosts, Size size, const std::vector<std::string>& keys) {
  Dashboard dashboard({}, size, SampleFleet::start);
  for (const Envelope& host : plain_hosts(hosts, 8))
    dashboard.receive(SampleFleet::start, publish_peer, host);
  for (const Envelope& batch : plain_samples(hosts, 8, 1)) {
    dashboard.receive(SampleFleet::start, publish_peer, batch);
  }
  dashboard.draw(SampleFleet::start);
  for (const std::string& key : keys) dashboard.press(SampleFleet::start, {key});
  return dashboard.draw(SampleFleet::start).to_text();
}

TEST(HeatMap, SaysHowManyDevicesShareACell) {
  EXPECT_EQ(shown_of(125, {120, 40}, {}).find("hottest"), std::string::npos);
  for (int presses = 0; presses < grouping_count; ++presses) {
    const std::string text = shown_of(
        1'250, {120, 40}, std::vector<std::string>(static_cast<std::size_t>(presses), "b"));
    EXPECT_NE(text.find("of 10000"), std::string::npos) << text;
    EXPECT_TRUE(text.find("devices, the hottest shown") != std::string::npos ||
                text.find("its hottest device") != std::string::npos)
        << text;
    const std::string narrow =
        shown_of(1'250, {70, 20}, std::vector<std::string>(static_cast<std::size_t>(presses), "b"));
    EXPECT_NE(narrow.find("hottest"), std::string::npos) << narrow;
  }
}

TEST(HeatMap, ScrollsByKeysAndWithTheSelectionAndSaysWhatIsOutOfSight) {
  EXPECT_EQ(shown_of(125, {120, 40}, {}).find("hosts below"), std::string::npos);
  const std::string top = shown_of(1'250, {80, 24}, {});
  EXPECT_NE(top.find("hosts below"), std::string::npos) << top;
  EXPECT_EQ(top.find(" above"), std::string::npos) << top;
  EXPECT_NE(top.find("host-0000"), std::string::npos) << top;
  const std::string scrolled = shown_of(1'250, {80, 24}, {"J", "J"});
  EXPECT_NE(scrolled.find("hosts above, "), std::string::npos) << scrolled;
  EXPECT_EQ(scrolled.find("host-0000"), std::string::npos) << scrolled;
  const std::string last = shown_of(1'250, {80, 24}, {"G"});
  EXPECT_EQ(last.find("hosts below"), std::string::npos) << last;
  EXPECT_NE(last.find("Device host-1249/"), std::string::npos) << last;
  EXPECT_NE(last.find('X'), std::string::npos) << last;
}

TEST(HeatMap, LeftLeadsBackAsRightLedWhereHostsHaveNoNames) {
  for (const Size size : {Size{120, 40}, Size{80, 24}}) {
    const auto device = [&](const std::vector<std::string>& keys) {
      return line_with(shown_of(1'250, size, keys), "Device host-");
    };
    const std::string third = device({"l", "l", "l"});
    EXPECT_NE(third, device({"l", "l"}));
    EXPECT_EQ(device({"l", "l", "l", "l", "l", "h", "h"}), third) << size.columns;
  }
}

TEST(HeatMap, ASharedCellShowsItsHottestKnownDevice) {
  Model model = model_of(plain_hosts(1, 4));
  std::vector<Sample> samples(4);
  for (std::uint16_t i = 0; i < 4; ++i) samples[i].device = i;
  samples[1][Metric::utilization] = 0.2;
  samples[2][Metric::utilization] = 0.7;
  model.apply(SampleFleet::start, {"host-0000", 1, SampleFleet::start, pack("host-0000", samples)});
  const std::vector<DeviceTable::Row> rows = {0, 1, 2, 3};
  EXPECT_EQ(hottest_of(model, SampleFleet::start, MapMetric::utilization, rows), 2u);
  EXPECT_EQ(hottest_of(model, SampleFleet::start, MapMetric::temperature, rows), 0u);
  EXPECT_NEAR(mean_map_value(model, SampleFleet::start, MapMetric::utilization, rows), 45, 0.01);
  EXPECT_TRUE(std::isnan(mean_map_value(model, SampleFleet::start, MapMetric::temperature, rows)));
}

TEST(HeatMap, IsGroupedAndColouredByTypedNames) {
  struct Case {
    std::vector<std::string> line;
    const char* shown;
  };
  const std::vector<Case> cases = {
      {{"g", "r", "o", "u", "p", "Space", "k", "i", "n", "d"}, "Devices per kind by utilization"},
      {{"g", "r", "o", "u", "p", "Space", "s", "Tab"}, "Devices per state by utilization"},
      {{"m", "e", "t", "r", "i", "c", "Space", "q", "Tab"}, "Devices by queue"},
      {{"m", "e", "t", "r", "i", "c", "Space", "h", "e", "a", "t"},
       "found 'heat', expected utilization, mfu, memory, power, temperature, queue, age"},
  };
  for (const Case& c : cases) {
    SampleFleet fleet;
    const auto dashboard = dashboard_of(fleet, {120, 40}, "jobs", false, 3);
    const Instant later = SampleFleet::start + std::chrono::seconds(3);
    dashboard->press(later, {":"});
    for (const std::string& key : c.line) dashboard->press(later, {key});
    dashboard->press(later, {"Enter"});
    const std::string text = dashboard->draw(later).to_text();
    EXPECT_NE(text.find(c.shown), std::string::npos) << text;
  }
}

TEST(HeatMap, TheSelectionStaysWithItsDeviceInEveryGrouping) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 40}, "fleet", false, 3);
  const Instant later = SampleFleet::start + std::chrono::seconds(3);
  for (int i = 0; i < 20; ++i) dashboard->press(later, {"l"});
  for (int presses = 0; presses <= grouping_count; ++presses) {
    const std::string text = dashboard->draw(later).to_text();
    EXPECT_NE(text.find("Device tpu-a/3"), std::string::npos) << text;
    EXPECT_NE(text.find('['), std::string::npos) << text;
    dashboard->press(later, {"b"});
  }
}

}  // namespace
}  // namespace drover::tui
