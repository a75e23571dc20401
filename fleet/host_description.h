// A host with its devices and replicas, as its agent registers it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/actions.h"
#include "fleet/base/identity.h"
#include "fleet/base/time.h"
#include "fleet/job.h"
#include "fleet/workload.h"

namespace drover {

enum class DeviceClass : std::uint8_t { gpu, tpu };
std::string_view to_text(DeviceClass device_class);

/// Facts about one kind of device: the catalogue's TOML text, at most 16 KiB.
struct SpecText {
  std::string id;
  std::string text;
  bool operator==(const SpecText&) const = default;
};

/// Devices `first` .. `first + count - 1` of the host, joined by a fast interconnect.
struct Group {
  std::uint16_t number = 0;
  std::uint16_t first = 0;
  std::uint16_t count = 0;
  std::string device;      // device spec id
  std::string topology;    // "2x4" for TPU slices; else empty
  double power_cap_w = 0;  // per device
  bool operator==(const Group&) const = default;
};

enum class ReplicaState : std::uint8_t { loading, compiling, ready, draining, gone };
std::string_view to_text(ReplicaState state);

/// What a tenant's running requests occupy on a replica.
struct TenantShare {
  std::string tenant;
  std::uint32_t requests = 0;
  std::uint64_t kv_tokens = 0;
  bool operator==(const TenantShare&) const = default;
};
inline constexpr std::size_t tenant_shares_max = 16;  // as many as fit into a legend

/// One loaded copy of a model, as its agent reports it.
struct Replica {
  ReplicaId id;
  std::string model;
  Precision precision = Precision::bf16;
  std::uint16_t group = 0;
  std::vector<std::uint16_t> devices;  // tensor-parallel set
  ReplicaState state = ReplicaState::loading;
  Instant ready_at{};                    // expected, while loading or compiling
  std::uint64_t kv_capacity_tokens = 0;  // KV cache, in tokens
  std::uint32_t batch_max = 0;           // requests that may run at once
  std::uint32_t queued = 0;
  std::uint32_t running = 0;
  std::uint64_t kv_used_tokens = 0;
  std::uint64_t weights_bytes = 0;   // on each of its devices
  std::uint64_t kv_token_bytes = 0;  // of one token of the KV cache, on each of its devices
  // The tenants with the most tokens, by name, at most tenant_shares_max. The rest of the used
  // tokens belongs to others.
  std::vector<TenantShare> tenants;
  std::string detail;  // why it is gone or refused
  // By StartReplica, so the router may retire it. Otherwise it is part of the host's settings.
  bool started_by_router = false;
  Pause pause = Pause::none;  // of what runs on it
  bool operator==(const Replica&) const = default;
};

/// The pause of the requests on a replica. None during a prefill: whose prompt it is, is not
/// reported, so it may be the request's own.
inline Pause pause_of_requests(const Replica& replica) {
  return replica.pause == Pause::prefill ? Pause::none : replica.pause;
}

/// An attempt that an agent holds: running, or ended but not yet acknowledged as stored.
struct HeldAttempt {
  JobId job;
  std::uint32_t attempt = 0;
  bool operator==(const HeldAttempt&) const = default;
};

/// A host. Sent after JoinAccepted, and whenever the router sends Reregister.
struct Register {
  std::string host;
  std::string rack;
  std::string site;
  std::map<std::string, std::string> labels;
  Incarnation incarnation;
  std::string software;
  std::vector<SpecText> specs;  // each distinct device spec once
  std::vector<Group> groups;
  std::vector<Replica> replicas;
  std::vector<HeldAttempt> held;
  double ambient_c = 0;
  double price_factor = 1;
  // fleet_time of the JoinAccepted or Reregister that this answers. Instant{}: none.
  Instant asked_at{};
  std::vector<ActiveFault> faults;  // in the order of their requests
  Duration sample_every{};          // fleet time between its samples; 0: at most a wall second
  bool operator==(const Register&) const = default;
};

}  // namespace drover
