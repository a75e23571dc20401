// The devices of one host and all work on them: which replica or gang holds each device, its
// memory in use, its activity, and when work ends. A device serves one replica or one gang at a
// time.
//
// Each change of the work sets the activity of its devices on the chassis; each change of a
// device's pace (clock steps near a limit) re-bases its work exactly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agents/execution/attempt.h"
#include "agents/execution/fault_state.h"
#include "agents/execution/replica.h"
#include "agents/execution/training.h"
#include "devices/board/chassis.h"
#include "fleet/messages.h"

namespace drover::agents {

class Executor {
 public:
  struct Device {
    const devices::DeviceSpec* spec = nullptr;  // must outlive the executor
    std::uint16_t group = 0;
  };

  Executor(std::string host, std::vector<Device> devices, devices::Ambient ambient,
           const RandomStream& random, Instant start);

  // All calls with `now` REQUIRE that advance() was called for every next_event() before it.

  /// Accepts the attempt, or returns why not. REQUIRES that no attempt of this key is held.
  std::optional<Refusal> serve(Instant now, const Assign& assign);
  std::optional<Refusal> train(Instant now, const Assign& assign, const devices::ModelSpec& model);
  /// Ends the attempt with this reason. `silent`: its end is not reported. Returns false if the
  /// attempt is not held.
  bool cancel(Instant now, const AttemptKey& key, Reason reason, bool silent = false);
  /// Ends everything that runs; loaded models stay.
  void stop_all(Instant now, Reason reason, const std::string& detail);

  /// Starts to load; a replica that cannot be loaded is reported gone at once. Warm: it is ready
  /// at once. REQUIRES !replica(start.number).
  void start_replica(Instant now, const StartReplica& start, const devices::ModelSpec& model,
                     bool warm);
  /// False: there is no replica of this number.
  bool retire_replica(Instant now, std::uint32_t number);

  /// Multi-host gang: sets the gang's step time from now on; 0: paused. Does nothing when the
  /// attempt is not held.
  void set_gang_step(Instant now, const AttemptKey& key, double step_s);
  /// Step times of this host's parts of multi-host gangs.
  std::vector<MemberStepTime> member_step_times() const;

  void set_power_cap(Instant now, std::uint16_t device, double cap_w);

  /// Applies the combined fault effects, one per device in order. Devices that become unusable are
  /// reported, and their work ends; devices that are usable again are reported too.
  void set_fault_effects(Instant now, const std::vector<FaultEffect>& effects);
  void set_inlet(Instant now, double inlet_c) { chassis_.set_inlet(now, inlet_c); }
  void set_airflow(Instant now, double share) { chassis_.set_airflow(now, share); }
  /// Ends all work on the device for this reason; a replica on it is gone.
  void fail_work(Instant now, std::uint16_t device, Reason reason, const std::string& detail);
  /// Drops all work and loaded models without reports.
  void drop_all(Instant now);

  Instant next_event() const { return std::min(chassis_.next_event(), next_end()); }
  /// REQUIRES now <= next_event().
  void advance(Instant now);

  /// Changes since the last call, in order: ended attempts, replicas whose state changed or that
  /// start or end a compilation, devices that became unusable or usable, and changed step times of
  /// parts of gangs.
  using Change = std::variant<EndedAttempt, Replica, DeviceReport, MemberStepTime>;
  std::vector<Change> take_changes();

  bool holds(const AttemptKey& key) const { return held_.contains(key); }
  /// The running attempts; `attempt_of`: that of one job.
  std::vector<AttemptKey> held() const;
  std::optional<std::uint32_t> attempt_of(const JobId& job) const;
  std::vector<Replica> replicas() const;
  std::optional<Replica> replica(std::uint32_t number) const;
  /// Progress of training gangs and of attempts with many items.
  std::vector<Progress> progress(Instant now) const;
  std::optional<std::uint32_t> replica_on(std::uint16_t device) const;
  /// The training job whose gang holds the device.
  std::optional<JobId> gang_on(std::uint16_t device) const;
  /// The replica or gang that holds the device; nothing: it is free.
  std::optional<DeviceWork> work_on(std::uint16_t device) const;
  /// Whether nothing holds the device.
  bool free(std::uint16_t device) const { return std::holds_alternative<Free>(owners_[device]); }
  /// What the driver reports about the device now.
  DeviceReport report(std::uint16_t device) const;
  /// Whether the device is not visible: it has no samples.
  bool off_bus(std::uint16_t device) const { return fault_effects_[device].off_bus; }
  /// True values of one device, with its queue and running requests.
  Sample reading(Instant now, std::uint16_t device) const;
  /// Values that its sensors publish, with the same.
  Sample published(Instant now, std::uint16_t device) const;
  const devices::Chassis& chassis() const { return chassis_; }

 private:
  using Gangs = std::map<std::uint64_t, TrainingGang>;
  using Replicas = std::map<std::uint32_t, std::unique_ptr<ReplicaEngine>>;
  struct Free {};
  struct ByReplica {
    std::uint32_t number = 0;
  };
  struct ByGang {
    std::uint64_t number = 0;
  };
  using Owner = std::variant<Free, ByReplica, ByGang>;

  Instant next_end() const;
  EnergyReading energy_reading(Instant now, const std::vector<std::uint16_t>& devices) const;
  double slowest(const std::vector<std::uint16_t>& devices) const;
  std::optional<Refusal> refuse_devices(const std::vector<std::uint16_t>& devices) const;
  void own(const std::vector<std::uint16_t>& devices, const Owner& owner);
  template <typename Work>
  void apply(Instant now, Work& work, const std::vector<std::uint16_t>& devices);
  void release(Instant now, const std::vector<std::uint16_t>& devices);

  /// After any change of a replica: collects its ended attempts, its state, and its devices'
  /// activity.
  void settle(Instant now, ReplicaEngine& engine, ReplicaState before);
  MemberStepTime own_step_time(const TrainingGang& gang) const;
  void report_step_time(TrainingGang& gang);
  void end_gang(Instant now, Gangs::iterator gang, EndedAttempt ended, bool silent = false);
  void stop_gang(Instant now, Gangs::iterator gang, Reason reason, const std::string& detail,
                 bool silent = false);
  void repace(Instant now, const std::vector<std::size_t>& changed);
  double link_share(const std::vector<std::uint16_t>& devices) const;
  bool any_hung(const std::vector<std::uint16_t>& devices) const;
  devices::Activity hung_activity(const devices::Activity& healthy, std::uint16_t device) const;
  void set_free_activity(Instant now, std::uint16_t device);
  void shut_down(Instant now, std::uint16_t device);
  void add_work(Sample& sample, std::uint16_t device) const;

  std::string host_;
  std::vector<Device> devices_;
  std::vector<Owner> owners_;
  std::vector<FaultEffect> fault_effects_;
  std::vector<bool> shut_down_reported_;
  devices::Chassis chassis_;
  Replicas replicas_;
  Gangs gangs_;
  std::uint64_t next_gang_ = 1;
  std::map<AttemptKey, Owner> held_;
  std::vector<Change> changes_;
};

}  // namespace drover::agents
