// How the fleet view is moved in: cell by cell over the map.
#include <span>
#include <utility>

#include "tui/state/update.h"
#include "tui/tables/device_facts.h"
#include "tui/views/view_rows.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

/// Finds what each cell shows, and its level.
void colour(const Arrangement& at, Choices& choices) {
  HeatMap& map = choices.map;
  if (!at.steady) choices.levels.forget();
  choices.levels.begin({at.model.structure(), static_cast<int>(choices.metric),
                        static_cast<int>(choices.grouping), map.per_cell},
                       at.model.devices().rows());
  for (HeatCell& cell : map.cells) {
    const auto rows = std::span(map.order.rows).subspan(cell.first, cell.count);
    cell.shown = hottest_of(at.model, at.now, choices.metric, rows);
    const MapReading reading = map_reading(at.model, at.now, cell.shown, choices.metric);
    cell.level = choices.levels.settle(rows.front(), reading.known() ? reading.share : absent);
  }
}

ScrolledRows arrange_fleet(const Arrangement& at, Choices& choices) {
  HeatOrder order = order_devices(at.model, at.now, choices.grouping, choices.narrowing);
  const Rect cells = map_cells(lay_out_fleet(at.body, at.model, order, choices.narrowing));
  choices.map = lay_out_heat_map(at.model, std::move(order), cells.columns, cells.rows);
  colour(at, choices);
  return {};
}

int count_cells(const Choices& choices) { return static_cast<int>(choices.map.cells.size()); }

int selected_cell(const Model& model, const Choices& choices) {
  if (!choices.device) return -1;
  const auto row = model.find(*choices.device);
  const HeatOrder& order = choices.map.order;
  if (!row || *row >= order.places.size()) return -1;
  const std::size_t cell = cell_of(choices.map, order.places[*row]);
  return cell < choices.map.cells.size() ? static_cast<int>(cell) : -1;
}

void select_cell(const Model& model, Choices& choices, int index, int) {
  const HeatMap& map = choices.map;
  const DeviceTable::Row row = map.order.rows[map.cells[static_cast<std::size_t>(index)].first];
  if (row < model.devices().rows()) choices.device = model.id_of(row);
}

std::string cell_text(const Model& model, const Choices& choices, int index) {
  const HeatMap& map = choices.map;
  const HeatCell& cell = map.cells[static_cast<std::size_t>(index)];
  std::string text;
  for (std::uint32_t place = cell.first; place < cell.first + cell.count; ++place) {
    const DeviceTable::Row row = map.order.rows[place];
    if (row < model.devices().rows()) text += device_words(model, row) + " ";
  }
  return text;
}

void open_selected_cell(const Model& model, Choices& choices) {
  if (!choices.device && !choices.map.cells.empty()) select_cell(model, choices, 0, 1);
  if (choices.device) show_view(choices, View::device);
}

}  // namespace

const ViewRow& fleet_row() {
  static constexpr ViewRow row = {.name = "fleet",
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
