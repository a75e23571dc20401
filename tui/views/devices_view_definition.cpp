// The views devices and device: layout, selection and commands.
#include <utility>

#include "tui/state/update.h"
#include "tui/tables/device_queries.h"
#include "tui/views/view_definitions.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

int count_devices(const UiState& ui) { return static_cast<int>(ui.devices.lines.size()); }

int selected_device(const Model& model, const UiState& ui) {
  const auto row = ui.device ? model.find(*ui.device) : std::nullopt;
  return row ? index_of(ui.devices, *row) : -1;
}

ScrolledRows arrange_devices(const LayoutInput& at, UiState& ui) {
  const Rect list = lay_out_devices(at.body).list;
  ui.devices.columns = columns_that_fit(ui.devices.wanted, list.columns - 3);
  sort_devices(at.model, ui.fleet_filter, ui.devices, at.now, at.resort_every, ui.moved_at);
  ui.devices.place.scroll_to(selected_device(at.model, ui), count_devices(ui), list.rows - 1);
  return {};
}

void select_device(const Model& model, UiState& ui, int index, int direction) {
  const auto row = device_at(ui.devices, index, direction);
  if (!row) return;
  ui.device = model.id_of(*row);
  ui.devices.place.row = -1;
  ui.figure.follow = true;  // the same metric of another device
}

std::string text_of_device(const Model& model, const UiState& ui, int index) {
  const DeviceLine& line = ui.devices.lines[static_cast<std::size_t>(index)];
  return line.heading.empty() ? device_search_text(model, line.row) : std::string();
}

ListViewport* place_of_devices(UiState& ui) { return &ui.devices.place; }

void open_device(const Model&, UiState& ui) {
  if (ui.device) show_view(ui, View::device);
}

ScrolledRows arrange_device(const LayoutInput& at, UiState& ui) {
  // The order in which j and k select other devices.
  sort_devices(at.model, ui.fleet_filter, ui.devices, at.now, at.resort_every, ui.moved_at);
  if (!ui.device) {
    if (const auto first = device_at(ui.devices, 0, 1)) {
      ui.device = at.model.id_of(*first);
    }
  }
  return arrange_device_view(at.model, ui, {at.body.columns, at.body.rows});
}

void open_figure(const Model&, UiState& ui) {
  FormulaSelection& figure = ui.figure;
  if (figure.index < 0) figure.index = 0;
  if (!figure.open) figure.page_top = ui.details_top;
  figure.open = figure.follow = true;
}

/// Closes the formula, else clears the selected metric, else leaves the view.
bool leave_device(UiState& ui) {
  FormulaSelection& figure = ui.figure;
  if (figure.open) {
    figure.open = false;
    ui.details_top = figure.page_top;
    return true;
  }
  if (std::exchange(figure.index, -1) >= 0) return true;
  ui.view = ui.before_device;
  ui.details_top = 0;
  return true;
}

}  // namespace

const ViewDefinition& devices_view_definition() {
  static constexpr ViewDefinition row = {.name = "devices",
                                         .arrange = arrange_devices,
                                         .draw = draw_devices,
                                         .count = count_devices,
                                         .selected = selected_device,
                                         .select = select_device,
                                         .place = place_of_devices,
                                         .text = text_of_device,
                                         .open = open_device,
                                         .back = deselect_device};
  return row;
}

const ViewDefinition& device_view_definition() {
  static constexpr ViewDefinition row = {.name = "device",
                                         .arrange = arrange_device,
                                         .draw = draw_device_view,
                                         .count = count_devices,
                                         .selected = selected_device,
                                         .select = select_device,
                                         .place = place_of_devices,
                                         .text = text_of_device,
                                         .open = open_figure,
                                         .back = leave_device};
  return row;
}

}  // namespace drover::tui
