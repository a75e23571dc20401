// Which subjects an alert rule shows when there are more than it has places for. Hosts share the
// places, so that one host with thousands of devices hides no other host's alert.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/time.h"
#include "router/alerts/alerts.h"

namespace drover::router {

/// "h1" of "h1/3", "h1/r0" and "h1". Any other subject counts as a host of its own.
std::string_view host_of_subject(std::string_view subject);

struct AlertPlace {
  std::string subject;
  Instant since{};
};

struct PlaceChanges {
  std::vector<std::string> leave;       // subjects that had a place
  std::vector<const Sighting*> arrive;  // as many
};

/// All places are taken and `waiting` want one. Each gets that of a host with at least two more
/// than its own host has, the newest first; so a host that has one keeps one, and when nothing
/// changes, nobody moves.
PlaceChanges share_places(const std::vector<AlertPlace>& taken,
                          const std::vector<const Sighting*>& waiting);

}  // namespace drover::router
