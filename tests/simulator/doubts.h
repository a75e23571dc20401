// What looks wrong, and for how long: news is under way for a moment, so it is wrong when it still
// looks the same after a while.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fleet/time.h"

namespace drover::simulator {

class Doubts {
 public:
  /// All that looks wrong at this moment, each with how long it may. What has for longer goes to
  /// `broken`, once each such span.
  void see(Instant now, const std::map<std::string, Duration>& wrong,
           std::vector<std::string>& broken) {
    std::erase_if(since_, [&](const auto& doubt) { return !wrong.contains(doubt.first); });
    for (const auto& [what, may] : wrong) {
      Instant& since = since_.emplace(what, now).first->second;
      if (now - since < may) continue;
      broken.push_back(what);
      since = now;
    }
  }

 private:
  std::map<std::string, Instant> since_;
};

}  // namespace drover::simulator
