// The tree of racks, hosts and devices: what a line sums up, what is folded, and in which order
// siblings stand.
#include "tui/groups/host_tree.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "fleet/base/text.h"
#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_session.h"
#include "tui/groups/tree_columns.h"
#include "tui/tables/device_columns.h"

namespace drover::tui {
namespace {

using std::chrono::seconds;

Model sampled_model(SampleFleet& fleet) {
  Model model = model_of(fleet.state());
  for (const Envelope& batch : fleet.samples(1)) model.apply(SampleFleet::after_2s, batch);
  return model;
}

struct LaidOut {
  explicit LaidOut(const Model& shown, const char* filter = "", const char* sort = "DEVICE",
                   int screen_rows = 60)
      : model(shown), rows(screen_rows) {
    EXPECT_FALSE(fleet_filter.set(filter));
    fleet_filter.evaluate(model, SampleFleet::after_2s);
    sort_by(list, *parse_sort(sort));
    lay_out();
  }
  void lay_out() {
    sort_devices(model, fleet_filter, list, SampleFleet::after_2s, seconds(1), Instant::min());
    lay_out_tree(tree, list, model, fleet_filter, SampleFleet::after_2s, seconds(1), rows);
  }
  const DeviceSums& sums(const char* node) const {
    const TreeNode* const found = node_named(tree, node);
    EXPECT_NE(found, nullptr) << node;
    static const DeviceSums none;
    return found == nullptr ? none : found->sums;
  }
  /// "r1 > gpu-a gpu-b", with the last part of a device's name.
  std::string lines() const {
    std::string text;
    for (const HostTreeLine& line : tree.lines) {
      if (!text.empty()) text += ' ';
      text += line.is_device ? fmt::format("/{}", model.devices().index(line.row))
                             : std::string(title_of(tree.nodes[line.node]));
    }
    return text;
  }

