// Racks, their hosts and devices as a tree, in the place of the table of devices: the lines of
// racks and hosts have the sums of what is below them.
#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "tui/canvas/fit_columns.h"
#include "tui/groups/tree_columns.h"
#include "tui/panels/panels.h"
#include "tui/tables/device_columns.h"
#include "tui/tables/device_queries.h"
#include "tui/views/device_table_text.h"
#include "tui/views/view_layouts.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

class HostTreeView : public View {
 public:
  explicit HostTreeView(UiState& ui)
      : View(ui, &ui.tree.place), tree_(ui.tree), list_(ui.devices) {}

  void forget_layout() override { tree_.forget(); }

  void draw(const FrameContext& frame, const DrawRegion& region) const override {
    std::size_t racks = 0;
    for (const TreeNode& node : tree_.nodes) racks += node.is_rack ? 1 : 0;
    std::uint32_t hosts = 0;  // as devices, without those that left
    for (const std::uint32_t top : tree_.tops) hosts += tree_.nodes[top].sums.hosts;
    std::string title = counted(hosts, "host");
    if (racks > 0) title += " in " + counted(racks, "rack");
    region.on(layout_.top)
        .heading(0, title + ", " + devices_title(frame, list_), order_text(list_));
    DrawRegion body = region.on(layout_.list);
    body.on(body.row_area(0)).blank(CellStyle::title);
    draw_titles(frame, body);
    const JobsByDevice no_jobs;
    const EvaluationContext context{frame.model, frame.now, no_jobs};
    std::optional<DeviceTable::Row> above;  // the device on the line above, if it has one
    const auto draw = [&](int row, std::size_t item) {
      const HostTreeLine& line = tree_.lines[item];
      line.is_device ? draw_device_line(frame, context, body, row, line, above)
                     : draw_node_line(frame, body, row, line);
      above = line.is_device ? std::optional(line.row) : std::nullopt;
      return true;
    };
    draw_items(frame, body, 1, tree_.place, tree_.lines.size(), selected(frame.model), draw);
    if (tree_.lines.empty())
      body.text(1, 1, frame.nothing_text("device", "no devices yet"), CellStyle::faint);
  }

  std::vector<CompactLine> compact_lines(const FrameContext& frame, int lines_max) const override {
    const auto text = [&](const HostTreeLine& line, int item) {
      if (line.is_device) return compact_device(frame, line.row, item);
      const TreeNode& node = tree_.nodes[line.node];
      return CompactLine{fmt::format("{} {} {} {} {}", fold_sign(line.unfolded, true),
                                     printable(title_of(node)), tree_count_text(node.sums.devices),
                                     tree_load(node.sums), tree_power(node.sums)),
                         node_style(frame, node), item};
    };
    return list_lines(tree_.lines, tree_.place, selected(frame.model), lines_max, text);
  }

  ScrolledRows lay_out(const LayoutInput& at) override {
    layout_ = lay_out_devices(at.body);
    sized_ = sized_tree_columns(layout_.list.columns);
    placed_ = place_tree_columns(sized_, layout_.list.columns);
    list_.columns.clear();
    for (const auto& [column, place, width] : placed_) {
      if (column->number >= 0) list_.columns.push_back({column->number, width});
    }
    if (list_.grouping) group_by(list_, std::nullopt);  // the tree groups by itself
    sort_devices(at.model, ui_.fleet_filter, list_, at.now, at.resort_every, ui_.moved_at);
    const int rows = layout_.list.rows - 1;
    lay_out_tree(tree_, list_, at.model, ui_.fleet_filter, at.now, at.resort_every, rows);
    tree_.place.scroll_to(selected(at.model), items(), rows);
    return {};
  }

  std::optional<int> count() const override { return static_cast<int>(tree_.lines.size()); }
  int selected(const Model& model) const override { return index_of(tree_, model, ui_.device); }

  void select(const Model& model, int index, int) override {
    const HostTreeLine& line = tree_.lines[static_cast<std::size_t>(index)];
    if (line.is_device) {
      ui_.device = model.id_of(line.row);
    } else {
      choose_node(tree_.nodes[line.node]);
    }
    tree_.place.row = -1;
  }

  /// A folded line has the texts of all that is below it.
  std::string search_text(const Model& model, int index) const override {
    const HostTreeLine& line = tree_.lines[static_cast<std::size_t>(index)];
    if (line.is_device) return device_search_text(model, line.row);
    const TreeNode& node = tree_.nodes[line.node];
    std::string text(title_of(node));
    if (line.unfolded) return text;
    for (const DeviceTable::Row row : rows_below(tree_, node)) {
      text += " " + device_search_text(model, row);
    }
    return text;
  }

  /// Left and right choose a column, up and down a line.
  void move(const KeyContext& context, Move direction) override {
    if (direction != Move::left && direction != Move::right) return View::move(context, direction);
    step_column(list_, direction == Move::right ? 1 : -1);
  }

