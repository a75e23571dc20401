// How the fleet view is moved in: cell by cell over the map.
#include "tui/device_facts.h"
#include "tui/update.h"
#include "tui/view_rows.h"
#include "tui/views.h"

namespace drover::tui {
namespace {

ScrolledRows arrange_fleet(const Arrangement& at, Choices& choices) {
  const Rect cells = map_cells(lay_out_fleet(at.body, at.model));
  choices.map = lay_out_heat_map(at.model, cells.columns, cells.rows);
  return {};
}

int count_cells(const Choices& choices) { return static_cast<int>(choices.map.cells.size()); }

int selected_cell(const Model& model, const Choices& choices) {
  if (!choices.device) return -1;
  const auto row = model.find(*choices.device);
  if (!row) return -1;
  const auto& order = model.device_order();
  // A host's rows lie together in both, so its first row tells the place of all.
  const auto first = std::find(order.begin(), order.end(), model.host_of(*row).first);
  const auto place =
      static_cast<std::uint32_t>(first - order.begin()) + (*row - model.host_of(*row).first);
  const std::size_t cell = cell_of(choices.map, place);
  return cell < choices.map.cells.size() ? static_cast<int>(cell) : -1;
}

void select_cell(const Model& model, Choices& choices, int index, int) {
  const std::uint32_t place = choices.map.cells[static_cast<std::size_t>(index)].first;
  if (place < model.device_order().size()) {
    choices.device = model.id_of(model.device_order()[place]);
  }
}

std::string cell_text(const Model& model, const Choices& choices, int index) {
  const HeatCell& cell = choices.map.cells[static_cast<std::size_t>(index)];
  std::string text;
  for (std::uint32_t place = cell.first; place < cell.first + cell.count; ++place) {
    if (place < model.device_order().size()) {
      text += device_words(model, model.device_order()[place]) + " ";
    }
  }
  return text;
}

bool let_device_go(Choices& choices) {
  const bool was = choices.device.has_value();
  choices.device.reset();
  return was;
}

void open_device(const Model& model, Choices& choices) {
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
                                  .open = open_device,
                                  .back = let_device_go};
  return row;
}

}  // namespace drover::tui
