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

#include "tests/commands/consistency/growth.h"
#include "tests/commands/consistency/published_stream_view.h"
#include "tests/commands/consistency/tables.h"
#include "tests/simulator/fault_storms.h"
#include "tests/simulator/transient_violations.h"
#include "tui/dashboard.h"
#include "tui/history/stream_subscriber.h"
#include "tui/tables/fleet_filter.h"

namespace drover::commands {

/// How devices truly were in the last seconds, which the samples shown are of: their watts may
/// change several times a second.
class Lived {
 public:
  struct Watts {
    double least = 0, most = 0;
  };
  void note(const simulator::Simulation& world);
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
struct InterfaceAnswers {
  const tui::Model& fleet;            // `drover devices` and `drover alerts`: of a snapshot
  const JobsReply& jobs;              // `drover jobs`
  const Summary& summary;             // `drover status`
  const PolicyReply& applied;         // `drover policy show`
  const std::vector<WhyReply>& whys;  // `drover why` of some jobs that wait
  const PublishedStreamView& heard;   // what was published, as any subscriber has it
  tui::Dashboard& dashboard;          // `drover top` and `drover frame`
  const Tables& tables;               // the same, of this moment
  const router::Policy& policy;       // whose rules raise alerts
  Instant now{};
  std::uint64_t number = 0;  // of the look
};

/// A device of `drover devices`.
struct DeviceAnswer {
  tui::DeviceTable::Row row = 0;
  DeviceId id;
  DeviceCondition standing;
};
std::vector<DeviceAnswer> devices_of(const InterfaceAnswers& at);
/// The alerts of `drover alerts`, by rule and subject.
std::vector<Alert> alerts_of(const InterfaceAnswers& at);
/// A table that a command makes of a snapshot, "devices" or "alerts".
tui::TableRows table_of(const InterfaceAnswers& at, std::string_view name);

/// What `drover devices --filter` answers. REQUIRES a filter of devices.
Ids devices_with(const InterfaceAnswers& at, const std::string& filter);
/// Whether it holds for the device by each sample that has come of it since the last look.
bool holds_between_looks(const InterfaceAnswers& at, const std::string& filter,
                         const std::string& device);

// Of surfaces: each in the file of its name.
void compare_devices(const InterfaceAnswers& at, Inconsistencies& wrong);
void compare_hosts(const InterfaceAnswers& at, Inconsistencies& wrong);
void compare_filters(const InterfaceAnswers& at, Inconsistencies& wrong);
void compare_jobs(const InterfaceAnswers& at, Inconsistencies& wrong);
void compare_places(const InterfaceAnswers& at, Inconsistencies& wrong);
void compare_whys(const InterfaceAnswers& at, Inconsistencies& wrong);
void compare_sums(const InterfaceAnswers& at, Inconsistencies& wrong);
void compare_pools(const InterfaceAnswers& at, Inconsistencies& wrong);
void compare_decisions(const InterfaceAnswers& at, Inconsistencies& wrong);
void compare_alerts(const InterfaceAnswers& at, Inconsistencies& wrong);
void compare_rules(const InterfaceAnswers& at, Inconsistencies& wrong);
void compare_views(const InterfaceAnswers& at, Inconsistencies& wrong);
/// What alerts say, with what they are about.
void judge_alerts(const InterfaceAnswers& at, Inconsistencies& wrong);
/// With the devices of hosts that live.
void judge_by_truth(const InterfaceAnswers& at, const simulator::Simulation& world,
                    const Lived& lived, Inconsistencies& wrong);

class ConsistencyWatch : public simulator::StormObserver {
 public:
  void begin(simulator::Simulation& world, const simulator::FaultStorm& storm) override;
  void hear(Peer from, const Envelope& envelope) override;
  void look(std::vector<std::string>& broken) override;

  std::uint64_t compared() const { return compared_; }  // looks at which all had answered
  std::uint64_t asked_why() const { return asked_why_; }

 private:
  struct Answers {
    tui::StreamSubscriber subscriber{std::chrono::seconds(1)};
    tui::Model fleet{std::chrono::seconds(1)};
    JobsRequest page;               // of jobs, asked for last
    std::vector<JobChanged> pages;  // before it
    std::optional<JobsReply> jobs;
    std::optional<Summary> summary;
    std::optional<PolicyReply> policy;
    bool whole() const { return subscriber.has_snapshot() && jobs && summary && policy; }
  };

  void ask();
  void take_page(const JobsReply& page);
  void pass_on();
  void compare();
  void hold_counters();
  std::vector<WhyReply> ask_why();

  simulator::Simulation* world_ = nullptr;
  const router::Policy* policy_ = nullptr;
  std::unique_ptr<tui::Dashboard> dashboard_;
  std::unique_ptr<PublishedStreamView> heard_;
  Lived lived_;
  Growth growth_;
  std::optional<Answers> asked_;
  Instant calm_{};  // when the last fault has ended
  Instant asked_at_ = Instant::min();
  std::uint64_t life_ = 0;  // of the router that was asked
  simulator::TransientViolations transients_;
  std::vector<std::string> broken_;  // since the last look
  std::uint64_t compared_ = 0, asked_why_ = 0;
};

}  // namespace drover::commands
