// How the devices of one host are connected: a drawing, the matrix of each two devices, and the
// state of their links. The page stands in the place of the device view and scrolls.
#include <algorithm>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "tui/diagrams/host_topology.h"
#include "tui/diagrams/link_matrix.h"
#include "tui/diagrams/topology_layout.h"
#include "tui/pages/pages.h"
#include "tui/panels/panels.h"
#include "tui/tables/device_columns.h"
#include "tui/tables/device_queries.h"

namespace drover::tui {
namespace {

constexpr int topology_wide_columns = 150;  // from here on, the tables are beside the drawing
constexpr int topology_gap = 3;

struct TopologyTable {
  std::string title;
  std::vector<MatrixLine> lines;
  int rows() const { return 1 + static_cast<int>(lines.size()); }
};

int draw_table(DrawRegion& region, int row, const TopologyTable& table) {
  region.heading(row++, table.title);
  for (const MatrixLine& line : table.lines) {
    region.field(1, row++, region.columns() - 1, line.text, line.style);
  }
  return row;
}

/// "64 of 209 devices" if not all are shown, else nothing.
std::string shown_of_all_text(const HostTopology& host) {
  if (host.left_out == 0) return {};
  const std::size_t shown = host.devices.size();
  return fmt::format("{} of {} devices", shown, shown + host.left_out);
}

/// The marks and colours that the devices have in the other views.
void mark_devices(HostTopology& host, const Model& model, Instant now) {
  for (TopologyDevice& device : host.devices) {
    device.temperature_style = threshold_style(device.temperature_c, warm_celsius, hot_celsius);
    const auto row = model.find({host.host, device.index});
    if (!row) continue;
    const DeviceMarker sign = device_marker(model, now, *row);
    device.marker = trimmed(sign.text);
    device.marker_style = sign.style;
  }
}

class TopologyView : public View {
 public:
  using View::View;

  void draw(const FrameContext& frame, const DrawRegion& region) const override {
    DrawRegion view = region;
    const std::string scroll = scroll_note(page_rows_, rows_seen_, ui_.details_top);
    std::string title = fmt::format("Devices of {}", printable(ui_.topology_host));
    if (host_) add_part(title, ": ", shown_of_all_text(*host_));
    view.heading(0, title, scroll);
    if (!host_) {
      view.field(0, 1, view.columns(),
                 fmt::format("{} is not in the fleet at {}", printable(ui_.topology_host),
                             frame.clock_words()),
                 CellStyle::faint);
      return;
    }
    if (host_->devices.empty()) {
      view.field(0, 1, view.columns(), "it has no devices", CellStyle::faint);
      return;
    }
    Canvas canvas({view.columns(), page_rows_});
    DrawRegion page(canvas, {0, 0, view.columns(), page_rows_}, view.ascii());
    draw_topology(page.part({0, 0, drawing_columns_, layout_.rows}), *host_, layout_);
    DrawRegion tables = page.part(tables_area_);
    draw_table(tables, draw_table(tables, 0, matrix_), links_);
    view.on({view.area().column, view.area().row + 1, view.columns(), rows_seen_})
        .paste(canvas, ui_.details_top, 0);
  }

  std::vector<CompactLine> compact_lines(const FrameContext&, int lines_max) const override {
    std::string title = "devices of " + printable(ui_.topology_host);
    if (host_) add_part(title, ": ", shown_of_all_text(*host_));
    std::vector<CompactLine> lines = {{title}};
    for (const MatrixLine& line : matrix_.lines) {
      if (static_cast<int>(lines.size()) >= lines_max) break;
      lines.push_back({line.text, line.style});
    }
    return lines;
  }

  void forget_layout() override { host_.reset(); }

  ScrolledRows lay_out(const LayoutInput& at) override {
    host_ = topology_of(at.model, ui_.topology_host);
    rows_seen_ = std::max(0, at.body.rows - 1);
    page_rows_ = 0;
    layout_ = {};
    matrix_ = links_ = {};
    if (!host_ || host_->devices.empty()) return {0, rows_seen_};
    mark_devices(*host_, at.model, at.now);
    const int columns = at.body.columns;
    const bool beside = columns >= topology_wide_columns;
    drawing_columns_ = beside ? (columns - topology_gap) / 2 : columns;
    layout_ = lay_out_topology(*host_, drawing_columns_);
    const int column = beside ? drawing_columns_ + topology_gap : 0;
    const int width = columns - column;
    matrix_ = {"Matrix, as nvidia-smi topo -m prints it", matrix_lines(*host_, width - 1)};
    links_ = {"State of the links", link_lines(*host_)};
    tables_area_ = {column, beside ? 0 : layout_.rows, width, matrix_.rows() + links_.rows()};
    page_rows_ = std::max(layout_.rows, tables_area_.row + tables_area_.rows);
    return {page_rows_, rows_seen_};
  }

  void tag(const KeyContext& context) override {
    context.cursor.say("Esc goes back to the devices, where T tags them");
  }

 private:
  std::optional<HostTopology> host_;
  TopologyLayout layout_;
  TopologyTable matrix_, links_;
  Rect tables_area_;
  int drawing_columns_ = 0, page_rows_ = 0, rows_seen_ = 0;
};

}  // namespace

std::unique_ptr<View> make_topology_view(UiState& ui) { return std::make_unique<TopologyView>(ui); }

}  // namespace drover::tui
