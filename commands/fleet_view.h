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
#include "fleet/sample.h"

namespace drover::commands {

class FleetView {
 public:
  /// Snapshot parts and published messages; others are passed over.
  void receive(const Envelope& envelope);

  /// All parts of one snapshot are here.
  bool whole() const { return whole_; }
  /// Every host that is not lost has reported at least one sample.
  bool sampled() const;

  struct PlacedJob {
    std::string model;
    std::string tenant;
    std::string place;  // its devices or replica on this host, as fleet/placement.h reads them
  };
  struct Host {
    HostChanged changed;
    std::map<std::uint16_t, Sample> samples;            // by device number
    Instant sampled{};                                  // the newest of them
    std::map<std::uint16_t, DeviceChanged> conditions;  // of devices that are not as they should be
    std::map<JobId, PlacedJob> jobs;                    // that it runs, whole or in part

    bool drained(std::uint16_t device) const;
  };
  const std::map<std::string, Host>& hosts() const { return hosts_; }
  const std::map<ReplicaId, ReplicaChanged>& replicas() const { return replicas_; }
  /// Rules of raised alerts by subject: a host, a device, a pool.
  const std::map<std::string, std::set<std::string>>& alerts() const { return alerts_; }

 private:
  void receive_part(const SnapshotPart& part);
  void receive_batch(const Envelope& envelope, const SampleBatch& batch);
  void receive_device(const DeviceChanged& device);
  void receive_job(const JobChanged& job);
  void receive_alert(const Alert& alert);

  std::map<std::string, Host> hosts_;
  std::map<ReplicaId, ReplicaChanged> replicas_;
  std::map<JobId, std::string> targets_;  // of jobs that run
  std::map<std::string, std::set<std::string>> alerts_;
  std::optional<std::uint64_t> snapshot_;
  std::set<std::uint32_t> parts_here_;
  bool whole_ = false;
};

}  // namespace drover::commands
