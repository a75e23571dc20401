// A watched host on a stage: virtual time, readings made of values, and everything that it says.
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "agents/watch/watched_hosts.h"
#include "fleet/base/search.h"
#include "fleet/xid.h"

namespace drover::agents::watch {

/// An idle board with a cap of 72 W.
inline BoardReading board(const std::string& identity, const std::string& name = "NVIDIA L4") {
  BoardReading reading;
  reading.identity = identity;
  reading.vendor = "nvidia";
  reading.board.name = name;
  reading.board.uuid = identity;
  reading.values[Metric::utilization] = 0;
  reading.values[Metric::memory_total] = 24'152'899'584;
  reading.values[Metric::power_cap] = 72;
  return reading;
}

class Stage {
 public:
  explicit Stage(Duration read_every = std::chrono::seconds(5), bool control = false)
      : host(settings_of(read_every, control), devices::Catalogue::embedded()) {}

  void join() {
    JoinAccepted accepted;
    accepted.fleet_time = joined_at = now;
    accepted.heartbeat_every = std::chrono::seconds(1);
    host.handle_join_accepted(now, accepted);
  }
  void receive(Message body) { host.receive(now, {"router", 0, now, std::move(body)}); }
  void read(std::vector<BoardReading> boards) { host.read(now, {"n1", labels, std::move(boards)}); }
  /// Passes time, ticking whenever the host asks to be.
  void pass(Duration span) {
    const Instant end = now + span;
    while (host.next_deadline() <= end) {
      now = std::max(now, host.next_deadline());
      host.tick(now);
    }
    now = end;
  }
  void lose() {
    for (int i = 0; i < 10; ++i) {
      host.failed(now, "connection refused");
      pass(std::chrono::seconds(5));
    }
  }

  /// Everything since the last `forget`, in order.
  const std::vector<WatchEffect>& all() {
    for (WatchEffect& effect : host.take_effects()) {
      if (const auto* cap = std::get_if<CapBoard>(&effect)) caps_.push_back(*cap);
      effects_.push_back(std::move(effect));
    }
    return effects_;
  }
  void forget() {
    all();
    effects_.clear();
  }
  template <typename Body>
  std::vector<Body> sent() {
    std::vector<Body> bodies;
    for (const WatchEffect& effect : all()) {
      const auto* send = std::get_if<Send>(&effect);
      if (send == nullptr) continue;
      if (const auto* body = std::get_if<Body>(&send->envelope.body)) bodies.push_back(*body);
    }
    return bodies;
  }
  template <typename Effect>
  bool was() {
    return std::ranges::any_of(
        all(), [](const WatchEffect& effect) { return std::holds_alternative<Effect>(effect); });
  }
  /// Power caps since the last call.
  std::vector<CapBoard> caps() {
    all();
    return std::exchange(caps_, {});
  }
  /// The devices of all samples.
  std::vector<int> sampled() {
    std::vector<int> devices;
    for (const SampleBatch& batch : sent<SampleBatch>())
      devices.insert(devices.end(), batch.devices.begin(), batch.devices.end());
    return devices;
  }

  Instant now = Instant{} + std::chrono::hours(24);
  Instant joined_at{};
  std::map<std::string, std::string> labels;
  WatchedHost host;

 private:
  static WatchedHostSettings settings_of(Duration read_every, bool control) {
    WatchedHostSettings settings;
    settings.host = "n1";
    settings.incarnation = {1, 2};
    settings.read_every = read_every;
    settings.control = control;
    return settings;
  }

  std::vector<WatchEffect> effects_;
  std::vector<CapBoard> caps_;
};

}  // namespace drover::agents::watch
