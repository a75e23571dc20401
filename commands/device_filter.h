// Filters over rows of devices: which of them a filter holds for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "commands/device_rows.h"
#include "commands/fleet_view.h"
#include "fleet/filter.h"
#include "fleet/time.h"
#include "tui/spec_text.h"

namespace drover::commands {

class DeviceFilter {
 public:
  /// `stale_after`: a sample that is older makes its device stale.
  DeviceFilter(filter::Filter filter, Duration stale_after);

  /// Removes the rows that it does not hold for. REQUIRES they are of this fleet.
  void narrow(std::vector<DeviceRow>& rows, const FleetView& fleet);

 private:
  const tui::SpecRow& spec_of(const DeviceRow& row);

  filter::Filter filter_;
  double stale_after_s_;
  std::map<std::string, tui::SpecRow> specs_;  // by id: a spec's text is read once
};

}  // namespace drover::commands
