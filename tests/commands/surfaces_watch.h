// All surfaces agree: what the commands, the dashboard and the router's own answers say of one
// fleet at one moment, held against each other and against the devices as they are.
//
// Asked every other second, in the middle of a storm. What differs for longer than a message is
// under way is broken: "S" names two surfaces, "T" a surface and the truth, "A" an alert and what
// it is about.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/fleet_view.h"
#include "tests/simulator/doubts.h"
#include "tests/simulator/storms.h"
#include "tui/dashboard.h"

namespace drover::commands {

/// What one look of all surfaces has found, before it is known how long it has been so.
using Differences = std::map<std::string, simulator::Doubt>;

/// What the surfaces say at one moment.
struct Surfaces {
  const FleetView& fleet;        // of which `drover devices` and `drover alerts` make their rows
  const JobsReply& jobs;         // `drover jobs`
  const Summary& summary;        // `drover status`
  tui::Dashboard& dashboard;     // `drover top` and `drover frame`, with all their tables
  const router::Policy& policy;  // whose rules raise alerts
  double site_cap_w = 0;         // in force, as was published; 0: none
  Instant now{};
};

/// In surfaces_watch.cpp: of devices, jobs and sums.
void compare_surfaces(const Surfaces& at, Differences& wrong);
/// In surfaces_truth.cpp: with the devices of hosts that live, and what alerts say with what holds.
void compare_truth(const Surfaces& at, const simulator::World& world, Differences& wrong);
void compare_alerts(const Surfaces& at, Differences& wrong);

class SurfacesWatch : public simulator::Onlooker {
 public:
  void begin(simulator::World& world, const simulator::Storm& storm) override;
  void hear(Peer from, const Envelope& envelope) override;
  void look(std::vector<std::string>& broken) override;

  std::uint64_t compared() const { return compared_; }  // looks at which all had answered

 private:
  struct Answers {
    FleetView fleet;
    std::optional<JobsReply> jobs;
    std::optional<Summary> summary;
  };

  void ask();
  void pass_on();

  simulator::World* world_ = nullptr;
  const router::Policy* policy_ = nullptr;
  std::unique_ptr<tui::Dashboard> dashboard_;
  std::optional<Answers> asked_;
  Instant calm_{};  // when the last fault has ended
  Instant asked_at_ = Instant::min();
  double site_cap_w_ = 0;
  simulator::Doubts doubts_;
  std::uint64_t compared_ = 0;
};

}  // namespace drover::commands
