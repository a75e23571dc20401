// Where people have said that no new work may come: words about targets, in order. Of what was said
// about a device the last word counts, so "resume host:h1" after "drain site" lets work come to
// that host, whatever else is drained.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/actions.h"
#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "fleet/target.h"
#include "router/policy/policy.h"
#include "router/roster/roster.h"

namespace drover::router {

/// One device, as targets name it.
struct DevicePlace {
  std::string_view host;
  std::string_view rack;
  std::uint16_t number = 0;
  std::vector<std::string_view> pools;
};

/// REQUIRES that the host has the device.
DevicePlace place_of(const Roster& roster, const Policy& policy, HostIndex host,
                     std::uint16_t number);
bool covers(const Target& target, const DevicePlace& place);

class DrainBook {
 public:
  struct Word {
    Target target;
    bool drained = true;
    Instant deadline = never;  // then what still runs there goes elsewhere
  };

  /// REQUIRES that the target reads.
  void say(Instant now, const SetDrain& said);
  /// The word that keeps work away from this device; null: work may come.
  const Word* over(const DevicePlace& place) const;
  /// Whether this very target is drained, whatever was said since about parts of it.
  bool names(const Target& target) const;
  /// Targets whose deadlines have passed since the last call.
  std::vector<Target> pass_deadlines(Instant now);
  /// The next one to pass; `never` when there is none.
  Instant next_deadline() const;

 private:
  std::vector<Word> words_;     // oldest first, each target once
  Instant passed_ = Instant{};  // deadlines up to here are told
};

/// The target of words that make sense: known to the roster or the policy, or drained already.
Result<Target> check_drain(const SetDrain& said, const Roster& roster, const Policy& policy,
                           const DrainBook& drains);

/// "drain, 10m for running work", "resume".
std::string action_text(const SetDrain& said);

}  // namespace drover::router
