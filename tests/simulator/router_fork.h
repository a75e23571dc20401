// A router like the world's at this moment, which may be asked and told things that the world never
// hears of.
#pragma once

#include <cstdint>
#include <memory>

#include "simulator/simulation.h"

namespace drover::simulator {

class RouterFork {
 public:
  /// Fed all that the world's router has heard in its present life. REQUIRES a world that keeps its
  /// journal, of this scenario, and a router in it.
  RouterFork(const Simulation& world, const Scenario& scenario,
             const devices::Catalogue& catalogue);

  /// A client says so.
  void tell(Message message);
  /// Time passes, and the disk takes what is written; no host says anything.
  void run_for(Duration span);
  WhyReply why(const JobId& job) { return router_->why(now_, to_text(job)); }
  Instant now() const { return now_; }

 private:
  void turn();

  std::unique_ptr<router::Router> router_;
  Instant now_;
  std::uint64_t sequence_ = 0;
};

}  // namespace drover::simulator
