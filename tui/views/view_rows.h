// The row of each view in the table of views (tui/state/view_table.h).
#pragma once

#include "tui/state/view_table.h"

namespace drover::tui {

const ViewRow& fleet_row();
const ViewRow& devices_row();
const ViewRow& device_row();
const ViewRow& jobs_row();
const ViewRow& routing_row();
const ViewRow& power_row();
const ViewRow& events_row();
const ViewRow& data_plane_row();
const ViewRow& help_row();

}  // namespace drover::tui
