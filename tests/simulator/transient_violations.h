// What looks wrong, and for how long: a message is under way for a moment, so something is wrong
// only when it still looks wrong after a while.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fleet/base/time.h"

namespace drover::simulator {

/// One thing that looks wrong at this moment.
struct TransientViolation {
  Duration may{};       // it may look so for as long
  std::string details;  // numbers and ids, which change while the doubt is the same
};

class TransientViolations {
 public:
  /// All that looks wrong now, by what stays the same while it does. What has looked wrong for
  /// longer than it may goes to `broken`, once each such span.
  void match(Instant now, const std::map<std::string, TransientViolation>& wrong,
             std::vector<std::string>& broken) {
    std::erase_if(transients_, [&](const auto& doubt) { return !wrong.contains(doubt.first); });
    for (const auto& [what, doubt] : wrong) {
      Known& known = transients_.emplace(what, Known{now, {}}).first->second;
      known.may = doubt.may;
      if (now - known.since < doubt.may) continue;
      broken.push_back(doubt.details.empty() ? what : what + ": " + doubt.details);
      known.since = now;
    }
  }

  /// Whether something that looked wrong the last time is wrong if it stays so for this long.
  bool any_within(Duration span) const {
    return std::any_of(transients_.begin(), transients_.end(),
                       [&](const auto& doubt) { return doubt.second.may <= span; });
  }

 private:
  struct Known {
    Instant since{};
    Duration may{};
  };
  std::map<std::string, Known> transients_;
};

}  // namespace drover::simulator
