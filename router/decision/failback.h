// Where rules have fallen back to and whether they should still be there: the state behind
// `failback` and `spill`. A decision reads its rule's state and does not change it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "fleet/base/time.h"
#include "fleet/reason.h"
#include "router/policy/rule.h"

namespace drover::router {

struct FailbackState {
  std::optional<std::size_t> fallback;  // last sticky fallback that applied, by index in the rule
  Reason reason = Reason::capacity;     // its reason
  Instant fell_back{};
  std::uint32_t probes = 0;  // running jobs that were allowed to try the preferred pools
  bool leaving = false;      // jobs leave by `spill`
};

/// What the rule's sticky fallback means for this job.
enum class FailbackPhase : std::uint8_t {
  none,   // try the preferred pools as usual
  probe,  // try them, and report how it ended
  held,   // go where the fallback leads
};
FailbackPhase failback_phase(const Rule& rule, const FailbackState* route, Instant now);

class FailbackTable {
 public:
  /// The rule's state; null before its first fallback.
  const FailbackState* find(std::string_view rule) const;

  /// A job that tried the preferred pools took this sticky fallback. A permanent reason is
  /// specific to that job and changes nothing for others.
  void fell_back(Instant now, const std::string& rule, std::size_t fallback, Reason reason);
  void probe_began(const std::string& rule);
  /// `good`: it finished; the rule returns to its preferred pools.
  void probe_ended(const std::string& rule, bool good);
  void set_leaving(const std::string& rule, bool leaving);
  /// Clears all state, for a new policy.
  void clear() { routes_.clear(); }

 private:
  std::map<std::string, FailbackState, std::less<>> routes_;
};

/// Cost of a placement in dollars, joules or seconds, by the policy's objective, waiting included.
double cost_in_objective(const Spill& spill, std::string_view objective, double start_s,
                         double finish_s, double energy_j, double cost_usd);

/// Whether leaving pays: it starts when leaving costs less by `margin`; once `leaving`, it
/// continues until it costs more by `back`.
bool pays_to_leave(const Spill& spill, bool leaving, double stay, double leave);

}  // namespace drover::router
