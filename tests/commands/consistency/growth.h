// What only grows, over all lives of the router.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fleet/text/json.h"

namespace drover::commands {

class Growth {
 public:
  /// Holds a number against the most that it was; adds a line to `broken` where it is less.
  void hold(const std::string& name, double value, std::vector<std::string>& broken);
  /// The counters of `drover status --json`.
  void hold_status(const Json& status, std::vector<std::string>& broken);

 private:
  std::map<std::string, double> most_;
};

}  // namespace drover::commands
