// The list of the data-plane view: a line per host and its agent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tui/model/model.h"
#include "tui/tables/fleet_filter.h"
#include "tui/tables/list_viewport.h"

namespace drover::tui {

struct HostList {
  std::optional<std::string> chosen;   // by name
  std::vector<std::uint32_t> numbers;  // indices of Model::hosts(), in the order shown
  ListViewport place;
};

/// Hosts with a device that matches the filter: worst first (lost, suspect, silent for longest),
/// then by rack and name; hosts that left come last.
std::vector<std::uint32_t> list_hosts(const Model& model, const FleetFilter& fleet_filter,
                                      Instant now);
int index_of_chosen(const Model& model, const HostList& list);

}  // namespace drover::tui
