// The devices of one host and all that runs on them: which device belongs to which replica or gang,
// how much of its memory is taken, what it is doing, when something ends. A device serves one
// replica or one gang at a time.
//
// Each change of the work sets the activity of its devices on the chassis; each change of a
// device's pace (clock steps near a limit) re-bases the work that runs on it, exactly.
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
#include "agents/execution/faults.h"
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
           const Dice& dice, Instant start);

  // All calls with `now` REQUIRE that advance() was called for every next_event() before it.

  /// Takes the attempt, or says why not. REQUIRES that no attempt of this key is held.
  std::optional<Refusal> serve(Instant now, const Assign& assign);
  std::optional<Refusal> train(Instant now, const Assign& assign, const devices::ModelSpec& model);
  /// Ends the attempt with this reason; silently without a word. False when it is not held.
  bool cancel(Instant now, const AttemptKey& key, Reason reason, bool silent = false);
  /// Ends everything that runs; loaded models stay.
  void stop_all(Instant now, Reason reason, const std::string& detail);

  /// Starts to load; a replica that cannot be is reported gone at once. Warm: it is ready.
  /// REQUIRES !replica(start.number).
  void start_replica(Instant now, const StartReplica& start, const devices::ModelSpec& model,
                     bool warm);
  /// False when there is none of this number.
  bool retire_replica(Instant now, std::uint32_t number);

  /// Of a gang over hosts: what a step of the whole takes from now on; 0: stand still. Nothing
  /// happens when the attempt is not held.
  void set_gang_step(Instant now, const AttemptKey& key, double step_s);
  /// Of all parts of gangs over hosts.
  std::vector<MemberPace> member_paces() const;

  void set_power_cap(Instant now, std::uint16_t device, double cap_w);

  /// What faults come to now, for every device in order. Devices that become unusable are reported,
  /// and all that runs on them ends; those that are usable again are reported too.
  void set_conditions(Instant now, const std::vector<Condition>& conditions);
  void set_inlet(Instant now, double inlet_c);
  void set_airflow(Instant now, double share);
  /// All that runs on the device ends for this reason; a replica on it is gone.
  void fail_work(Instant now, std::uint16_t device, Reason reason, const std::string& detail);
  /// Everything ends without a word, loaded models too.
  void drop_all(Instant now);

  Instant next_event() const { return std::min(chassis_.next_event(), next_end()); }
  /// REQUIRES now <= next_event().
  void advance(Instant now);

  /// Since the last call, in order: attempts that ended, replicas whose state changed or that begin
  /// or end to compile a shape, devices that
  /// can be used no longer or again, paces of parts of gangs that changed.
  using Change = std::variant<EndedAttempt, Replica, DeviceReport, MemberPace>;
  std::vector<Change> take_changes();

  bool holds(const AttemptKey& key) const { return held_.contains(key); }
  /// The running attempts, and of one job.
  std::vector<AttemptKey> held() const;
  std::optional<std::uint32_t> attempt_of(const JobId& job) const;
  std::vector<Replica> replicas() const;
  std::optional<Replica> replica(std::uint32_t number) const;
  /// Of training gangs and attempts of many items.
  std::vector<Progress> progress(Instant now) const;
  std::optional<std::uint32_t> replica_on(std::uint16_t device) const;
  /// The training whose gang holds it.
  std::optional<JobId> gang_on(std::uint16_t device) const;
  /// Nothing was given to it.
  bool free(std::uint16_t device) const { return std::holds_alternative<Free>(owners_[device]); }
  /// What its driver says of a device now.
  DeviceReport report(std::uint16_t device) const;
  /// Nobody sees it: it has no samples.
  bool off_bus(std::uint16_t device) const { return conditions_[device].off_bus; }
  /// The truth about one device, with its queue and running requests.
  Sample reading(Instant now, std::uint16_t device) const;
  /// What its sensors publish, with the same.
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
  Meter meter(Instant now, const std::vector<std::uint16_t>& devices) const;
  double slowest(const std::vector<std::uint16_t>& devices) const;
  std::optional<Refusal> refuse_devices(const std::vector<std::uint16_t>& devices) const;
  void own(const std::vector<std::uint16_t>& devices, const Owner& owner);
  template <typename Work>
  void apply(Instant now, Work& work, const std::vector<std::uint16_t>& devices);
  void release(Instant now, const std::vector<std::uint16_t>& devices);

  /// After anything happened to a replica: its ended attempts, its state, its devices' activity.
  void settle(Instant now, ReplicaEngine& engine, ReplicaState before);
  MemberPace own_pace(const TrainingGang& gang) const;
  void tell_pace(TrainingGang& gang);
  void end_gang(Instant now, Gangs::iterator gang, EndedAttempt ended, bool silent);
  void repace(Instant now, const std::vector<std::size_t>& changed);
  double link_share(const std::vector<std::uint16_t>& devices) const;
  bool any_hung(const std::vector<std::uint16_t>& devices) const;
  devices::Activity hanging(const devices::Activity& wanted, std::uint16_t device) const;
  void tell_free(Instant now, std::uint16_t device);
  void shut_down(Instant now, std::uint16_t device);
  void add_work(Sample& sample, std::uint16_t device) const;

  std::string host_;
  std::vector<Device> devices_;
  std::vector<Owner> owners_;
  std::vector<Condition> conditions_;
  std::vector<bool> shut_down_told_;
  devices::Chassis chassis_;
  Replicas replicas_;
  Gangs gangs_;
  std::uint64_t next_gang_ = 1;
  std::map<AttemptKey, Owner> held_;
  std::vector<Change> changes_;
};

}  // namespace drover::agents