  /// Opens a device; folds or unfolds any other line.
  std::optional<ViewId> open_selected(const KeyContext& context) override {
    const int index = selected(context.model);
    if (index < 0) return std::nullopt;
    const HostTreeLine& line = tree_.lines[static_cast<std::size_t>(index)];
    if (line.is_device) return ViewId::device;
    const TreeNode& node = tree_.nodes[line.node];
    choose_node(node);
    set_folded(tree_.folds, name_of(node), line.unfolded);
    return std::nullopt;
  }

  /// Goes to the parent.
  bool close() override {
    const TreeNode* const parent = parent_of_selection();
    if (parent == nullptr) return false;
    choose_node(*parent);
    return true;
  }

  bool back() override {
    const bool was = ui_.device.has_value() || tree_.chosen.has_value();
    ui_.device.reset();
    tree_.chosen.reset();
    return was;
  }

  /// A node stands for all its devices: tags them, or removes their tags if all have one.
  void tag(const KeyContext& context) override {
    const TreeNode* const node =
        ui_.device || !tree_.chosen ? nullptr : node_named(tree_, *tree_.chosen);
    if (node == nullptr) return View::tag(context);
    context.cursor.say(toggle_tags(context.model, rows_below(tree_, *node)));
    move_on(context);
  }

 private:
  void choose_node(const TreeNode& node) {
    tree_.chosen = name_of(node);
    ui_.device.reset();
  }

  /// The host of the selected device, or the rack of the selected host; null if there is none.
  const TreeNode* parent_of_selection() const {
    if (ui_.device) return node_named(tree_, "host:" + ui_.device->host);
    const TreeNode* const node = tree_.chosen ? node_named(tree_, *tree_.chosen) : nullptr;
    if (node == nullptr || node->parent == TreeNode::no_node) return nullptr;
    return &tree_.nodes[node->parent];
  }

  std::string toggle_tags(const Model& model, const std::vector<DeviceTable::Row>& rows) {
    std::set<DeviceId>& tagged = ui_.tagged_devices;
    const bool all = std::ranges::all_of(
        rows, [&](DeviceTable::Row row) { return tagged.contains(model.id_of(row)); });
    std::size_t left_out = 0;
    for (const DeviceTable::Row row : rows) {
      const DeviceId id = model.id_of(row);
      if (all) {
        tagged.erase(id);
      } else if (tagged.size() < tags_max) {
        tagged.insert(id);
      } else {
        left_out += tagged.contains(id) ? 0 : 1;
      }
    }
    if (tagged.empty()) return "no device is tagged";
    if (left_out == 0) {
      return fmt::format("{} tagged: actions apply to all of them",
                         counted(tagged.size(), "device"));
    }
    return fmt::format("{} tagged, the most: {} not", counted(tagged.size(), "device"), left_out);
  }

  void draw_titles(const FrameContext& frame, DrawRegion& region) const {
    for (const auto& [column, at, width] : placed_) {
      const std::string mark =
          column->number < 0 ? "" : sort_mark(list_, column->number, region.ascii());
      const auto room = static_cast<std::size_t>(width - static_cast<int>(column_width(mark)));
      const bool whole = column->title.size() <= room;
      // The unit is left out rather than cut.
      const std::string_view title =
          whole ? column->title : column->title.substr(0, column->title.find(' '));
      const bool chosen = column->number >= 0 && column->number == list_.chosen_column;
      region.field(at, 0, width, std::string(title.substr(0, room)) + mark,
                   chosen         ? CellStyle::selected
                   : mark.empty() ? CellStyle::title
                                  : CellStyle::badge,
                   column->align);
      if (column->number < 0) continue;
      const Rect& area = region.area();
      frame.click_targets.add({area.column + at, area.row, width, 1}, ClickTarget::Kind::column,
                              column->number);
    }
  }

  static CellStyle node_style(const FrameContext& frame, const TreeNode& node) {
    if (node.is_rack) return CellStyle::strong;
    const HostRow& host = frame.model.hosts()[node.host];
    switch (host.reported.health) {
      case Health::lost:
        return CellStyle::critical;
      case Health::left:
        return CellStyle::stale;
      case Health::suspect:
        return CellStyle::warm;
      default:
        return host.count > 0 && frame.stale(host) ? CellStyle::stale : CellStyle::plain;
    }
  }

  static CellStyle sum_style(const SizedTreeColumn& sized, const TreeNode& node, CellStyle own) {
    const TreeColumn& column = *sized.column;
    if (column.title == "BAD") {
      if (node.sums.lost > 0) return CellStyle::critical;
      return node.sums.unhealthy > 0 ? CellStyle::warm : CellStyle::faint;
    }
    if (column.level == nullptr) return own == CellStyle::critical ? CellStyle::plain : own;
    const DeviceColumn& thresholds = device_column_of(sized);
    return threshold_style(column.level(node.sums), thresholds.warm, thresholds.hot);
  }

