// Fleets, policies and waiting jobs drawn from a seed, and what an operator, an agent or time does
// to them. The same seed makes the same fleet.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "router/explain/explain.h"
#include "tests/router/decision_fixture.h"

namespace drover::router {

/// So many bytes more in each device of this host.
struct MoreMemory {
  std::string host;
  double bytes = 0;
};

class RandomFleet : public DecisionFixture {
 public:
  explicit RandomFleet(std::uint64_t seed, const MoreMemory& more = {});

  PlacementRequest ask() const;
  bool places() { return decide(ask()).place.has_value(); }
  std::vector<NearestFit> nearest() {
    return nearest_fits(fleet_state, policy, estimator, ask(), now, wait);
  }

  // What may happen to it.
  void pass(double seconds);
  void leave(const std::string& replica);
  void drop_job(const JobId& kept_for);
  void end(const std::string& short_id);
  void resume(const std::string& target);
  void revive(const std::string& host);
  void mend(const std::string& device);
  void hear(const std::string& host);
  void cool(const std::string& host);
  void outlier(const std::string& target);
  void relieve(const std::string& replica, int requests, double tokens);
  void make_ready(const std::string& replica);
  void enlarge(const std::string& replica, double bytes);
  /// As the router would load it; false: nowhere.
  bool load();

  Job job;
  WaitState wait;
  std::set<std::string> avoid;
  double tenant_devices_max = 0;

 private:
  struct Gang {
    JobId job;
    HostIndex host;
    std::vector<std::uint16_t> devices;
    Instant until;
  };
  struct Served {
    ReplicaIndex replica;
    std::uint64_t tokens;
  };

  bool draw(double chance) { return random_.chance(chance * trouble_); }
  HostIndex add(const std::string& name, const std::string& device, std::uint16_t count,
                const MoreMemory& more);
  void draw_pools();
  void draw_limits();
  void draw_fallbacks(Rule& rule);
  void draw_network();
  void draw_state(HostIndex host);
  void draw_replica(HostIndex host, std::uint16_t device);
  void draw_gangs(HostIndex host);
  void draw_reservation(HostIndex host);
  void draw_job();
  void draw_training();
  void sample_all();
  void sample_host(HostIndex host);
  ReplicaIndex find(const std::string& replica) const;
  HostIndex host_of(const std::string& target) const;

  RandomStream random_;
  double trouble_;  // of how much it has, so that often one thing alone stands in the way
  FailbackState route_;
  std::vector<Gang> gangs_;
  std::vector<Served> served_;
  std::set<HostIndex> silent_, hot_;
};

}  // namespace drover::router
