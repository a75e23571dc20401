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

#include "commands/query/alert_rows.h"
#include "commands/query/fleet_view.h"
#include "tests/commands/surfaces/surfaces_growth.h"
#include "tests/commands/surfaces/surfaces_heard.h"
#include "tests/commands/surfaces/surfaces_tables.h"
#include "tests/simulator/doubts.h"
#include "tests/simulator/storms.h"
#include "tui/dashboard.h"

namespace drover::commands {

/// How devices truly were in the last seconds, which the samples shown are of: their watts may
/// change several times a second.
class Lived {
 public:
  struct Watts {
    double least = 0, most = 0;
  };
  void note(const simulator::World& world);
  void hear(Instant now, const DeviceChanged& device);

  Watts power_w(const DeviceId& device) const;
  /// A fault of the device was told when its host could not be reached, or had just fallen silent.
  bool went_astray(const DeviceId& device) const;

 private:
  using Range = std::map<DeviceId, Watts>;
  Range now_, before_;  // each of `window`, the second one whole
  Instant began_ = Instant::min();
  std::map<std::string, std::vector<Instant>> cut_off_;  // hosts, at these moments
  std::map<DeviceId, Instant> faulted_;                  // when that was told last
};

/// What the surfaces say at one moment.
struct Surfaces {
  const FleetView& fleet;             // `drover devices`
  const AlertsView& alerts;           // `drover alerts`
  const JobsReply& jobs;              // `drover jobs`
  const Summary& summary;             // `drover status`
  const PolicyReply& applied;         // `drover policy show`
  const std::vector<WhyReply>& whys;  // `drover why` of some jobs that wait
  const Heard& heard;                 // what was published, as any subscriber has it
  tui::Dashboard& dashboard;          // `drover top` and `drover frame`
  const Tables& tables;               // the same, of this moment
  const router::Policy& policy;       // whose rules raise alerts
  Instant now{};
  std::uint64_t number = 0;  // of the look
};

/// What `drover devices --filter` answers. REQUIRES a filter of devices.
Ids devices_with(const Surfaces& at, const std::string& filter);
/// Whether it holds for the device by each sample that has come of it since the last look.
bool holds_between_looks(const Surfaces& at, const std::string& filter, const std::string& device);

// Of surfaces: each in the file of its name.
void compare_devices(const Surfaces& at, Differences& wrong);
void compare_hosts(const Surfaces& at, Differences& wrong);
void compare_filters(const Surfaces& at, Differences& wrong);
void compare_jobs(const Surfaces& at, Differences& wrong);
void compare_places(const Surfaces& at, Differences& wrong);
void compare_whys(const Surfaces& at, Differences& wrong);
void compare_sums(const Surfaces& at, Differences& wrong);
void compare_pools(const Surfaces& at, Differences& wrong);
void compare_decisions(const Surfaces& at, Differences& wrong);
void compare_alerts(const Surfaces& at, Differences& wrong);
void compare_rules(const Surfaces& at, Differences& wrong);
void compare_views(const Surfaces& at, Differences& wrong);
/// What alerts say, with what they are about.
void judge_alerts(const Surfaces& at, Differences& wrong);
/// With the devices of hosts that live.
void judge_by_truth(const Surfaces& at, const simulator::World& world, const Lived& lived,
                    Differences& wrong);

class SurfacesWatch : public simulator::Onlooker {
 public:
  void begin(simulator::World& world, const simulator::Storm& storm) override;
  void hear(Peer from, const Envelope& envelope) override;
  void look(std::vector<std::string>& broken) override;

  std::uint64_t compared() const { return compared_; }  // looks at which all had answered
  std::uint64_t asked_why() const { return asked_why_; }

 private:
  struct Answers {
    FleetView fleet;
    AlertsView alerts;
    JobsRequest page;               // of jobs, asked for last
    std::vector<JobChanged> pages;  // before it
    std::optional<JobsReply> jobs;
    std::optional<Summary> summary;
    std::optional<PolicyReply> policy;
    bool whole() const { return fleet.whole() && jobs && summary && policy; }
  };

  void ask();
  void take_page(const JobsReply& page);
  void pass_on();
  void compare();
  void hold_counters();
  std::vector<WhyReply> ask_why();

  simulator::World* world_ = nullptr;
  const router::Policy* policy_ = nullptr;
  std::unique_ptr<tui::Dashboard> dashboard_;
  std::unique_ptr<Heard> heard_;
  Lived lived_;
  Growth growth_;
  std::optional<Answers> asked_;
  Instant calm_{};  // when the last fault has ended
  Instant asked_at_ = Instant::min();
  std::uint64_t life_ = 0;  // of the router that was asked
  simulator::Doubts doubts_;
  std::vector<std::string> broken_;  // since the last look
  std::uint64_t compared_ = 0, asked_why_ = 0;
};

}  // namespace drover::commands
