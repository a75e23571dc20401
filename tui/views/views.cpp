#include "tui/views/views.h"

#include <array>

#include "fleet/base/enum_tables.h"

namespace drover::tui {
namespace {

template <auto member>
View& of(Views& views) {
  return views.*member;
}

struct ViewRow {
  ViewId id;
  View& (*of)(Views& views);
};

constexpr std::array<ViewRow, view_count> view_table = {{
    {ViewId::fleet, of<&Views::fleet>},
    {ViewId::devices, of<&Views::devices>},
    {ViewId::device, of<&Views::device>},
    {ViewId::jobs, of<&Views::jobs>},
    {ViewId::routing, of<&Views::routing>},
    {ViewId::power, of<&Views::power>},
    {ViewId::events, of<&Views::events>},
    {ViewId::data_plane, of<&Views::data_plane>},
    {ViewId::help, of<&Views::help>},
}};

// A missing row has the number of the first view.
static_assert(is_in_order(view_table, &ViewRow::id));

}  // namespace

View& Views::shown() { return view_table[static_cast<std::size_t>(ui.view)].of(*this); }

void Views::show(ViewId view) {
  if (view == ViewId::help && ui.view != ViewId::help) ui.before_help = ui.view;
  if (view == ViewId::device && ui.view != ViewId::device) {
    ui.before_device = ui.view == ViewId::help ? ViewId::devices : ui.view;
  }
  ui.view = view;
  ui.details_top = 0;
  device.forget_figure();
}

void Views::forget_layout() {
  for (const ViewRow& row : view_table) row.of(*this).forget_layout();
}

}  // namespace drover::tui
