// The event queue, the network between nodes, and the client. Router and hosts are in
// simulation_router.cpp and simulation_hosts.cpp.
#include "simulator/simulation.h"

#include <algorithm>

#include "fleet/base/overloaded.h"
#include "fleet/base/search.h"
#include "fleet/codec/codec.h"

namespace drover::simulator {

namespace {
const std::string router_name = "router";
const std::string client_name = "client";
}  // namespace

Simulation::Simulation(Scenario scenario, const devices::Catalogue& catalogue,
                       MessageTransport* transport)
    : scenario_(std::move(scenario)),
      catalogue_(catalogue),
      transport_(transport ? transport : &own_transport_),
      random_(scenario_.seed),
      now_(scenario_.start),
      links_(random_.child("network"), scenario_.delay_min, scenario_.delay_max),
      store_(random_.child("store"), scenario_.commit_min, scenario_.commit_max),
      sample_random_(random_.child("sample loss")) {
  at(now_, [this] { start_router(false); });
  for (const agents::AgentSettings& settings : scenario_.hosts) {
    hosts_[settings.host].settings = settings;
    at(now_, [this, name = settings.host] { start_host(name); });
  }
  at(now_, [this] { client_join(); });
  for (const Arrival& arrival : scenario_.arrivals) {
    at(now_ + arrival.at, [this, job = arrival.job] { client_submit({job}); });
  }
  for (const AgentKill& kill : scenario_.agent_kills) {
    at(now_ + kill.at, [this, name = kill.host, graceful = kill.graceful] {
      if (graceful) return end_host(name);
      kill_host(name);
    });
    if (kill.restart_after) {
      at(now_ + kill.at + *kill.restart_after, [this, name = kill.host] { start_host(name); });
    }
  }
  for (const RouterKill& kill : scenario_.router_kills) {
    at(now_ + kill.at, [this] { kill_router(); });
    at(now_ + kill.at + kill.restart_after, [this] { start_router(true); });
  }
  for (const Partition& partition : scenario_.partitions) {
    at(now_ + partition.at, [this, partition] { cut_off(partition); });
  }
  for (const ClientAction& action : scenario_.actions) {
    at(now_ + action.at, [this, message = action.message] { client_send(message); });
  }
  at(now_ + scenario_.resend_after, [this] { client_resend(); });
}

Simulation::~Simulation() = default;

void Simulation::at(Instant when, ScheduledEvent happening) {
  queue_.emplace(std::make_pair(when, ++order_), std::move(happening));
}

void Simulation::run_for(Duration span) {
  const Instant end = scenario_.start + span;
  while (!queue_.empty() && queue_.begin()->first.first <= end) {
    auto next = queue_.extract(queue_.begin());
    now_ = next.key().first;
    next.mapped()();
  }
  now_ = end;
}

Summary Simulation::summary() const { return router_ ? router_->summary(now_) : Summary{}; }

std::map<std::string, std::vector<HeldAttempt>> Simulation::running() const {
  std::map<std::string, std::vector<HeldAttempt>> running;
  for (const auto& [name, host] : hosts_) {
    if (host.agent) running[name] = host.agent->running();
  }
  return running;
}

std::map<std::string, std::vector<agents::DeviceTruth>> Simulation::devices() const {
  std::map<std::string, std::vector<agents::DeviceTruth>> devices;
  for (const auto& [name, host] : hosts_) {
    if (host.agent && !host.down) devices[name] = host.agent->devices(now_);
  }
  return devices;
}

bool Simulation::is_connected(const std::string& host) const {
  return links_.passes(now_, host, router_name);
}

double Simulation::drawn_w() const {
  double watts = 0;
  for (const auto& [name, host] : hosts_) {
    if (!host.agent) continue;
    for (const agents::DeviceTruth& device : host.agent->devices(now_)) watts += device.power_w;
  }
  return watts;
}

void Simulation::send_bytes(const std::string& from, const std::string& to, Peer peer,
                            std::string bytes) {
  if (!links_.passes(now_, from, to)) return;
  // A message from or to an earlier incarnation of either end is lost.
  const std::uint64_t incarnation = router_incarnation_;
  at(links_.arrival(now_, from, to),
     [this, from, to, peer, incarnation, carried = std::move(bytes)]() mutable {
       if (incarnation != router_incarnation_ || !links_.passes(now_, from, to)) return;
       deliver(from, to, peer, std::move(carried));
     });
}

void Simulation::deliver(const std::string& from, const std::string& to, Peer peer,
                         std::string bytes) {
  if (to == router_name) {
    if (!router_) return;
    if (peer.channel == Channel::control && !node_by_peer_.contains(peer.number)) return;
    router_receive(peer, transport_->carry(peer.channel, from, to, std::move(bytes)));
    return;
  }
  if (to == client_name) {
    client_receive(transport_->carry(peer.channel, from, to, std::move(bytes)));
    return;
  }
  const auto host = hosts_.find(to);
  if (host == hosts_.end() || !host->second.agent || host->second.peer != peer.number) return;
  host_receive(to, transport_->carry(peer.channel, from, to, std::move(bytes)));
}

// Client.

void Simulation::client_join() {
  client_peer_ = ++peers_;
  node_by_peer_[client_peer_] = client_name;
  const Join join{Role::client, client_name, "simulator"};
  client_send(join);
}

void Simulation::client_send(Message message) {
  send_bytes(client_name, router_name, Peer{Channel::control, client_peer_},
             encode({client_name, ++client_sequence_, now_, std::move(message)}));
}

void Simulation::client_submit(std::vector<Job> jobs) {
  for (const Job& job : jobs) unacknowledged_[job.id] = job;
  client_send(Submit{std::move(jobs)});
}

void Simulation::client_resend() {
  std::vector<Job> jobs;
  for (const auto& [id, job] : unacknowledged_) {
    if (jobs.size() < submit_jobs_max) jobs.push_back(job);
  }
  if (!jobs.empty()) client_submit(std::move(jobs));
  at(now_ + scenario_.resend_after, [this] { client_resend(); });
}

void Simulation::client_receive(const std::string& bytes) {
  const Result<Envelope> envelope = decode(bytes);
  if (!envelope) {
    ++seen_.undecodable;
    return;
  }
  if (answered) answered(*envelope);
  std::visit(Overloaded{[&](const ActionReply& reply) { seen_.replies.push_back(reply); },
                        [&](const CancelReply& reply) { seen_.cancels.push_back(reply); },
                        [&](const SubmitReply& reply) {
                          for (const SubmitResult& result : reply.results) {
                            seen_.answers[result.job] = result;
                            unacknowledged_.erase(result.job);
                          }
                        },
                        [](const auto&) {}},
             envelope->body);
}

void Simulation::observe(const Envelope& envelope) {
  ++seen_.published;
  if (subscriber) subscriber(envelope);
  std::visit(
      Overloaded{
          [&](const JobChanged& changed) {
            if (is_terminal(changed.state)) seen_.ends[changed.job.id].push_back(changed);
          },
          [&](const Decision& decision) {
            seen_.decisions.push_back(encode(envelope));
            if (places_on_unusable(decision)) ++seen_.placed_on_unusable;
          },
          [&](const HostChanged& host) { seen_.hosts[host.registration.host] = host; },
          [&](const HostForgotten& forgotten) { seen_.hosts.erase(forgotten.host); },
          [&](const Event& event) { seen_.events.push_back(event); },
          [&](const Audit& audit) { seen_.audits.push_back(audit); },
          [&](const Alert& alert) { observe(alert); },
          [&](const DeviceChanged& device) { observe(device); },
          [&](const ReplicaChanged& changed) {
            seen_.replicas[to_text(changed.replica.id)] = changed.replica;
          },
          [&](const Summary& summary) { seen_.summaries.emplace_back(envelope.at, summary); },
          [](const auto&) {}},
      envelope.body);
}

void Simulation::observe(const DeviceChanged& changed) {
  const std::pair device{changed.host, changed.device};
  const auto note = [&](auto& devices, bool holds) {
    if (holds) {
      devices.insert(device);
    } else {
      devices.erase(device);
    }
  };
  note(seen_.unusable, !changed.usable);
  note(seen_.injected, !changed.injected.empty());
  note(seen_.drained, changed.drained);
}

void Simulation::observe(const Alert& alert) {
  if (alert.text_only || (alert.raised && !alert.acknowledged_by.empty()))
    return;  // it stays raised
  const std::pair key{alert.rule, alert.subject};
  if (alert.raised) ++seen_.alerts_raised;
  const bool in_turn = alert.raised ? seen_.standing.insert(key).second : seen_.standing.erase(key);
  if (!in_turn) ++seen_.alerts_out_of_turn;
}

/// Whether the decision chose devices that were published as unusable before it.
bool Simulation::places_on_unusable(const Decision& decision) const {
  if (decision.action != Action::assign && decision.action != Action::start_replica) return false;
  std::string_view target = decision.target;  // of a multi-host gang: several parts
  while (const auto part = take_target_part(target)) {
    if (is_unusable(*part)) return true;
  }
  return false;
}

bool Simulation::is_unusable(const TargetPart& part) const {
  const std::string host(part.host);
  const auto number = replica_in(part.place);
  const auto replica =
      number ? seen_.replicas.find(to_text(ReplicaId{host, *number})) : seen_.replicas.end();
  return std::any_of(seen_.unusable.begin(), seen_.unusable.end(), [&](const auto& device) {
    if (device.first != host) return false;
    return replica == seen_.replicas.end() ? lists_device(part.place, device.second)
                                           : contains(replica->second.devices, device.second);
  });
}

}  // namespace drover::simulator
