// How the table of devices is moved in.
#include <utility>

#include "tui/state/update.h"
#include "tui/tables/device_facts.h"
#include "tui/views/view_rows.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

int count_devices(const Choices& choices) { return static_cast<int>(choices.devices.lines.size()); }

int selected_device(const Model& model, const Choices& choices) {
  const auto row = choices.device ? model.find(*choices.device) : std::nullopt;
  return row ? index_of(choices.devices, *row) : -1;
}

ScrolledRows arrange_devices(const Arrangement& at, Choices& choices) {
  const Rect list = lay_out_devices(at.body).list;
  choices.devices.columns = columns_that_fit(choices.devices.wanted, list.columns - 3);
  sort_devices(at.model, choices.narrowing, choices.devices, at.now, at.resort_every,
               choices.moved_at);
  choices.devices.place.settle(selected_device(at.model, choices), count_devices(choices),
                               list.rows - 1);
  return {};
}

void select_device(const Model& model, Choices& choices, int index, int direction) {
  const auto row = device_at(choices.devices, index, direction);
  if (!row) return;
  choices.device = model.id_of(*row);
  choices.devices.place.row = -1;
  choices.figure.follow = true;  // the same figure of another device
}

std::string text_of_device(const Model& model, const Choices& choices, int index) {
  const DeviceLine& line = choices.devices.lines[static_cast<std::size_t>(index)];
  return line.heading.empty() ? device_words(model, line.row) : std::string();
}

ListPlace* place_of_devices(Choices& choices) { return &choices.devices.place; }

void open_device(const Model&, Choices& choices) {
  if (choices.device) show_view(choices, View::device);
}

ScrolledRows arrange_device(const Arrangement& at, Choices& choices) {
  // The order in which one goes on to other devices.
  sort_devices(at.model, choices.narrowing, choices.devices, at.now, at.resort_every,
               choices.moved_at);
  if (!choices.device) {
    if (const auto first = device_at(choices.devices, 0, 1)) {
      choices.device = at.model.id_of(*first);
    }
  }
  return arrange_device_view(at.model, choices, {at.body.columns, at.body.rows});
}

void open_figure(const Model&, Choices& choices) {
  FigureChoice& figure = choices.figure;
  if (figure.index < 0) figure.index = 0;
  if (!figure.open) figure.page_top = choices.details_top;
  figure.open = figure.follow = true;
}

/// First what is behind a figure, then its selection, then the view.
bool leave_device(Choices& choices) {
  FigureChoice& figure = choices.figure;
  if (figure.open) {
    figure.open = false;
    choices.details_top = figure.page_top;
    return true;
  }
  if (std::exchange(figure.index, -1) >= 0) return true;
  choices.view = choices.before_device;
  choices.details_top = 0;
  return true;
}

}  // namespace

const ViewRow& devices_row() {
  static constexpr ViewRow row = {.name = "devices",
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

const ViewRow& device_row() {
  static constexpr ViewRow row = {.name = "device",
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