  const Model& model;
  int rows;
  FleetFilter fleet_filter;
  DeviceList list;
  HostTree tree;
};

TEST(HostTree, ALineHasTheSumsOfTheDevicesBelowItThatTheFilterShows) {
  SampleFleet fleet;
  const Model model = sampled_model(fleet);
  for (const char* filter : {"", "kind == gpu", "index < 3"}) {
    const LaidOut laid(model, filter);
    for (const TreeNode& node : laid.tree.nodes) {
      SCOPED_TRACE(name_of(node) + " " + filter);
      const std::vector<DeviceTable::Row> rows = rows_below(laid.tree, node);
      const Totals expected = totals_of(model, SampleFleet::after_2s, [&](DeviceTable::Row row) {
        return std::ranges::count(rows, row) > 0;
      });
      EXPECT_EQ(node.sums.devices, expected.devices);
      EXPECT_EQ(node.sums.lost, expected.lost);
      EXPECT_EQ(node.sums.in_use, expected.busy);
      EXPECT_EQ(node.sums.throttled, expected.throttled);
      const auto same = [](double a, double b) {
        return (std::isnan(a) && std::isnan(b)) || std::abs(a - b) < 1e-6 * std::abs(b) + 1e-9;
      };
      EXPECT_TRUE(same(node.sums.load(), expected.utilization));
      EXPECT_TRUE(same(node.sums.power_w, expected.power_w));
      EXPECT_TRUE(same(node.sums.hottest_c, expected.hottest_c));
      if (expected.reporting > 0) {
        EXPECT_TRUE(same(node.sums.memory_bytes, expected.memory_bytes));
        EXPECT_TRUE(same(node.sums.memory_total_bytes, expected.memory_total_bytes));
      }
    }
  }
}

TEST(HostTree, WorkIsCountedOnceForEachLine) {
  SampleFleet fleet;
  fleet.replicas.clear();
  fleet.jobs.resize(2);
  fleet.jobs[0].target = "gpu-a/0-7 gpu-b/0-3";  // over two hosts of one rack
  fleet.jobs[1].target = "tpu-b/0-7";
  ReplicaChanged replica;
  replica.replica.id = {"gpu-a", 0};
  replica.replica.devices = {0, 1, 2, 3};
  replica.replica.running = 15;
  replica.replica.queued = 4;
  fleet.replicas.push_back(replica);
  const Model model = sampled_model(fleet);
  const LaidOut laid(model);
  struct Case {
    const char* node;
    double running, queued;
  };
  for (const Case& c : {Case{"host:gpu-a", 16, 4},
                        {"host:gpu-b", 1, 0},
                        {"rack:r1", 16, 4},
                        {"host:tpu-b", 1, 0},
                        {"host:tpu-a", 0, 0},
                        {"rack:r2", 1, 0}}) {
    EXPECT_EQ(laid.sums(c.node).running, c.running) << c.node;
    EXPECT_EQ(laid.sums(c.node).queued, c.queued) << c.node;
  }
  EXPECT_TRUE(std::isnan(laid.sums("host:edge-1").running)) << "a lost host tells nothing";
}

TEST(HostTree, ShowsHostsIfTheyFitAndRemembersWhatWasFolded) {
  SampleFleet fleet;
  const Model model = sampled_model(fleet);
  LaidOut laid(model);
  EXPECT_EQ(laid.lines(), "r1 gpu-a gpu-b r2 tpu-a tpu-b r3 edge-1");
  laid.rows = 7;  // eight lines do not fit
  laid.lay_out();
  EXPECT_EQ(laid.lines(), "r1 r2 r3");
  set_folded(laid.tree.folds, "rack:r3", false);
  set_folded(laid.tree.folds, "host:edge-1", false);
  laid.lay_out();
  EXPECT_EQ(laid.lines(), "r1 r2 r3 edge-1 /0 /1 /2 /3");
  fold_or_unfold_all(laid.tree);
  laid.lay_out();
  EXPECT_EQ(laid.tree.lines.size(), 3u + 5 + 36);
  fold_or_unfold_all(laid.tree);
  laid.lay_out();
  EXPECT_EQ(laid.lines(), "r1 r2 r3");
}

TEST(HostTree, SortsSiblingsByTheColumnOfTheTable) {
  SampleFleet fleet;
  const Model model = sampled_model(fleet);
  EXPECT_EQ(LaidOut(model, "", "-DEVICE").lines(), "r3 edge-1 r2 tpu-b tpu-a r1 gpu-b gpu-a");
  // At this moment r1 draws more than r2, and gpu-a more than gpu-b.
  EXPECT_TRUE(LaidOut(model, "", "-POWER").lines().starts_with("r1 gpu-a gpu-b r2 tpu-"));
  EXPECT_TRUE(LaidOut(model, "", "POWER").lines().starts_with("r2 tpu-"));
  EXPECT_TRUE(LaidOut(model, "", "POWER").lines().ends_with("r1 gpu-b gpu-a r3 edge-1"));
  for (const char* sort : {"-POWER", "POWER", "UTIL", "-TEMP", "-RUN", "RUN", "MEMORY"}) {
    const LaidOut laid(model, "", sort);
    const bool falls = sort[0] == '-';
    const std::string column = falls ? sort + 1 : sort;
    std::vector<double> values;
    for (const std::uint32_t top : laid.tree.tops) {
      const DeviceSums& sums = laid.tree.nodes[top].sums;
      values.push_back(column == "POWER"  ? sums.power_w
                       : column == "UTIL" ? sums.load()
                       : column == "TEMP" ? sums.hottest_c
                       : column == "RUN"  ? sums.running
                                          : sums.memory_share());
    }
    ASSERT_EQ(values.size(), 3u);
    EXPECT_TRUE(falls ? values[0] >= values[1] : values[0] <= values[1])
        << sort << ": " << values[0] << ", " << values[1];
    // What is not known comes last in both directions.
    EXPECT_TRUE(std::isnan(values[2])) << sort;
    EXPECT_EQ(laid.tree.nodes[laid.tree.tops.back()].name, "r3") << "lost: " << sort;
  }
}

TEST(HostTree, HostsThatLeftAreInNoSum) {
  SampleFleet fleet;
  fleet.hosts[3].health = Health::left;  // tpu-b
  const Model model = sampled_model(fleet);
  const LaidOut laid(model);
  EXPECT_EQ(laid.sums("host:tpu-b").hosts, 0u);
  EXPECT_EQ(laid.sums("host:tpu-b").devices, 0u);
  EXPECT_EQ(laid.sums("rack:r2").hosts, 1u);
  EXPECT_EQ(laid.sums("rack:r2").devices, 8u);
  EXPECT_EQ(laid.sums("rack:r2").lost, 0u);
  EXPECT_EQ(laid.sums("rack:r3").lost, 4u) << "a lost host is still part of the fleet";
  const auto dashboard = dashboard_of(fleet, {120, 40}, "devices");
  dashboard->press(SampleFleet::after_40s, {"t"});
  const std::string text = dashboard->draw(SampleFleet::after_40s).to_text();
  EXPECT_NE(text.find("4 hosts in 3 racks, 28 devices, 4 lost"), std::string::npos) << text;
}

TEST(HostTree, WithoutRacksBeginsWithHosts) {
  std::vector<Envelope> hosts = plain_hosts(3, 2);
  for (Envelope& host : hosts) std::get<HostChanged>(host.body).registration.rack.clear();
  const Model model = model_of(hosts);
  EXPECT_EQ(LaidOut(model).lines(), "host-0000 host-0001 host-0002");
  std::get<HostChanged>(hosts[0].body).registration.rack = "a";
  const Model mixed = model_of(hosts);
  EXPECT_EQ(LaidOut(mixed).lines(), "a host-0000 no rack host-0001 host-0002");
}

TEST(HostTree, OfALargeFleetIsMadeAnewOnlyWhenItsInputsChange) {
  const Model model = model_of(plain_hosts(1'250, 8));
  LaidOut laid(model, "", "-POWER", 40);
  std::size_t racks = 0, hosts = 0;
  for (const TreeNode& node : laid.tree.nodes) ++(node.is_rack ? racks : hosts);
  EXPECT_EQ(hosts, 1'250u);
  EXPECT_EQ(laid.tree.lines.size(), racks) << "all is folded";
  // Marks stay as long as nothing is made anew.
  laid.tree.nodes.front().name = "kept";
  laid.tree.lines.front().depth = 77;
  laid.lay_out();
  EXPECT_EQ(laid.tree.nodes.front().name, "kept");
  EXPECT_EQ(laid.tree.lines.front().depth, 77);
  laid.rows = 41;
  laid.lay_out();
  EXPECT_EQ(laid.tree.nodes.front().name, "kept") << "lines follow from the rows, nodes do not";
  EXPECT_EQ(laid.tree.lines.front().depth, 0);
  sort_by(laid.list, *parse_sort("UTIL"));
  laid.lay_out();
  EXPECT_NE(laid.tree.nodes.front().name, "kept");
}

DeviceSums large_sums() {
  DeviceSums sums;
  sums.devices = 99'999;
  sums.lost = sums.unhealthy = 99;
  sums.reporting = sums.in_use = sums.throttled = 99'999;
  sums.load_sum = sums.loads = 1;
  sums.memory_bytes = sums.memory_total_bytes = 123'456.0 * 1024 * 1024 * 1024;
  sums.power_w = 1'234'567;
  sums.hottest_c = 105;
  sums.running = sums.queued = 12'345;
  sums.usd_per_h = 123'456.78;
  sums.unpriced = 1;
  return sums;
}

std::string tree_text(const char* title, const DeviceSums& sums) {
  for (const SizedTreeColumn& sized : sized_tree_columns(200)) {
    if (sized.title == title) return sized.column->sum(sums);
  }
  ADD_FAILURE() << title;
  return {};
}

TEST(TreeColumns, HoldTheLongestTexts) {
  for (const int columns : {80, 116, 200}) {
    for (const SizedTreeColumn& sized : sized_tree_columns(columns)) {
      EXPECT_LE(std::ssize(sized.title), sized.width) << sized.title;
      if (sized.column->sum == nullptr) continue;
      const std::string text = sized.column->sum(large_sums());
      EXPECT_LE(std::ssize(text), sized.width) << sized.title << ": " << text;
    }
  }
}

TEST(TreeColumns, AWiderTreeHasWhatANarrowerOneHas) {
  std::set<const TreeColumn*> before;
  for (int columns = 60; columns <= 200; ++columns) {
    const std::vector<SizedTreeColumn> sized = sized_tree_columns(columns);
    std::set<const TreeColumn*> shown;
    for (const PlacedTreeColumn& placed : place_tree_columns(sized, columns)) {
      shown.insert(placed.column->column);
    }
    EXPECT_TRUE(std::ranges::includes(shown, before)) << columns;
    before = shown;
  }
}

TEST(TreeColumns, HaveOneUnitAndMarkAPriceThatLacksDevices) {
  DeviceSums sums = large_sums();
  EXPECT_EQ(tree_text("MEMORY GiB", sums), "123456/123456");
  EXPECT_EQ(tree_text("POWER W", sums), "1234567");
  EXPECT_EQ(tree_text("PRICE $/h", sums), ">123456.78");
  sums.unpriced = 0;
  sums.power_w = 8;
  sums.memory_bytes = 0;
  EXPECT_EQ(tree_text("MEMORY GiB", sums), "0/123456");
  EXPECT_EQ(tree_text("POWER W", sums), "8");
  EXPECT_EQ(tree_text("PRICE $/h", sums), "123456.78");
  DeviceSums rack;
  add_sums(rack, sums);
  add_sums(rack, large_sums());
  EXPECT_EQ(rack.unpriced, 1u);
  EXPECT_EQ(tree_text("PRICE $/h", rack), ">246913.56");
}

TEST(HostTree, ADeviceWithoutAPriceMakesTheSumALowerBound) {
  SampleFleet fleet;
  fleet.hosts[1].prices_usd_per_h = {0};  // gpu-b
  const Model model = sampled_model(fleet);
  const LaidOut laid(model);
  EXPECT_EQ(laid.sums("host:gpu-a").unpriced, 0u);
  EXPECT_EQ(laid.sums("rack:r1").unpriced, 8u);
  EXPECT_FALSE(std::isnan(laid.sums("rack:r1").usd_per_h));
}

TEST(HostTreeView, KeysFoldMoveAndLeadToTheParent) {
  SampleSession tree("devices");
  tree.press({"t"});
  EXPECT_TRUE(tree.shows("5 hosts in 3 racks, 36 devices, 4 lost")) << tree.text();
  tree.press({"g", "Enter"});
  EXPECT_FALSE(tree.shows("gpu-b")) << "Enter folds what is unfolded";
  tree.press({"+"});
  EXPECT_TRUE(tree.shows("gpu-b"));
  tree.press({"j", "+", "j", "j"});
  EXPECT_TRUE(tree.shows("devices > r1 > gpu-a")) << tree.text();
  tree.press({"y"});
  EXPECT_TRUE(tree.shows("copied gpu-a/1")) << tree.text();
  tree.press({"Enter"});
  EXPECT_TRUE(tree.shows("devices > r1 > gpu-a > gpu-a/1")) << tree.text();
  tree.press({"Esc", "Esc", "y"});
  EXPECT_TRUE(tree.shows("copied gpu-a")) << tree.text();
  tree.press({"-"});
  EXPECT_FALSE(tree.shows("gpu-a/1")) << tree.text();
  tree.press({"Esc", "y"});
  EXPECT_TRUE(tree.shows("copied r1")) << tree.text();
  tree.press({"t"});
  EXPECT_TRUE(tree.shows("gpu-a/1")) << "the table again";
}

TEST(HostTreeView, TheTopologyIsThatOfTheSelectedHost) {
  SampleSession tree("devices");
  tree.press({"t", "g", "H"});
  EXPECT_TRUE(tree.shows("no host or device is selected")) << "a rack: " << tree.text();
  tree.press({"j", "j", "H"});
  EXPECT_TRUE(tree.shows("Devices of gpu-b")) << tree.text();
  tree.press({"H"});
  EXPECT_TRUE(tree.shows("5 hosts in 3 racks")) << "the tree again: " << tree.text();
  tree.press({"+", "j", "H"});
  EXPECT_TRUE(tree.shows("Devices of gpu-b")) << "of its device: " << tree.text();
}

TEST(HostTreeView, TagsFindsSortsAndExportsAsTheTableDoes) {
  SampleSession tree("devices");
  tree.press({"t", "g", "j", "T"});
  EXPECT_TRUE(tree.shows("8 devices tagged")) << tree.text();
  tree.press({"U", "n"});
  tree.type("tpu-b/3");
  tree.press({"Enter", "y"});
  EXPECT_TRUE(tree.shows("copied tpu-b")) << "a folded line has what is below it: " << tree.text();
  tree.press({"*", "n", "y"});
  EXPECT_TRUE(tree.shows("copied tpu-b/3")) << tree.text();
  tree.press({"l", "l", "o"});
  EXPECT_TRUE(tree.shows("by UTIL, descending")) << tree.text();
  tree.press({"e"});
  const auto exported = take<ExportTable>(*tree.dashboard);
  ASSERT_EQ(exported.size(), 1u);
  EXPECT_EQ(exported.front().rows.rows.size(), 36u);
}

TEST(HostTreeView, MatchesTheGoldenScreens) {
  struct Scenario {
    const char* name;
    std::vector<const char*> keys;
  };
  for (const Scenario& scenario : std::vector<Scenario>{
           {"devices-tree", {"t"}},
           {"devices-tree-open", {"t", "g", "j", "+", "T", "j", "j", "s", "s"}}}) {
    for (const Size size : {Size{80, 24}, Size{120, 40}, Size{200, 60}}) {
      SampleFleet fleet;
      const auto dashboard = dashboard_of(fleet, size, "devices");
      for (const char* key : scenario.keys) dashboard->press(SampleFleet::after_40s, {key});
      const Canvas& canvas = dashboard->draw(SampleFleet::after_40s);
      expect_whole_rows(canvas);
      expect_screen(fmt::format("{}-{}", scenario.name, size.columns), styled_text(canvas));
    }
  }
}

}  // namespace
}  // namespace drover::tui