  /// A rack or a host.
  void draw_node_line(const FrameContext& frame, DrawRegion& region, int row,
                      const HostTreeLine& line) const {
    const TreeNode& node = tree_.nodes[line.node];
    const CellStyle own = node_style(frame, node);
    const Health health =
        node.is_rack ? Health::ok : frame.model.hosts()[node.host].reported.health;
    if (health == Health::lost) region.text(0, row, "x", CellStyle::critical);
    if (health == Health::left) region.text(0, row, "-", CellStyle::stale);
    const bool tagged = !ui_.tagged_devices.empty() && all_tagged(frame.model, node);
    if (tagged) region.text(1, row, region.ascii() ? "+" : "✓", CellStyle::badge);
    for (const auto& [sized, at, width] : placed_) {
      const TreeColumn& column = *sized->column;
      if (column.sum == nullptr) {
        const int indent = 2 * line.depth;
        region.text(at + indent, row, fold_sign(line.unfolded, region.ascii()), CellStyle::accent);
        region.field(at + indent + 2, row, width - indent - 2, title_of(node), own);
        continue;
      }
      const std::string text =
          column.title == "KIND" ? kind_of(frame.model, node) : column.sum(node.sums);
      if (text == not_known) {
        region.field(at, row, width, text, CellStyle::faint, sized->align);
      } else if (column.share != nullptr && region.columns() >= tree_wide_columns) {
        const DeviceColumn& limits = device_column_of(*sized);
        const double share = column.share(node.sums);
        region.gauge(at, row, width, share, text, gauge_style(share, limits.warm, limits.hot));
      } else {
        region.field(at, row, width, text,
                     text == "-" ? CellStyle::faint : sum_style(*sized, node, own), sized->align);
      }
    }
  }

  void draw_device_line(const FrameContext& frame, const EvaluationContext& context,
                        DrawRegion& region, int row, const HostTreeLine& line,
                        std::optional<DeviceTable::Row> above) const {
    const bool stale = frame.stale(line.row);
    const DeviceMarker sign = device_marker(frame.model, frame.now, line.row);
    region.text(0, row, sign.text, sign.style);
    const bool tagged =
        !ui_.tagged_devices.empty() && ui_.tagged_devices.contains(frame.model.id_of(line.row));
    if (frame.model.spec_of(line.row).real) region.text(1, row, real_mark, CellStyle::faint);
    if (tagged) region.text(1, row, region.ascii() ? "+" : "✓", CellStyle::badge);
    for (const auto& [sized, at, width] : placed_) {
      if (sized->number < 0) continue;
      const DeviceColumn& column = device_column_of(*sized);
      const std::string text = column.text(context, line.row);
      const CellStyle usual = stale ? CellStyle::stale : CellStyle::plain;
      if (sized->column->sum == nullptr) {
        const int indent = 2 * line.depth + 2;
        region.field(at + indent, row, width - indent, text, usual);
      } else if (text == not_known) {
        region.field(at, row, width, text, CellStyle::faint, sized->align);
      } else if (is_as_above(context, column, line.row, above)) {
        region.field(at, row, width, as_above, CellStyle::faint, sized->align);
      } else if (sized->column->share != nullptr && region.columns() >= tree_wide_columns) {
        const double share = column.bar(frame.model, line.row);
        region.gauge(at, row, width, stale ? absent : share, text,
                     stale ? CellStyle::track : gauge_style(share, column.warm, column.hot));
      } else {
        const bool coloured = !stale && column.warm > 2;
        region.field(
            at, row, width, text,
            coloured ? threshold_style(column.order(context, line.row, 0), column.warm, column.hot)
                     : usual,
            sized->align);
      }
    }
  }

  bool all_tagged(const Model& model, const TreeNode& node) const {
    if (node.sums.devices > ui_.tagged_devices.size()) return false;
    const std::vector<DeviceTable::Row> rows = rows_below(tree_, node);
    return !rows.empty() && std::ranges::all_of(rows, [&](DeviceTable::Row row) {
      return ui_.tagged_devices.contains(model.id_of(row));
    });
  }

  /// "h100-sxm", or of how many kinds its devices are.
  static std::string kind_of(const Model& model, const TreeNode& node) {
    std::set<std::string_view> kinds;
    for (const std::uint16_t spec : node.sums.specs) kinds.insert(model.specs()[spec].kind());
    if (kinds.empty()) return "-";
    return kinds.size() == 1 ? std::string(*kinds.begin()) : fmt::format("{} kinds", kinds.size());
  }

  HostTree& tree_;
  DeviceList& list_;
  TableLayout layout_;
  std::vector<SizedTreeColumn> sized_;
  std::vector<PlacedTreeColumn> placed_;
};

}  // namespace

std::unique_ptr<View> make_host_tree_view(UiState& ui) {
  return std::make_unique<HostTreeView>(ui);
}

}  // namespace drover::tui
