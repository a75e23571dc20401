// The smallest change that would take away what stands against a place, and how it is made.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fleet/reason.h"
#include "router/decision/decide_candidates.h"
#include "router/explain/freeing.h"
#include "router/explain/trial.h"

namespace drover::router {

/// One row that filters reject.
struct Missed {
  const Question& question;
  const Standings& rows;
  std::size_t row;
  const PlaceKind& kind;
  const std::vector<KeptDevices>& kept;
};

struct Change {
  Reason reason = Reason::capacity;
  double amount = 0;  // in its own unit; what is told of it is no less
  std::string words;
  bool by_itself = false;            // it happens without anyone acting
  std::function<void(Trial&)> make;  // holds no reference to the row
};

/// What would make this filter's reason no reason any more; nothing: no change of one kind would.
std::optional<Change> smallest_change(const Missed& missed, Reason reason);

/// The devices of the row, a group's or those of a gang over hosts, made free, resumed and mended
/// as far as it takes.
std::optional<Change> freeing_change(const Missed& missed);
/// Of a gang over hosts, or a group: only time.
std::optional<Change> waiting_change(const Missed& missed);
/// Of a replica without room, or not yet ready.
std::optional<Change> relieving_change(const Missed& missed);

/// Up to what is shown of it, so that as much as is told is enough.
double rounded_up(double amount, double step);
double duration_rounded_up(double seconds);

}  // namespace drover::router
