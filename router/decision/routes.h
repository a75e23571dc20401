// Where rules have fallen back to, and whether they should still be there: the memory behind
// `failback` and `spill`. A decision is given the state of its rule, and changes nothing in it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "fleet/base/time.h"
#include "fleet/reason.h"
#include "router/policy/policy_rule.h"

namespace drover::router {

struct RouteState {
  std::optional<std::size_t> fallback;  // the sticky one that fired last, by its place in the rule
  Reason reason = Reason::capacity;     // that it fired for
  Instant fell_back{};
  std::uint32_t probes = 0;  // jobs out that were let ask the wanted pools nevertheless
  bool leaving = false;      // by `spill`
};

/// What the rule's sticky fallback means for the job at hand.
enum class Hold : std::uint8_t {
  none,   // ask the wanted pools as ever
  probe,  // ask them, and tell how it ended
  held,   // go where the fallback leads
};
Hold hold_of(const Rule& rule, const RouteState* route, Instant now);

class RouteBook {
 public:
  /// Null before anything happened to the rule.
  const RouteState* find(std::string_view rule) const;

  /// A job that asked the wanted pools went by this fallback, which is sticky. A permanent reason
  /// is of that job, and says nothing of the pool for others: it changes nothing.
  void fell_back(Instant now, const std::string& rule, std::size_t fallback, Reason reason);
  void probe_began(const std::string& rule);
  /// `good`: it finished; the rule goes back to its wanted pools.
  void probe_ended(const std::string& rule, bool good);
  void set_leaving(const std::string& rule, bool leaving);
  /// A new policy: other rules.
  void clear() { routes_.clear(); }

 private:
  std::map<std::string, RouteState, std::less<>> routes_;
};

/// Dollars, joules or seconds that a place costs, waiting included, by the policy's objective.
double cost_in_objective(const Spill& spill, std::string_view objective, double start_s,
                         double finish_s, double energy_j, double cost_usd);

/// Whether leaving pays: before, when it costs less by the margin; once `leaving`, until it costs
/// more by `back`.
bool pays_to_leave(const Spill& spill, bool leaving, double stay, double leave);

}  // namespace drover::router
