// Which change removes which reason.
#include "router/explain/nearest_change.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace drover::router {
namespace {

struct ChangeRow {
  Reason reason;
  std::optional<Change> (*find)(const RejectedCandidate&);
};
/// In the order of the reports, after capacity: what passes on its own comes first.
constexpr std::array<ChangeRow, 17> changes = {{
    {Reason::cooldown, try_again},
    {Reason::thermal, cool_down},
    {Reason::queue_slo, allow_later_token},
    {Reason::deadline, wait_longer},
    {Reason::power_cap, raise_power},
    {Reason::budget, raise_budget},
    {Reason::drain, resume_replica},
    {Reason::stale_telemetry, refresh_samples},
    {Reason::unhealthy, repair_replica},
    {Reason::tenancy, raise_share},
    {Reason::precision, allow_precision},
    {Reason::memory, add_memory},
    {Reason::context, take_fewer_tokens},
    {Reason::topology, take_other_topology},
    {Reason::data, allow_transfer},
    {Reason::framework, take_other_framework},
    {Reason::op_unsupported, without_operations},
}};

const ChangeRow* change_row(Reason reason) {
  return std::find_if(changes.begin(), changes.end(),
                      [&](const ChangeRow& each) { return each.reason == reason; });
}

}  // namespace

Change change_of(double amount, std::string words, std::function<void(WhatIf&)> make) {
  Change change;
  change.amount = amount;
  change.words = std::move(words);
  change.make = std::move(make);
  return change;
}

double rounded_up(double amount, double step) {
  if (amount <= 0) return 0;
  constexpr double over = 1e-6;  // so that rounding never falls short
  return std::ceil(amount / step + over) * step;
}

double duration_rounded_up(double seconds) {
  if (seconds <= 0) return 0;
  double step = 0.001;
  for (const auto& [from_s, next] :
       {std::pair(0.999, 0.1), std::pair(9.9, 1.0), std::pair(99.0, 60.0),
        std::pair(99.0 * 60, 360.0), std::pair(9.9 * 3600, 3600.0),
        std::pair(99.0 * 3600, 86400.0)}) {
    if (seconds > from_s) step = next;
  }
  return std::ceil(seconds / step - 1e-9) * step;
}

std::size_t rank_of(Reason reason) {
  return reason == Reason::capacity
             ? 0
             : static_cast<std::size_t>(change_row(reason) - changes.begin()) + 1;
}

std::optional<Change> smallest_change(const RejectedCandidate& rejected, Reason reason) {
  const ChangeRow* row = change_row(reason);
  if (row == changes.end()) return std::nullopt;
  auto change = row->find(rejected);
  if (change) change->reason = reason;
  return change;
}

}  // namespace drover::router
