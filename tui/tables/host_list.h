// The data plane's list: a line per host and its agent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tui/model/model.h"
#include "tui/tables/list_place.h"
#include "tui/tables/narrowing.h"

namespace drover::tui {

struct HostList {
  std::optional<std::string> chosen;   // by name
  std::vector<std::uint32_t> numbers;  // in Model::hosts(), in the order shown
  ListPlace place;
};

/// Hosts that the filter leaves any device of: the worst first (lost, suspect, silent for longest)
/// and those that left last, then by rack and name.
std::vector<std::uint32_t> list_hosts(const Model& model, const Narrowing& narrowing, Instant now);
int index_of_chosen(const Model& model, const HostList& list);

}  // namespace drover::tui
