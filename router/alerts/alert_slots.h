// Which subjects an alert rule shows when it has more of them than slots. Hosts share the slots,
// so that one host with thousands of devices hides no other host's alert.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/time.h"
#include "router/alerts/alerts.h"

namespace drover::router {

/// "h1" for "h1/3", "h1/r0" and "h1". Any other subject counts as a host of its own.
std::string_view host_of_subject(std::string_view subject);

struct AlertSlot {
  std::string subject;
  Instant since{};
};

struct SlotChanges {
  std::vector<std::string> leave;             // subjects that lose their slot
  std::vector<const AlertCondition*> arrive;  // the same number
};

/// Shares out full slots: each waiting condition takes a slot from a host with at least two more
/// slots than its own host, the newest first. A host that has a slot keeps one, and without
/// changes nothing moves.
SlotChanges share_slots(const std::vector<AlertSlot>& taken,
                        const std::vector<const AlertCondition*>& waiting);

}  // namespace drover::router
