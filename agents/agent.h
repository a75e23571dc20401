// The agent core: one host, its devices and its duties. A state machine without clock, socket,
// file, thread or log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "devices/catalogue/catalogue.h"
#include "fleet/base/identity.h"
#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "fleet/outbox.h"

namespace drover::agents {

/// `h100-sxm:8`, `tpu-v5e:8@2x4`, several joined by commas.
struct GroupRequest {
  std::string device;
  std::uint16_t count = 1;
  std::string topology;
  bool operator==(const GroupRequest&) const = default;
};
Result<std::vector<GroupRequest>> parse_device_list(std::string_view text,
                                                    const devices::Catalogue& catalogue);

/// `llama-3.1-70b:0-3`, `llama-3.1-8b:4@int8`, several joined by commas; several copies with `4,5`
/// as two entries. Without a precision: the device's best native one of bf16, fp16, fp32.
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
  double fault_rate = 0;    // faults that come by themselves: multiple of the published rates
  double sample_loss = 0;   // share of the devices' reports that get lost on the way
  Duration sample_delay{};  // how much later they are sent than they are true
};

/// A device as it is, whatever its sensors and the router say.
struct TrueDevice {
  bool usable = true;
  bool off_bus = false;  // nobody sees it: it has no samples
  double power_w = 0;
  double power_cap_w = 0;
  double temperature_c = 0;
  std::uint32_t running = 0;             // requests, or 1 for a gang
  std::optional<std::uint32_t> replica;  // that is loaded on it
  std::optional<JobId> gang;             // the training that holds it
  std::optional<Instant> faulty_since;   // the newest fault in force that reaches it
  bool is_free() const { return !replica && !gang; }
};

class Agent {
 public:
  /// REQUIRES that the requests name devices and models of the catalogue and fit the host; use
  /// `check` first. The catalogue must outlive the agent.
  Agent(AgentSettings settings, const devices::Catalogue& catalogue, Instant start);
  ~Agent();

  /// What a user can have got wrong: replicas on devices that do not exist, weights that do not
  /// fit.
  static Status check(const AgentSettings& settings, const devices::Catalogue& catalogue);

  /// After each Welcome: sets heartbeat and lease, and says Hello.
  void welcomed(Instant now, const Welcome& welcome);
  void receive(Instant now, const Envelope& envelope);
  void tick(Instant now);
  Instant next_deadline() const;
  Outbox take_outbox();

  /// The host is to end: stops all work, gives it back with what it has used, and says Leave (once,
  /// and only to a router that it has met). Afterwards it hears nothing but ResultStored.
  void leave(Instant now, const std::string& why);
  /// Ended attempts that the router has not yet acknowledged as stored.
  std::size_t unstored() const;
  /// The attempts that run here, whatever the router believes.
  std::vector<HeldAttempt> running() const;
  /// Its devices, in order.
  std::vector<TrueDevice> devices(Instant now) const;

  /// The host is lost, by an injected fault: it hears and says nothing until next_deadline() brings
  /// its next life. The shell does not look for the router meanwhile.
  bool silent() const;
  /// A newer incarnation runs: the shell exits.
  bool superseded() const;
  /// Messages that did not decode; the shell counts them here so that they reach the router.
  void count_undecodable();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace drover::agents
