// Power caps, as the devices draw: each is met within the time that the router states, or its alert
// is up.
#pragma once

#include <string>
#include <vector>

#include "simulator/world.h"
#include "tests/simulator/doubts.h"

namespace drover::simulator {

class CapWatch {
 public:
  explicit CapWatch(const World& world) : world_(world) {}

  void look(std::vector<std::string>& broken);

 private:
  /// What hosts draw that are connected and shown as well: of others the router knows nothing.
  /// Empty: of all pools.
  double drawn_w(const std::string& pool) const;

  const World& world_;
  Doubts doubts_;
  std::uint64_t life_ = 0;  // of the router
};

}  // namespace drover::simulator
