#include "tui/groups/host_tree.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "fleet/base/text.h"
#include "fleet/job_target.h"
#include "tui/tables/device_queries.h"

namespace drover::tui {
namespace {

constexpr std::string_view rack_prefix = "rack:", host_prefix = "host:";

HostTree::Order order_of(const DeviceList& list) {
  return {list.order_structure, list.order_filter, list.order_shown, list.ordered_at,
          list.sort_column,     list.descending,   list.second};
}

/// By what nodes are sorted if devices are sorted by a column; by name otherwise.
struct NodeOrder {
  std::string_view column;  // of devices
  double (*key)(const DeviceSums& sums);
};
constexpr std::array node_orders = {
    NodeOrder{"UTIL", [](const DeviceSums& sums) { return sums.load(); }},
    NodeOrder{"MEMORY", [](const DeviceSums& sums) { return sums.memory_share(); }},
    NodeOrder{"POWER", [](const DeviceSums& sums) { return sums.power_w; }},
    NodeOrder{"TEMP", [](const DeviceSums& sums) { return sums.hottest_c; }},
    NodeOrder{"THROTTLE", [](const DeviceSums& sums) { return double(sums.throttled); }},
    NodeOrder{"RUN", [](const DeviceSums& sums) { return sums.running; }},
    NodeOrder{"QUEUE", [](const DeviceSums& sums) { return sums.queued; }},
    NodeOrder{"PRICE", [](const DeviceSums& sums) { return sums.usd_per_h; }},
};

/// Unknown values come last in both directions.
double sort_value(const SortKey& key, const DeviceSums& sums) {
  const std::string_view title = device_columns()[static_cast<std::size_t>(key.column)].title;
  const auto order = std::ranges::find(node_orders, title, &NodeOrder::column);
  const double value = order == node_orders.end() ? 0 : order->key(sums);
  if (std::isnan(value)) return std::numeric_limits<double>::infinity();
  return key.descending ? -value : value;
}

bool is_by_name(const SortKey& key) {
  const std::string_view title = device_columns()[static_cast<std::size_t>(key.column)].title;
  return title == "DEVICE" || title == "RACK";
}

void sort_nodes(const std::vector<TreeNode>& nodes, const DeviceList& list,
                std::vector<std::uint32_t>& siblings) {
  const SortKey first{list.sort_column, list.descending};
  const SortKey second = list.second.value_or(first);
  const bool falling_names = is_by_name(first) && list.descending;
  std::sort(siblings.begin(), siblings.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto values = [&](std::uint32_t node) {
      return std::pair(sort_value(first, nodes[node].sums), sort_value(second, nodes[node].sums));
    };
    if (values(a) != values(b)) return values(a) < values(b);
    // Hosts without a rack come last.
    if (nodes[a].name.empty() != nodes[b].name.empty()) return nodes[b].name.empty();
    if (falling_names) std::swap(a, b);
    return natural_less(nodes[a].name, nodes[b].name);
  });
}

/// The hosts with their devices in the order of the list. Hosts without devices have a node while
/// no filter is set.
void make_hosts(HostTree& tree, const DeviceList& list, const Model& model, bool filtered) {
  std::vector<std::uint32_t> node_of(model.hosts().size(), TreeNode::no_node);
  const auto node = [&](std::uint32_t host) -> TreeNode& {
    if (node_of[host] == TreeNode::no_node) {
      node_of[host] = static_cast<std::uint32_t>(tree.nodes.size());
      TreeNode made;
      made.name = model.hosts()[host].reported.registration.host;
      made.host = host;
      tree.nodes.push_back(std::move(made));
    }
    return tree.nodes[node_of[host]];
  };
  for (const DeviceLine& line : list.lines) {
    if (line.heading.empty()) node(model.devices().host(line.row)).rows.push_back(line.row);
  }
  if (filtered) return;
  for (std::uint32_t host = 0; host < model.hosts().size(); ++host) {
    if (model.hosts()[host].count == 0) node(host);
  }
}

void make_racks(HostTree& tree, const Model& model) {
  const auto hosts = static_cast<std::uint32_t>(tree.nodes.size());
  const auto rack_of = [&](std::uint32_t node) -> const std::string& {
    return model.hosts()[tree.nodes[node].host].reported.registration.rack;
  };
  bool any = false;
  for (std::uint32_t node = 0; node < hosts; ++node) any |= !rack_of(node).empty();
  std::map<std::string_view, std::uint32_t> racks;
  for (std::uint32_t node = 0; node < hosts; ++node) {
    if (!any) {
      tree.tops.push_back(node);
      continue;
    }
    const auto [rack, is_new] =
        racks.try_emplace(rack_of(node), static_cast<std::uint32_t>(tree.nodes.size()));
    if (is_new) {
      TreeNode made;
      made.is_rack = true;
      made.name = rack_of(node);
      tree.tops.push_back(rack->second);
      tree.nodes.push_back(std::move(made));
    }
    tree.nodes[node].parent = rack->second;
    tree.nodes[rack->second].hosts.push_back(node);
  }
}

/// Work is counted once for each node: by replicas, and by jobs that have devices of their own.
class WorkCounter {
 public:
  WorkCounter(HostTree& tree, const Model& model, const FleetFilter& fleet_filter)
      : tree_(tree), model_(model), fleet_filter_(fleet_filter) {
    node_of_.resize(model.hosts().size(), TreeNode::no_node);
    for (std::uint32_t node = 0; node < tree.nodes.size(); ++node) {
      if (!tree.nodes[node].is_rack) node_of_[tree.nodes[node].host] = node;
    }
  }

