// The fleet view: layout, and selection cell by cell on the map.
#include <span>
#include <utility>

#include "tui/state/update.h"
#include "tui/tables/device_queries.h"
#include "tui/views/view_definitions.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

/// Determines the device and the level that each cell shows.
void colour(const LayoutInput& at, UiState& ui) {
  HeatMap& map = ui.map;
  if (!at.steady) ui.levels.forget();
  ui.levels.begin({at.model.structure(), static_cast<int>(ui.metric), static_cast<int>(ui.grouping),
                   map.per_cell},
                  at.model.devices().rows());
  for (HeatCell& cell : map.cells) {
    const auto rows = std::span(map.order.rows).subspan(cell.first, cell.count);
    cell.shown = hottest_of(at.model, at.now, ui.metric, rows);
    const MapValue reading = map_value(at.model, at.now, cell.shown, ui.metric);
    cell.level = ui.levels.settle(rows.front(), reading.known() ? reading.share : absent);
  }
}

ScrolledRows arrange_fleet(const LayoutInput& at, UiState& ui) {
  HeatOrder order = order_devices(at.model, at.now, ui.grouping, ui.fleet_filter);
  const Rect cells = map_cells(lay_out_fleet(at.body, at.model, order, ui.fleet_filter));
  ui.map = lay_out_heat_map(at.model, std::move(order), cells.columns, cells.rows);
  colour(at, ui);
  return {};
}

int count_cells(const UiState& ui) { return static_cast<int>(ui.map.cells.size()); }

int selected_cell(const Model& model, const UiState& ui) {
  if (!ui.device) return -1;
  const auto row = model.find(*ui.device);
  const HeatOrder& order = ui.map.order;
  if (!row || *row >= order.places.size()) return -1;
  const std::size_t cell = cell_of(ui.map, order.places[*row]);
  return cell < ui.map.cells.size() ? static_cast<int>(cell) : -1;
}

void select_cell(const Model& model, UiState& ui, int index, int) {
  const HeatMap& map = ui.map;
  const DeviceTable::Row row = map.order.rows[map.cells[static_cast<std::size_t>(index)].first];
  if (row < model.devices().rows()) ui.device = model.id_of(row);
}

std::string cell_text(const Model& model, const UiState& ui, int index) {
  const HeatMap& map = ui.map;
  const HeatCell& cell = map.cells[static_cast<std::size_t>(index)];
  std::string text;
  for (std::uint32_t place = cell.first; place < cell.first + cell.count; ++place) {
    const DeviceTable::Row row = map.order.rows[place];
    if (row < model.devices().rows()) text += device_search_text(model, row) + " ";
  }
  return text;
}

void open_selected_cell(const Model& model, UiState& ui) {
  if (!ui.device && !ui.map.cells.empty()) select_cell(model, ui, 0, 1);
  if (ui.device) show_view(ui, View::device);
}

}  // namespace

const ViewDefinition& fleet_view_definition() {
  static constexpr ViewDefinition row = {.name = "fleet",
                                         .arrange = arrange_fleet,
                                         .draw = draw_fleet,
                                         .count = count_cells,
                                         .selected = selected_cell,
                                         .select = select_cell,
                                         .place = nullptr,
                                         .text = cell_text,
                                         .open = open_selected_cell,
                                         .back = deselect_device};
  return row;
}

}  // namespace drover::tui
