// The fleet as one client knows it from a snapshot: hosts, their devices' last samples, what they
// run, what stands against them.
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
  /// Snapshot parts and published messages; others are passed over.
  void receive(const Envelope& envelope);

  /// All parts of one snapshot are here.
  bool whole() const { return whole_; }
  /// Every host that is not gone has reported at least one sample.
  bool sampled() const;

  struct PlacedJob {
    std::string model;
    std::string tenant;
    std::string place;  // its devices or replica on this host, as fleet/placement.h reads them
    Pause pause = Pause::none;
  };
  struct Host {
    HostChanged changed;
    std::map<std::uint16_t, Sample> samples;            // by device number
    std::map<std::uint16_t, Instant> sampled;           // when each of these was true
    std::map<std::uint16_t, DeviceChanged> conditions;  // of devices that are not as they should be
    std::map<JobId, PlacedJob> jobs;                    // that it runs, whole or in part
  };
  const std::map<std::string, Host>& hosts() const { return hosts_; }
  const std::map<ReplicaId, ReplicaChanged>& replicas() const { return replicas_; }
  /// How old a sample may be and still tell how its device is now, as the policy in force says;
  /// `otherwise` until that is known.
  double stale_after_s(double otherwise) const {
    return stale_after_s_ > 0 ? stale_after_s_ : otherwise;
  }
  /// Rules of raised alerts by subject: a host, a device, a pool.
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
