// The families of `/metrics` that are not about single devices or hosts, in the order of the page:
// jobs, decisions and the ledger's totals; then pools, power, cost, alerts and telemetry.
#pragma once

#include <cstdint>
#include <span>

#include "commands/metrics/page/family.h"
#include "commands/metrics/page/family_text.h"
#include "commands/metrics/page/fleet_metrics.h"

namespace drover::commands {

struct TotalFamily {
  Family family;
  void (*write)(const FleetMetrics& fleet, FamilyText& text);
};
std::span<const TotalFamily> work_totals();
std::span<const TotalFamily> fleet_totals();

inline double number(std::uint64_t count) { return static_cast<double>(count); }

/// One number of the Summary.
template <auto member>
void of_summary(const FleetMetrics& fleet, FamilyText& text) {
  if (fleet.summary()) text.series(static_cast<double>((*fleet.summary()).*member));
}

}  // namespace drover::commands