  void count() {
    for (const auto& [id, row] : model_.replicas()) {
      const Replica& replica = row.reported.replica;
      add(rows_of_target(model_, to_text(id)), replica.running, replica.queued);
    }
    for (const auto& [id, job] : model_.jobs()) {
      const JobChanged& reported = job.reported;
      if (!is_placed(reported.state) || is_request(reported.target)) continue;
      add(rows_of_target(model_, reported.target), 1, 0);
    }
  }

 private:
  /// Whether it runs on a replica, which counts it.
  static bool is_request(std::string_view target) {
    const auto part = take_target_part(target);
    return part && replica_in(part->place).has_value();
  }

  void add(const std::vector<DeviceTable::Row>& rows, std::uint32_t running, std::uint32_t queued) {
    std::vector<std::uint32_t> counted;
    const auto once = [&](std::uint32_t node) {
      if (node == TreeNode::no_node || std::ranges::find(counted, node) != counted.end()) return;
      counted.push_back(node);
      add_work(tree_.nodes[node].sums, running, queued);
    };
    for (const DeviceTable::Row row : rows) {
      if (!fleet_filter_.shows(row) || model_.is_gone(row)) continue;
      const std::uint32_t node = node_of_[model_.devices().host(row)];
      once(node);
      if (node != TreeNode::no_node) once(tree_.nodes[node].parent);
    }
  }

  HostTree& tree_;
  const Model& model_;
  const FleetFilter& fleet_filter_;
  std::vector<std::uint32_t> node_of_;  // by host
};

void sum_up(HostTree& tree, const Model& model, const FleetFilter& fleet_filter, Instant now) {
  for (TreeNode& node : tree.nodes) {
    node.sums = {};
    const bool left = !node.is_rack && model.hosts()[node.host].reported.health == Health::left;
    if (!node.is_rack && !left) node.sums.hosts = 1;
    for (const DeviceTable::Row row : node.rows) add_device(node.sums, model, now, row);
  }
  for (TreeNode& rack : tree.nodes) {
    for (const std::uint32_t host : rack.hosts) add_sums(rack.sums, tree.nodes[host].sums);
  }
  WorkCounter(tree, model, fleet_filter).count();
  tree.summed_at = now;
}

bool is_unfolded(const HostTree& tree, const TreeNode& node, int rows) {
  const TreeFolds& folds = tree.folds;
  const std::string name = name_of(node);
  if (folds.unfolded.contains(name)) return true;
  if (folds.folded.contains(name)) return false;
  if (folds.rest != TreeFolds::Rest::automatic) return folds.rest == TreeFolds::Rest::unfolded;
  return node.is_rack && static_cast<int>(tree.nodes.size()) <= rows;
}

void add_tree_line(HostTree& tree, std::uint32_t number, std::uint8_t depth, int rows) {
  const TreeNode& node = tree.nodes[number];
  const bool unfolded = is_unfolded(tree, node, rows);
  tree.lines.push_back({number, 0, false, unfolded, depth});
  if (!unfolded) return;
  const auto below = static_cast<std::uint8_t>(depth + 1);
  for (const std::uint32_t host : node.hosts) add_tree_line(tree, host, below, rows);
  for (const DeviceTable::Row row : node.rows)
    tree.lines.push_back({number, row, true, false, below});
}

}  // namespace

std::string name_of(const TreeNode& node) {
  return std::string(node.is_rack ? rack_prefix : host_prefix) + node.name;
}

std::string_view title_of(const TreeNode& node) {
  return node.name.empty() ? std::string_view("no rack") : std::string_view(node.name);
}

