// Applies a filter to rows of devices.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "commands/query/device_rows.h"
#include "commands/query/fleet_view.h"
#include "fleet/filter/filter.h"
#include "tui/model/specs.h"

namespace drover::commands {

class DeviceFilter {
 public:
  explicit DeviceFilter(filter::Filter filter) : filter_(std::move(filter)) {}

  /// Removes the rows that do not match. REQUIRES rows of this fleet.
  void narrow(std::vector<DeviceRow>& rows, const FleetView& fleet);

 private:
  const tui::SpecRow& spec_of(const DeviceRow& row);

  filter::Filter filter_;
  /// By text, so that each text is parsed once.
  std::map<std::string, tui::SpecRow, std::less<>> specs_;
};

}  // namespace drover::commands
