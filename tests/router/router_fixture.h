// A router on a stage: virtual time, a disk that commits when told, and everything it says.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "devices/catalogue/catalogue.h"
#include "fleet/codec/codec.h"
#include "fleet/outbox.h"
#include "router/lint/policy_file.h"
#include "router/router.h"

namespace drover::router {

inline JobId job_id(std::uint64_t number) { return {0, number}; }

inline Job serve_job(std::uint64_t number, const std::string& model = "llama-3.1-8b") {
  Job job;
  job.id = job_id(number);
  job.work.model = model;
  job.work.input_tokens = 512;
  job.work.output_tokens = 128;
  return job;
}

inline Job train_job(std::uint64_t number, std::uint16_t devices) {
  Job job;
  job.id = job_id(number);
  job.work.kind = WorkKind::train;
  job.work.model = "bert-large";
  job.work.steps = 100;
  job.work.batch = 32;
  job.work.sequence = 512;
  job.work.devices = devices;
  return job;
}

class RouterHarness {
 public:
  explicit RouterHarness(RouterSettings with = {}, Policy under = builtin_policy())
      : settings(std::move(with)), policy(std::move(under)) {
    settings.software = "drover test";
    begin();
  }

  /// A new life on what is on disk; everything in flight is lost.
  Status restart() {
    pending_.clear();
    pending_sends_ = {};
    delivered.clear();
    begin();
    return router->restore(disk);
  }

  void receive(std::uint64_t peer, Message body) {
    router->receive(now, {Channel::control, peer}, {"peer", ++sequence_, now, std::move(body)});
    collect();
  }
  void receive_samples(const std::string& host, std::uint64_t sequence,
                       const std::vector<Sample>& rows) {
    router->receive(now, samples_peer, {host, sequence, now, pack(host, rows)});
    collect();
  }
  void tick() {
    router->tick(now);
    collect();
  }
  /// Passes time, ticking whenever the router asks to be.
  void wait(Duration span) {
    const Instant end = now + span;
    while (router->next_deadline() <= end) {
      now = std::max(now, router->next_deadline());
      tick();
    }
    now = end;
    tick();
  }
  /// The disk takes all writes so far.
  void commit() { commit(pending_.size()); }
  /// The disk takes the next `count` writes.
  void commit(std::size_t count) {
    count = std::min(count, pending_.size());
    if (count == 0) return;
    const std::uint64_t sequence = pending_[count - 1].sequence;
    for (std::size_t at = 0; at < count; ++at) disk.push_back(pending_[at].row);
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(count));
    deliver(pending_sends_.release_up_to(sequence));
    router->committed(now, sequence);
    collect();
  }
  std::size_t uncommitted() const { return pending_.size(); }

  static Register registration(const std::string& host, std::uint64_t life = 1,
                               const std::string& device = "h100-sxm", std::uint16_t count = 8) {
    Register registration;
    registration.host = host;
    registration.rack = "rack-1";
    registration.site = "here";
    registration.incarnation = {1, life};
    registration.specs.push_back(
        {device, devices::Catalogue::embedded().device(device).value()->text});
    registration.groups.push_back({0, 0, count, device, device.starts_with("tpu") ? "2x4" : "", 0});
    return registration;
  }
  static Replica replica(const std::string& host, std::uint32_t number,
                         const std::string& model = "llama-3.1-8b", std::uint16_t device = 0) {
    Replica replica;
    replica.id = {host, number};
    replica.model = model;
    replica.devices = {device};
    replica.state = ReplicaState::ready;
    replica.kv_capacity_tokens = 400'000;
    replica.batch_max = 8;
    return replica;
  }
  static std::vector<Sample> idle_samples(std::uint16_t count, double energy_j = 0) {
    std::vector<Sample> rows;
    for (std::uint16_t device = 0; device < count; ++device) {
      Sample row;
      row.device = device;
      row[Metric::utilization] = 0;
      row[Metric::power] = 100;
      row[Metric::power_cap] = 700;
      row[Metric::temperature] = 40;
      row[Metric::memory_used] = 0;
      row[Metric::memory_total] = 80e9;
      row[Metric::energy] = energy_j;
      row[Metric::throttle] = 0;
      rows.push_back(row);
    }
    return rows;
  }
  /// Joins, says Register with one replica of llama-3.1-8b on device 0, and reports idle devices.
  void add_host(std::uint64_t peer, const std::string& host, std::uint64_t life = 1) {
    receive(peer, Join{Role::agent, host, "drover test"});
    Register said = registration(host, life);
    said.replicas = {replica(host, 0)};
    receive(peer, said);
    receive_samples(host, ++samples_, idle_samples(8));
  }
  void beat(std::uint64_t peer, const std::string& host) {
    receive(peer, Heartbeat{});
    receive_samples(host, ++samples_, idle_samples(8));
  }
  /// Passes time while these hosts live on, one beat a second.
  void live(int seconds, const std::vector<std::pair<std::uint64_t, std::string>>& hosts) {
    for (int second = 0; second < seconds; ++second) {
      for (const auto& [peer, host] : hosts) beat(peer, host);
      wait(std::chrono::seconds(1));
      commit();
    }
  }

