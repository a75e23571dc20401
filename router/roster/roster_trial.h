// The fleet as it would be: changes to the roster for the length of one question, all taken back at
// its end. Nothing that a later decision could see is left, the roster's version included.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "router/roster/roster.h"

namespace drover::router {

class RosterTrial {
 public:
  /// `heard_since`: devices of which no sample has come since then are silent; what they draw is
  /// believed until one comes, whatever ends there.
  explicit RosterTrial(Roster& roster, Instant heard_since = Instant{})
      : roster_(roster), version_(roster.version_), heard_since_(heard_since) {}
  ~RosterTrial();
  RosterTrial(const RosterTrial&) = delete;
  RosterTrial& operator=(const RosterTrial&) = delete;

  const Roster& roster() const { return roster_; }

  /// The replica has left its devices: they idle, and their memory is free.
  void lift(ReplicaIndex replica);
  /// Gangs that are believed to end by then have ended. Answers how many.
  std::size_t end_gangs(Instant by);
  void end_gang(const JobId& job);
  /// The device has none of these bits of PlaceCondition.
  void clear(DeviceIndex device, std::uint32_t bits);
  /// The host is well.
  void revive(HostIndex host);
  /// A sample of the device came at that instant, and said what the last one did.
  void hear(Instant at, DeviceIndex device);
  /// Failures there are forgiven.
  void trust(GroupIndex group);
  void trust(ReplicaIndex replica, GroupIndex of);
  /// So many of its requests, and tokens of its KV cache, are gone.
  void relieve(ReplicaIndex replica, double requests, double tokens);
  /// It takes requests. `tokens_max`: of its KV cache, if it has not said so itself.
  void make_ready(ReplicaIndex replica, double tokens_max);
  /// Its KV cache holds so many tokens.
  void enlarge(ReplicaIndex replica, double tokens_max);
  /// Devices of this kind instead, which have so much more memory. The spec must outlive the trial.
  void enlarge(GroupIndex group, const devices::DeviceSpec& spec, double more_bytes);
  /// A replica more, whose devices are open. REQUIRES a number that its host has not used.
  void load(Instant now, HostIndex host, const Replica& replica);

 private:
  template <typename Get>
  void keep(Get get) {
    undo_.push_back([get, before = get()] { get() = before; });
  }
  template <typename Get, typename Value>
  void change(Get get, Value value) {
    keep(get);
    get() = std::move(value);
  }
  /// A sample says so, and shows all that was promised.
  void draw(DeviceIndex device, float watts);
  /// Nothing is at work on it.
  void idle(DeviceIndex device);
  void end_gang(DeviceIndex device);

  Roster& roster_;
  std::uint64_t version_;
  Instant heard_since_;
  std::vector<std::function<void()>> undo_;  // to be done from the last to the first
};

}  // namespace drover::router
