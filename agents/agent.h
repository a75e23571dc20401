// The agent core: one host, its devices and its duties. A state machine without clock, socket,
// file, thread or log.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agents/execution/attempt.h"
#include "agents/execution/fault_state.h"
#include "devices/catalogue/catalogue.h"
#include "fleet/base/identity.h"
#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "fleet/outbox.h"

namespace drover::agents {

/// `h100-sxm:8` or `tpu-v5e:8@2x4`; lists are separated by commas.
struct GroupRequest {
  std::string device;
  std::uint16_t count = 1;
  std::string topology;
  bool operator==(const GroupRequest&) const = default;
};
Result<std::vector<GroupRequest>> parse_device_list(std::string_view text,
                                                    const devices::Catalogue& catalogue);

/// `llama-3.1-70b:0-3` or `llama-3.1-8b:4@int8`; lists are separated by commas, and `4,5` means
/// one replica each. Default precision: the device's best native one of bf16, fp16, fp32.
struct ReplicaRequest {
  std::string model;
  std::uint16_t first = 0;
  std::uint16_t last = 0;
  std::optional<Precision> precision;
  bool operator==(const ReplicaRequest&) const = default;
};
Result<std::vector<ReplicaRequest>> parse_replica_list(std::string_view text,
                                                       const devices::Catalogue& catalogue);

struct AgentSettings {
  std::string host;
  std::string rack = "rack-1";
  std::string site = "local";
  std::map<std::string, std::string> labels;
  Incarnation incarnation;
  std::vector<GroupRequest> groups;
  std::vector<ReplicaRequest> replicas;  // loaded (warm) from the start
  double ambient_c = 22;
  Duration sample_every = std::chrono::seconds(1);            // fleet time
  Duration sample_every_min = std::chrono::milliseconds(50);  // fleet time; the rate limit
  std::uint64_t seed = 1;
  double fault_rate = 0;    // spontaneous faults: multiple of the published rates
  double sample_loss = 0;   // share of the devices' samples that are lost
  Duration sample_delay{};  // delay from measurement to sending
};

/// The true state of a device, whatever its sensors and the router report.
struct DeviceTruth {
  bool usable = true;
  bool off_bus = false;  // not visible: no samples
  double power_w = 0;
  double power_cap_w = 0;
  double temperature_c = 0;
  std::uint32_t running = 0;             // requests, or 1 for a gang
  std::optional<std::uint32_t> replica;  // loaded on it
  std::optional<JobId> gang;             // the training gang that holds it
  std::optional<Instant> faulty_since;   // start of its newest current fault
};

/// A device as its sensors and its driver report it.
struct PublishedDevice {
  const devices::DeviceSpec* spec = nullptr;  // in the catalogue
  Sample sample;
  bool off_bus = false;  // not visible
  std::optional<DeviceWork> work;
};

// What the agent asks of its shell besides sending.
/// The host is lost by a fault: the agent neither receives nor sends until HostUp, and its shell
/// does not look for the router.
struct HostDown {};
struct HostUp {};
/// A newer incarnation of this host runs: the shell exits.
struct Replaced {};
/// After leave(): the router has stored all results, so the shell need not wait any longer.
struct Left {};
using Effect = std::variant<Send, HostDown, HostUp, Replaced, Left>;

class Agent {
 public:
  /// REQUIRES that the requests name devices and models of the catalogue and fit the host; use
  /// `check` first. The catalogue must outlive the agent.
  Agent(AgentSettings settings, const devices::Catalogue& catalogue, Instant start);
  ~Agent();

  /// Errors that a user can make: replicas on devices that do not exist, weights that do not fit.
  static Status check(const AgentSettings& settings, const devices::Catalogue& catalogue);

  /// Handles JoinAccepted: sets heartbeat and lease, and sends Register.
  void handle_join_accepted(Instant now, const JoinAccepted& accepted);
  void receive(Instant now, const Envelope& envelope);
  void tick(Instant now);
  Instant next_deadline() const;
  /// The effects since the last call, in order.
  std::vector<Effect> take_effects();

  /// Ends the host: stops all work, reports it with its usage, and sends Leave (once, and only
  /// after a JoinAccepted). Afterwards the agent handles only ResultStored, up to Left.
  void leave(Instant now, const std::string& why);
  /// The attempts that run here, regardless of the router's estimates.
  std::vector<HeldAttempt> running() const;
  /// The devices in order.
  std::vector<DeviceTruth> devices(Instant now) const;
  /// The same devices as others see them. REQUIRES that tick(now) was called.
  std::vector<PublishedDevice> published(Instant now) const;
  const ErrorLog& errors() const;

  /// Counts a message that the shell could not decode; the count is sent to the router.
  void count_undecodable();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace drover::agents
