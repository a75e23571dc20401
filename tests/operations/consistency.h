// All surfaces of a fleet say the same: of each device, host, pool, replica, job and alert.
#pragma once

#include "tests/operations/look.h"

namespace drover::operations {

/// Where two of them differ; asks some more on the way (filters, `drover why`).
Mismatches disagreements(const FleetSnapshot& look, const FleetProcesses& stage);

void compare_devices(const FleetSnapshot& look, Mismatches& complaints);
void compare_filters(const FleetSnapshot& look, const FleetProcesses& stage,
                     Mismatches& complaints);
void compare_pools_and_hosts(const FleetSnapshot& look, Mismatches& complaints);
void compare_jobs(const FleetSnapshot& look, Mismatches& complaints);
void compare_sums(const FleetSnapshot& look, Mismatches& complaints);
void compare_usage(const FleetSnapshot& look, Mismatches& complaints);
void compare_reasons(const FleetSnapshot& look, const FleetProcesses& stage,
                     Mismatches& complaints);
void compare_alerts(const FleetSnapshot& look, Mismatches& complaints);
void compare_classes(const FleetSnapshot& look, Mismatches& complaints);
void compare_decisions(const FleetSnapshot& look, Mismatches& complaints);
/// Each view shows what its tables say.
void compare_views(const FleetSnapshot& look, const FleetProcesses& stage, Mismatches& complaints);
/// The same cells in CSV as in JSON.
void compare_csv(const FleetSnapshot& look, Mismatches& complaints);

/// Complains unless both say the same.
void same(Mismatches& complaints, const std::string& what, const std::string& one_surface,
          const std::string& one, const std::string& other_surface, const std::string& other);

/// The words of a device's state: "unusable faulty" has two.
std::set<std::string> states_in(const Json& device_row);

/// With blanks between the words.
std::string joined(const std::set<std::string>& words);
/// The items of a list; none for null.
std::set<std::string> items_of(const Json& list);

}  // namespace drover::operations