void HostTree::forget() {
  nodes.clear();
  tops.clear();
  lines.clear();
  order.reset();
  laid_out.reset();
}

void lay_out_tree(HostTree& tree, const DeviceList& list, const Model& model,
                  const FleetFilter& fleet_filter, Instant now, Duration resort_every, int rows) {
  const HostTree::Order order = order_of(list);
  const bool sorted = tree.order != order;
  if (sorted) {
    tree.forget();
    make_hosts(tree, list, model, fleet_filter.active());
    make_racks(tree, model);
    tree.order = order;
  }
  if (sorted || now < tree.summed_at || saturating_add(tree.summed_at, resort_every) <= now) {
    sum_up(tree, model, fleet_filter, now);
  }
  if (sorted) {
    sort_nodes(tree.nodes, list, tree.tops);
    for (TreeNode& rack : tree.nodes) sort_nodes(tree.nodes, list, rack.hosts);
  }
  if (tree.laid_out == std::pair(tree.folds, rows)) return;
  tree.laid_out = std::pair(tree.folds, rows);
  tree.lines.clear();
  for (const std::uint32_t top : tree.tops) add_tree_line(tree, top, 0, rows);
}

const TreeNode* node_named(const HostTree& tree, std::string_view name) {
  const bool is_rack = name.starts_with(rack_prefix);
  if (!is_rack && !name.starts_with(host_prefix)) return nullptr;
  name.remove_prefix((is_rack ? rack_prefix : host_prefix).size());
  const auto found = std::ranges::find_if(tree.nodes, [&](const TreeNode& node) {
    return node.is_rack == is_rack && node.name == name;
  });
  return found == tree.nodes.end() ? nullptr : &*found;
}

int index_of(const HostTree& tree, const Model& model, const std::optional<DeviceId>& device) {
  const auto row = device ? model.find(*device) : std::nullopt;
  const TreeNode* node = nullptr;
  if (row) {
    const int line = index_where(
        tree.lines, [&](const HostTreeLine& it) { return it.is_device && it.row == *row; });
    if (line >= 0) return line;
    node = node_named(tree, "host:" + device->host);
  } else if (tree.chosen) {
    node = node_named(tree, *tree.chosen);
  }
  while (node != nullptr) {
    const auto number = static_cast<std::uint32_t>(node - tree.nodes.data());
    const int line = index_where(
        tree.lines, [&](const HostTreeLine& it) { return !it.is_device && it.node == number; });
    if (line >= 0 || node->parent == TreeNode::no_node) return line;
    node = &tree.nodes[node->parent];
  }
  return -1;
}

std::vector<std::string> path_of_selection(const HostTree& tree,
                                           const std::optional<DeviceId>& device) {
  const TreeNode* const node = device        ? node_named(tree, "host:" + device->host)
                               : tree.chosen ? node_named(tree, *tree.chosen)
                                             : nullptr;
  if (node == nullptr) return {};
  std::vector<std::string> path;
  if (node->parent != TreeNode::no_node) path.emplace_back(title_of(tree.nodes[node->parent]));
  path.emplace_back(title_of(*node));
  return path;
}

std::vector<DeviceTable::Row> rows_below(const HostTree& tree, const TreeNode& node) {
  std::vector<DeviceTable::Row> rows = node.rows;
  for (const std::uint32_t host : node.hosts) {
    const auto& more = tree.nodes[host].rows;
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

void set_folded(TreeFolds& folds, const std::string& name, bool folded) {
  (folded ? folds.unfolded : folds.folded).erase(name);
  (folded ? folds.folded : folds.unfolded).insert(name);
}

void fold_selection(HostTree& tree, const Model& model, std::optional<DeviceId>& device,
                    bool folded) {
  const int index = index_of(tree, model, device);
  if (index < 0) return;
  const HostTreeLine& line = tree.lines[static_cast<std::size_t>(index)];
  const TreeNode* node = &tree.nodes[line.node];
  // What is folded already folds its parent.
  const bool folds_parent = folded && !line.is_device && !line.unfolded;
  if (folds_parent && node->parent != TreeNode::no_node) node = &tree.nodes[node->parent];
  set_folded(tree.folds, name_of(*node), folded);
  if (!folded) return;
  tree.chosen = name_of(*node);
  device.reset();
}

void fold_or_unfold_all(HostTree& tree) {
  const bool any_folded = std::ranges::any_of(
      tree.lines, [](const HostTreeLine& line) { return !line.is_device && !line.unfolded; });
  tree.folds = {any_folded ? TreeFolds::Rest::unfolded : TreeFolds::Rest::folded, {}, {}};
}

}  // namespace drover::tui
