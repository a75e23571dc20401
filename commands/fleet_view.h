// The fleet as one client knows it from a snapshot: hosts, their devices' last samples, replicas.
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

  struct Host {
    HostChanged changed;
    std::map<std::uint16_t, Sample> samples;  // by device number
    Instant sampled{};                        // the newest of them
    std::set<std::uint16_t> drained;          // device numbers
  };
  const std::map<std::string, Host>& hosts() const { return hosts_; }
  const std::map<ReplicaId, ReplicaChanged>& replicas() const { return replicas_; }

 private:
  void receive_part(const SnapshotPart& part);

  std::map<std::string, Host> hosts_;
  std::map<ReplicaId, ReplicaChanged> replicas_;
  std::optional<std::uint64_t> snapshot_;
  std::set<std::uint32_t> parts_here_;
  bool whole_ = false;
};

}  // namespace drover::commands
