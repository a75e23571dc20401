// A whole fleet in one process: the agent and router cores of the live system, with one event
// queue as the clock and one seed. The same scenario gives the same run, byte for byte.
//
// Every message passes through the codec and a `MessageTransport`; the store commits with delays,
// and a killed router loses uncommitted writes. A client submits the scenario's arrivals and
// resends what was not acknowledged.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "devices/catalogue/catalogue.h"
#include "fleet/base/time.h"
#include "fleet/codec/journal.h"
#include "fleet/job_target.h"
#include "fleet/messages.h"
#include "fleet/outbox.h"
#include "simulator/scenario.h"
#include "simulator/simulated_network.h"
#include "simulator/simulated_store.h"

namespace drover::simulator {

/// What the client and a subscriber received, for invariants and comparisons.
struct Observations {
  std::map<JobId, SubmitResult> answers;          // last reply to each submitted job
  std::map<JobId, std::vector<JobChanged>> ends;  // published terminal states
  std::vector<std::string> decisions;             // encoded, in order: the decision log
  std::map<std::string, HostChanged> hosts;
  std::vector<Event> events;
  std::vector<ActionReply> replies;
  std::vector<CancelReply> cancels;
  std::vector<Audit> audits;
  // As last published by this incarnation of the router; another one starts without them.
  std::set<std::pair<std::string, std::uint16_t>> unusable;  // devices
  std::set<std::pair<std::string, std::uint16_t>> injected;  // devices under faults
  std::set<std::pair<std::string, std::uint16_t>>
      drained;  // devices; kept over restarts of the router
  std::set<std::pair<std::string, std::string>> standing;  // alerts, by rule and subject
  std::uint64_t alerts_raised = 0;
  std::uint64_t alerts_out_of_turn =
      0;  // raised twice, or cleared without being raised: must stay 0
  std::map<std::string, Replica> replicas;  // by name, as last published
  std::vector<std::pair<Instant, Summary>> summaries;
  std::uint64_t placed_on_unusable = 0;  // decisions: must stay 0
  std::uint64_t published = 0;
  std::uint64_t undecodable = 0;  // bytes that did not decode: must stay 0
};

/// One turn of the router core: its inputs and its outbox.
struct JournalTurn {
  std::vector<JournalRecord> inputs;
  std::string outbox;
};

class Simulation {
 public:
  /// The catalogue and the transport must outlive this. Without a transport, bytes are delivered
  /// unchanged.
  Simulation(Scenario scenario, const devices::Catalogue& catalogue,
             MessageTransport* transport = nullptr);
  ~Simulation();

  /// Runs every event up to `span` after the start.
  void run_for(Duration span);
  Instant now() const { return now_; }

  /// Client requests in addition to the scenario, now.
  void client_send(Message message);
  void client_submit(std::vector<Job> jobs);
  /// Called with everything published, samples included.
  std::function<void(const Envelope&)> subscriber;
  /// Called with each assignment that reaches a host.
  std::function<void(const std::string& host, const Assign&)> assigned;
  /// Called with each reply to the client.
  std::function<void(const Envelope&)> answered;

  const Observations& seen() const { return seen_; }
  /// Attempts running on each live host, whatever the router estimates.
  std::map<std::string, std::vector<HeldAttempt>> running() const;
  /// The devices of each host that is up, whatever the router estimates.
  std::map<std::string, std::vector<agents::DeviceTruth>> devices() const;
  /// Whether messages pass between the host and the router now.
  bool is_connected(const std::string& host) const;
  /// Power of the devices of all live hosts.
  double drawn_w() const;
  Summary summary() const;
  bool has_router() const { return router_ != nullptr; }
  /// Number of times that the router was killed: its incarnation.
  std::uint64_t router_incarnation() const { return router_incarnation_; }
  /// With the caps that operators set. REQUIRES a router.
  const router::Policy& policy_in_force() const { return router_->policy(); }
  /// The reply that `drover why` would get. REQUIRES a router.
  WhyReply why(const JobId& job) { return router_->why(now_, to_text(job)); }
  const std::vector<LedgerRow>& ledger() const { return store_.rows(); }
  const std::vector<JournalTurn>& journal() const { return journal_; }
  std::uint64_t events() const { return order_; }

 private:
  struct Host {
    agents::AgentSettings settings;
    std::unique_ptr<agents::Agent> agent;
    std::uint64_t incarnation = 0;
    std::uint64_t peer = 0;  // the router's number of this incarnation's connection
    Instant wake = never;
    bool accepted = false;  // by the router, in this incarnation; until then it retries
    bool down = false;      // lost by a fault
  };

  using ScheduledEvent = std::function<void()>;
  void at(Instant when, ScheduledEvent event);
  void send_bytes(const std::string& from, const std::string& to, Peer peer, std::string bytes);
  void deliver(const std::string& from, const std::string& to, Peer peer, std::string bytes);

  void start_router(bool again);
  void kill_router();
  void router_turn(const std::vector<JournalRecord>& inputs);
  void router_receive(Peer from, const std::string& bytes);
  void dispatch(const std::vector<Send>& sends);
  void commit_later(std::optional<Instant> when);

  void start_host(const std::string& name);
  void connect_host(const std::string& name);
  void cut_off(const Partition& partition);
  void kill_host(const std::string& name);
  /// As with Ctrl-C: it returns its work, waits a moment for the router's replies, and exits.
  void end_host(const std::string& name);
  void host_receive(const std::string& name, const std::string& bytes);
  void host_turn(const std::string& name);

  void client_join();
  void client_resend();
  void client_receive(const std::string& bytes);
  void observe(const Envelope& envelope);
  void observe(const DeviceChanged& changed);
  void observe(const Alert& alert);
  bool places_on_unusable(const Decision& decision) const;
  bool is_unusable(const TargetPart& part) const;

  Scenario scenario_;
  const devices::Catalogue& catalogue_;
  MessageTransport own_transport_;
  MessageTransport* transport_;
  RandomStream random_;
  Instant now_;
  std::uint64_t order_ = 0;
  std::map<std::pair<Instant, std::uint64_t>, ScheduledEvent> queue_;
  SimulatedLinks links_;
  SimulatedStore store_;
  std::unique_ptr<router::Router> router_;
  PendingSends pending_sends_;
  std::uint64_t router_incarnation_ = 0;
  Instant router_wake_ = never;
  std::uint64_t peers_ = 0;
  std::map<std::uint64_t, std::string> node_by_peer_;
  std::map<std::string, Host> hosts_;
  RandomStream sample_random_;
  std::uint64_t client_peer_ = 0;
  std::uint64_t client_sequence_ = 0;
  std::map<JobId, Job> unacknowledged_;
  Observations seen_;
  std::vector<JournalTurn> journal_;
};

}  // namespace drover::simulator
