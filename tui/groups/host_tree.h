// The devices as a tree of racks and hosts: its nodes with their sums, which of them are folded,
// and the lines that this leaves. Selections and folds are names, never places in the tree.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "tui/groups/device_sums.h"
#include "tui/tables/device_list.h"

namespace drover::tui {

/// Which nodes are folded. A node's name is "rack:NAME" or "host:NAME", as targets of actions are
/// written.
struct TreeFolds {
  enum class Rest : std::uint8_t {
    automatic,  // racks show their hosts if all hosts fit on the screen, hosts no devices
    unfolded,
    folded
  };
  Rest rest = Rest::automatic;  // of all that is in no set
  std::set<std::string> unfolded, folded;
  bool operator==(const TreeFolds&) const = default;
};

struct TreeNode {
  static constexpr std::uint32_t no_node = UINT32_MAX;

  bool is_rack = false;
  std::string name;                    // as received; of hosts without a rack ""
  std::uint32_t host = 0;              // index in Model::hosts(), of a host
  std::uint32_t parent = no_node;      // the rack of a host
  std::vector<std::uint32_t> hosts;    // nodes, of a rack
  std::vector<DeviceTable::Row> rows;  // of a host
  DeviceSums sums;
};
/// "rack:r1", "host:gpu-a".
std::string name_of(const TreeNode& node);
/// "r1", "no rack", "gpu-a".
std::string_view title_of(const TreeNode& node);

/// A node, or a device.
struct HostTreeLine {
  std::uint32_t node = TreeNode::no_node;  // of a device its host
  DeviceTable::Row row = 0;
  bool is_device = false;
  bool unfolded = false;
  std::uint8_t depth = 0;
};

struct HostTree {
  bool shown = false;  // in the place of the table of devices
  TreeFolds folds;
  std::optional<std::string> chosen;  // a node; while a device is selected, that counts

  std::vector<TreeNode> nodes;      // hosts before racks
  std::vector<std::uint32_t> tops;  // racks; hosts if none has a rack
  std::vector<HostTreeLine> lines;
  ListViewport place;

  // What nodes and lines were made from.
  using Order = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, Instant, int, bool,
                           std::optional<SortKey>>;
  std::optional<Order> order;
  Instant summed_at = Instant::min();
  std::optional<std::pair<TreeFolds, int>> laid_out;

  /// The model may have changed.
  void forget();
};

/// Updates the tree. The nodes are made anew when `list`, which has the devices without groups, was
/// sorted anew; siblings are in the same order as devices. Sums are at most `resort_every` old.
/// `rows`: of the screen.
void lay_out_tree(HostTree& tree, const DeviceList& list, const Model& model,
                  const FleetFilter& fleet_filter, Instant now, Duration resort_every, int rows);

/// The line of the selected device or node, or of the node in which it is folded; -1 if nothing in
/// the tree is selected.
int index_of(const HostTree& tree, const Model& model, const std::optional<DeviceId>& device);
/// The node of this name; null if there is none.
const TreeNode* node_named(const HostTree& tree, std::string_view name);
/// The titles of the rack and the host that are selected or have the selected device.
std::vector<std::string> path_of_selection(const HostTree& tree,
                                           const std::optional<DeviceId>& device);
/// All devices below a node.
std::vector<DeviceTable::Row> rows_below(const HostTree& tree, const TreeNode& node);

void set_folded(TreeFolds& folds, const std::string& name, bool folded);
/// Folds or unfolds the selected node, or the host of the selected device. A selection that would
/// be out of sight moves to the node.
void fold_selection(HostTree& tree, const Model& model, std::optional<DeviceId>& device,
                    bool folded);
/// Unfolds all nodes if one is folded, else folds all.
void fold_or_unfold_all(HostTree& tree);

}  // namespace drover::tui
