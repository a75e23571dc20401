// The tree of racks, hosts and devices: what a line sums up, what is folded, and in which order
// siblings stand.
#include "tui/groups/host_tree.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "fleet/base/text.h"
#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_session.h"
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
  for (const char* sort : {"-POWER", "UTIL", "-TEMP", "-RUN", "MEMORY"}) {
    const LaidOut laid(model, "", sort);
    const bool falls = sort[0] == '-';
    double before = absent;
    for (const std::uint32_t top : laid.tree.tops) {
      const DeviceSums& sums = laid.tree.nodes[top].sums;
      const std::string column = falls ? sort + 1 : sort;
      const double value = column == "POWER"  ? sums.power_w
                           : column == "UTIL" ? sums.load()
                           : column == "TEMP" ? sums.hottest_c
                           : column == "RUN"  ? sums.running
                                              : sums.memory_share();
      // What is not known comes last in both directions.
      EXPECT_FALSE(falls ? value > before : value < before) << sort;
      EXPECT_TRUE(std::isnan(value) || top != laid.tree.tops.front() || !std::isnan(value));
      before = value;
    }
    EXPECT_EQ(laid.tree.nodes[laid.tree.tops.back()].name, "r3") << "lost: " << sort;
  }
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
  const TreeNode* const nodes = laid.tree.nodes.data();
  const HostTreeLine* const lines = laid.tree.lines.data();
  laid.lay_out();
  EXPECT_EQ(laid.tree.nodes.data(), nodes);
  EXPECT_EQ(laid.tree.lines.data(), lines);
  EXPECT_LE(laid.tree.lines.size(), 1'250u);
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