  /// The bodies of this kind delivered to this peer since the last `forget`.
  template <typename Body>
  std::vector<Body> told(std::uint64_t peer) const {
    return bodies<Body>({Channel::control, peer});
  }
  template <typename Body>
  std::vector<Body> published() const {
    return bodies<Body>(publish_peer);
  }
  void forget() {
    delivered.clear();
    writes.clear();
  }

  RouterSettings settings;
  Policy policy;
  Instant now = Instant{} + std::chrono::hours(24 * 365 * 56);
  std::unique_ptr<Router> router;
  std::vector<LedgerRow> disk;
  std::vector<Send> delivered;      // in the order that they went
  std::vector<Send> waiting_sends;  // went into the waiting room, for transcripts
  std::vector<Write> writes;        // all since `forget`

 private:
  void begin() {
    router = std::make_unique<Router>(settings, policy, devices::Catalogue::embedded(), now);
  }
  void collect() {
    Outbox outbox = router->take_outbox();
    for (const Write& write : outbox.writes) {
      pending_.push_back(write);
      writes.push_back(write);
    }
    for (const Send& send : outbox.sends) {
      if (send.after_write > 0) waiting_sends.push_back(send);
    }
    deliver(pending_sends_.hold_or_pass(std::move(outbox.sends)));
  }
  void deliver(std::vector<Send> sends) {
    for (Send& send : sends) delivered.push_back(std::move(send));
  }
  template <typename Body>
  std::vector<Body> bodies(Peer to) const {
    std::vector<Body> found;
    for (const Send& send : delivered) {
      if (send.to != to) continue;
      if (const auto* body = std::get_if<Body>(&send.envelope.body)) found.push_back(*body);
    }
    return found;
  }

  PendingSends pending_sends_;
  std::vector<Write> pending_;
  std::uint64_t sequence_ = 0;
  std::uint64_t samples_ = 0;
};

inline Finished finished_of(const Assign& assign, double energy_j = 5) {
  Finished finished;
  finished.job = assign.job.id;
  finished.attempt = assign.attempt;
  finished.usage = {1, energy_j, 0.001};
  finished.outcome = {assign.job.work.input_tokens, assign.job.work.output_tokens, 0, 0.2, 1};
  return finished;
}

/// One host, one job, assigned in attempt 1 and committed.
struct Assigned : RouterHarness {
  explicit Assigned(RouterSettings with = {}, Policy under = builtin_policy())
      : RouterHarness(std::move(with), std::move(under)) {
    add_host(1, "h1");
    receive(9, Submit{{serve_job(1)}});
    tick();
    commit();
    DROVER_REQUIRE(told<Assign>(1).size() == 1);
    assign = told<Assign>(1).front();
  }
  Assign assign;
};

}  // namespace drover::router
