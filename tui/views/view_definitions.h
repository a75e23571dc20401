// The row of each view in the table of views (tui/state/view_table.h).
#pragma once

#include "tui/state/view_table.h"

namespace drover::tui {

const ViewDefinition& fleet_view_definition();
const ViewDefinition& devices_view_definition();
const ViewDefinition& device_view_definition();
const ViewDefinition& jobs_view_definition();
const ViewDefinition& routing_view_definition();
const ViewDefinition& power_view_definition();
const ViewDefinition& events_view_definition();
const ViewDefinition& data_plane_view_definition();
const ViewDefinition& help_view_definition();

}  // namespace drover::tui
