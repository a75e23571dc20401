// What is known about the selected line of the events view.
#pragma once

#include <string>
#include <vector>

#include "fleet/base/time.h"
#include "tui/panels/detail_lines.h"
#include "tui/tables/fleet_filter.h"
#include "tui/tables/log_list.h"

namespace drover::tui {

struct LogDetails {
  std::string title, note;
  std::vector<DetailLine> lines;

  int rows() const { return title.empty() ? 0 : 1 + static_cast<int>(lines.size()); }
};

/// The whole text, all subjects, the alert's rule, and how the fleet was at that moment, in lines
/// of at most `columns`.
LogDetails log_details(const Model& model, const FleetFilter& fleet_filter, Instant now,
                       const LogLine& line, int columns);

}  // namespace drover::tui
