// The fleet as a client knows it from a snapshot and published messages: hosts, the last samples of
// their devices, jobs, replicas and alerts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fleet/messages.h"
#include "fleet/sample/sample.h"

namespace drover::commands {

class FleetView {
 public:
  /// Applies snapshot parts and published messages; ignores others.
  void receive(const Envelope& envelope);

  /// All parts of a snapshot have arrived.
  bool whole() const { return whole_; }
  /// Every host that is not gone has reported at least one sample.
  bool all_hosts_sampled() const;

  struct PlacedJob {
    std::string model;
    std::string tenant;
    std::string place;  // its devices or replica on this host, as fleet/job_target.h reads them
    Pause pause = Pause::none;
  };
  struct Host {
    HostChanged changed;
    std::map<std::uint16_t, Sample> samples;            // by device number
    std::map<std::uint16_t, Instant> sampled;           // the time of each of these
    std::map<std::uint16_t, DeviceChanged> conditions;  // of unusable, faulty or drained devices
    std::map<JobId, PlacedJob> jobs;                    // that run on it, completely or in part
  };
  const std::map<std::string, Host>& hosts() const { return hosts_; }
  const std::map<ReplicaId, ReplicaChanged>& replicas() const { return replicas_; }
  /// The replicas that use the device, in order of their numbers.
  std::vector<const Replica*> replicas_on(const DeviceId& device) const;
  /// The age at which a sample is stale, from the policy in force; `otherwise` until it is known.
  double stale_after_s(double otherwise) const {
    return stale_after_s_ > 0 ? stale_after_s_ : otherwise;
  }
  /// The rules of raised alerts, by subject: a host, a device, a pool.
  const std::map<std::string, std::set<std::string>>& alerts() const { return alerts_; }

 private:
  void receive_part(const SnapshotPart& part);
  void receive_batch(const Envelope& envelope, const SampleBatch& batch);
  void receive_device(const DeviceChanged& device);
  void receive_job(const JobChanged& job);
  void receive_alert(const Alert& alert);
  void forget_host(const std::string& name);

  std::map<std::string, Host> hosts_;
  std::map<ReplicaId, ReplicaChanged> replicas_;
  std::map<JobId, std::string> targets_;  // of jobs that run
  std::map<std::string, std::set<std::string>> alerts_;
  std::optional<std::uint64_t> snapshot_;
  std::set<std::uint32_t> parts_here_;
  double stale_after_s_ = 0;
  bool whole_ = false;
};

}  // namespace drover::commands
