// All surfaces of a fleet say the same: of each device, host, pool, replica, job and alert.
#pragma once

#include "tests/operations/look.h"

namespace drover::operations {

/// Where two of them differ; asks some more on the way (filters, `drover why`).
Complaints disagreements(const Look& look, const Stage& stage);

void compare_devices(const Look& look, Complaints& complaints);
void compare_filters(const Look& look, const Stage& stage, Complaints& complaints);
void compare_pools_and_hosts(const Look& look, Complaints& complaints);
void compare_jobs(const Look& look, Complaints& complaints);
void compare_sums(const Look& look, Complaints& complaints);
void compare_usage(const Look& look, Complaints& complaints);
void compare_reasons(const Look& look, const Stage& stage, Complaints& complaints);
void compare_alerts(const Look& look, Complaints& complaints);
void compare_classes(const Look& look, Complaints& complaints);
void compare_decisions(const Look& look, Complaints& complaints);
/// Each view shows what its tables say.
void compare_views(const Look& look, const Stage& stage, Complaints& complaints);
/// The same cells in CSV as in JSON.
void compare_csv(const Look& look, Complaints& complaints);

/// Complains unless both say the same.
void same(Complaints& complaints, const std::string& what, const std::string& one_surface,
          const std::string& one, const std::string& other_surface, const std::string& other);

/// The words of a device's state: "unusable faulty" has two.
std::set<std::string> states_in(const Json& device_row);

}  // namespace drover::operations
