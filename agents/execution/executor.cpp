#include "agents/execution/executor.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/overloaded.h"
#include "fleet/base/result.h"
#include "fleet/base/search.h"

namespace drover::agents {
namespace {

std::vector<const devices::DeviceSpec*> specs_of(const std::vector<Executor::Device>& devices) {
  std::vector<const devices::DeviceSpec*> specs;
  for (const Executor::Device& device : devices) specs.push_back(device.spec);
  return specs;
}

std::optional<Refusal> refuse_part(const GangLayout& gang, std::size_t devices) {
  if (devices <= gang.per_host && gang.per_host < gang.devices) return std::nullopt;
  return Refusal{
      Reason::invalid,
      fmt::format("{} devices on this host for a gang of {}; the layout allows at most {} per host",
                  devices, gang.devices, gang.per_host)};
}

}  // namespace

Executor::Executor(std::string host, std::vector<Device> devices, devices::Ambient ambient,
                   const RandomStream& random, Instant start)
    : host_(std::move(host)),
      devices_(std::move(devices)),
      owners_(devices_.size()),
      fault_effects_(devices_.size()),
      shut_down_reported_(devices_.size(), false),
      chassis_(specs_of(devices_), ambient, random, start) {
  for (std::size_t device = 0; device < devices_.size(); ++device) {
    set_free_activity(start, static_cast<std::uint16_t>(device));
  }
}

EnergyReading Executor::energy_reading(Instant now,
                                       const std::vector<std::uint16_t>& devices) const {
  EnergyReading reading{now, 0};
  for (const std::uint16_t device : devices) reading.energy_j += chassis_.energy_j(now, device);
  return reading;
}

double Executor::slowest(const std::vector<std::uint16_t>& devices) const {
  double pace = chassis_.pace(devices.front());
  for (const std::uint16_t device : devices) pace = std::min(pace, chassis_.pace(device));
  return pace;
}

std::optional<Refusal> Executor::refuse_devices(const std::vector<std::uint16_t>& devices) const {
  if (devices.empty()) return Refusal{Reason::invalid, "no devices named"};
  std::vector<bool> seen(devices_.size(), false);
  for (const std::uint16_t device : devices) {
    if (device >= devices_.size()) {
      return Refusal{Reason::invalid, fmt::format("no device {}/{}: the host has {} devices", host_,
                                                  device, devices_.size())};
    }
    if (seen[device]) {
      return Refusal{Reason::invalid, fmt::format("device {}/{} is given twice", host_, device)};
    }
    seen[device] = true;
    if (devices_[device].group != devices_[devices.front()].group) {
      return Refusal{Reason::topology,
                     fmt::format("devices {}/{} and {}/{} are in different groups", host_,
                                 devices.front(), host_, device)};
    }
    if (chassis_.shut_down(device)) {
      return Refusal{Reason::thermal, fmt::format("device {}/{} has shut down", host_, device)};
    }
    if (const DeviceReport said = report(device); !said.usable) {
      return Refusal{Reason::unhealthy,
                     fmt::format("device {}/{}: {}", host_, device, said.detail)};
    }
    if (!std::holds_alternative<Free>(owners_[device])) {
      return Refusal{Reason::capacity, fmt::format("device {}/{} is in use", host_, device)};
    }
  }
  return std::nullopt;
}

void Executor::own(const std::vector<std::uint16_t>& devices, const Owner& owner) {
  for (const std::uint16_t device : devices) owners_[device] = owner;
}

/// Sets the pace that the devices allow and the resulting load on the chassis, until the power
/// limiter is satisfied. The first pass may start far from the final clock; after that the clock
/// only falls, so this terminates.
template <typename Work>
void Executor::apply(Instant now, Work& work, const std::vector<std::uint16_t>& devices) {
  const double link = link_share(devices);
  const bool hung = any_hung(devices);
  bool paused = hung;
  if constexpr (std::is_same_v<Work, TrainingGang>) paused |= work.waits();
  work.set_paused(now, paused);
  bool clock_changed = true;
  for (int round = 0; clock_changed; ++round) {
    const double pace = slowest(devices);
    if (pace <= 0) return;  // one has shut down, and its work is about to fail
    const bool changed = pace != work.pace() || link != work.link_share();
    if (changed && !paused) work.set_pace(now, pace, link);
    const devices::Activity activity{work.activity(), true, work.memory_bytes()};
    clock_changed = false;
    for (const std::uint16_t device : devices) {
      DROVER_REQUIRE(activity.memory_used_bytes <= devices_[device].spec->memory.bytes);
      clock_changed |= chassis_.set_activity(
          now, device, hung ? hung_activity(activity, device) : activity, round < 2);
    }
  }
}

void Executor::release(Instant now, const std::vector<std::uint16_t>& devices) {
  for (const std::uint16_t device : devices) {
    owners_[device] = Free{};
    set_free_activity(now, device);
  }
}

void Executor::settle(Instant now, ReplicaEngine& engine, ReplicaState before) {
  for (EndedAttempt& ended : engine.take_ended()) {
    held_.erase(ended.key);
    changes_.emplace_back(std::move(ended));
  }
  const std::vector<std::uint16_t> devices = engine.place().devices;
  const bool compiling = engine.take_compiling_change();
  if (engine.state() != before || compiling) changes_.emplace_back(engine.report(host_));
  if (engine.state() == ReplicaState::gone) {
    replicas_.erase(engine.place().number);
    release(now, devices);
  } else {
    apply(now, engine, devices);
  }
}

std::optional<Refusal> Executor::serve(Instant now, const Assign& assign) {
  const auto found = assign.replica ? replicas_.find(*assign.replica) : replicas_.end();
  if (found == replicas_.end()) {
    return Refusal{Reason::drain, assign.replica
                                      ? fmt::format("no replica r{} on {}", *assign.replica, host_)
                                      : std::string("no replica named")};
  }
  ReplicaEngine& engine = *found->second;
  const Precision precision = engine.placement().precision;
  const auto& accepted = assign.job.work.precisions;
  if (!accepted.empty() && assign.precision != precision && !contains(accepted, precision)) {
    return Refusal{Reason::precision,
                   fmt::format("replica r{} runs {}, expected {}", engine.place().number,
                               to_text(precision), to_text(assign.precision))};
  }
  const AttemptKey key{assign.job.id, assign.attempt};
  const ReplicaState before = engine.state();
  const auto refusal = engine.accept(energy_reading(now, engine.place().devices), key, assign.job);
  if (refusal) return refusal;
  held_.emplace(key, ByReplica{engine.place().number});
  settle(now, engine, before);
  return std::nullopt;
}

std::optional<Refusal> Executor::train(Instant now, const Assign& assign,
                                       const devices::ModelSpec& model) {
  if (auto refusal = refuse_devices(assign.devices)) return refusal;
  devices::Placement placement{devices_[assign.devices.front()].spec,
                               static_cast<int>(assign.devices.size()), assign.precision,
                               link_share(assign.devices)};
  if (assign.gang) {
    if (auto refusal = refuse_part(*assign.gang, assign.devices.size())) return refusal;
    placement.devices = assign.gang->devices;
    placement.per_host = assign.gang->per_host;
  }
  if (auto refusal = refuse_training(placement, model, assign.job.work, assign.from_step)) {
    return refusal;
  }
  const AttemptKey key{assign.job.id, assign.attempt};
  const std::uint64_t number = next_gang_++;
  const auto [gang, added] = gangs_.try_emplace(
      number, key, assign.devices, placement, model, assign.job.work, slowest(assign.devices),
      energy_reading(now, assign.devices), assign.from_step, assign.gang);
  DROVER_REQUIRE(added && held_.emplace(key, ByGang{number}).second);
  own(assign.devices, ByGang{number});
  apply(now, gang->second, assign.devices);
  report_step_time(gang->second);
  return std::nullopt;
}

void Executor::set_gang_step(Instant now, const AttemptKey& key, double step_s) {
  const auto held = held_.find(key);
  if (held == held_.end()) return;
  const auto* by_gang = std::get_if<ByGang>(&held->second);
  if (by_gang == nullptr) return;
  TrainingGang& gang = gangs_.at(by_gang->number);
  if (!gang.is_member()) return;
  gang.set_gang_step(now, step_s);
  apply(now, gang, gang.devices());
  report_step_time(gang);
}

/// Own step time of a part of a gang.
MemberStepTime Executor::own_step_time(const TrainingGang& gang) const {
  const auto& devices = gang.devices();
  return gang.own_step_time(slowest(devices), link_share(devices), any_hung(devices));
}

/// Changes too small to measure are not reported: clocks near a limit change all the time.
void Executor::report_step_time(TrainingGang& gang) {
  if (!gang.is_member()) return;
  const MemberStepTime step_time = own_step_time(gang);
  if (gang.take_step_time_change(step_time)) changes_.emplace_back(step_time);
}

std::vector<MemberStepTime> Executor::member_step_times() const {
  std::vector<MemberStepTime> step_times;
  for (const auto& [number, gang] : gangs_) {
    if (gang.is_member()) step_times.push_back(own_step_time(gang));
  }
  return step_times;
}

void Executor::end_gang(Instant now, Gangs::iterator gang, EndedAttempt ended, bool silent) {
  const std::vector<std::uint16_t> devices = gang->second.devices();
  held_.erase(ended.key);
  gangs_.erase(gang);
  release(now, devices);
  if (!silent) changes_.emplace_back(std::move(ended));
}

void Executor::stop_gang(Instant now, Gangs::iterator gang, Reason reason,
                         const std::string& detail, bool silent) {
  const EnergyReading at = energy_reading(now, gang->second.devices());
  end_gang(now, gang, gang->second.stop(at, reason, detail), silent);
}

bool Executor::cancel(Instant now, const AttemptKey& key, Reason reason, bool silent) {
  const auto found = held_.find(key);
  if (found == held_.end()) return false;
  const Owner owner = found->second;
  if (const auto* by_gang = std::get_if<ByGang>(&owner)) {
    stop_gang(now, gangs_.find(by_gang->number), reason, "", silent);
    return true;
  }
  ReplicaEngine& engine = *replicas_.at(std::get<ByReplica>(owner).number);
  const ReplicaState before = engine.state();
  engine.cancel(energy_reading(now, engine.place().devices), key, reason, silent);
  if (silent) held_.erase(key);
  settle(now, engine, before);
  return true;
}

void Executor::stop_all(Instant now, Reason reason, const std::string& detail) {
  while (!gangs_.empty()) stop_gang(now, gangs_.begin(), reason, detail);
  for (auto next = replicas_.begin(); next != replicas_.end();) {
    ReplicaEngine& engine = *(next++)->second;  // a draining one is removed now
    const ReplicaState before = engine.state();
    engine.stop_all(energy_reading(now, engine.place().devices), reason, detail);
    settle(now, engine, before);
  }
}

void Executor::start_replica(Instant now, const StartReplica& start,
                             const devices::ModelSpec& model, bool warm) {
  DROVER_REQUIRE(!replicas_.contains(start.number));
  std::optional<Refusal> refusal = refuse_devices(start.devices);
  devices::Placement placement;
  if (!refusal) {
    placement = {devices_[start.devices.front()].spec, static_cast<int>(start.devices.size()),
                 start.precision, link_share(start.devices)};
    refusal = refuse_serving(placement, model);
  }
  if (refusal) {
    changes_.emplace_back(refused_replica(host_, start, *refusal));
    return;
  }
  const ReplicaEngine::ReplicaLocation place{start.number, devices_[start.devices.front()].group,
                                             start.devices};
  auto engine = std::make_unique<ReplicaEngine>(place, placement, model, now, warm);
  engine->set_pace(now, slowest(start.devices), placement.link_share);
  own(start.devices, ByReplica{start.number});
  changes_.emplace_back(engine->report(host_));
  apply(now, *engine, start.devices);
  replicas_.emplace(start.number, std::move(engine));
}

bool Executor::retire_replica(Instant now, std::uint32_t number) {
  const auto found = replicas_.find(number);
  if (found == replicas_.end()) return false;
  ReplicaEngine& engine = *found->second;
  const ReplicaState before = engine.state();
  engine.drain(energy_reading(now, engine.place().devices));
  settle(now, engine, before);
  return true;
}

void Executor::set_power_cap(Instant now, std::uint16_t device, double cap_w) {
  chassis_.set_power_cap(now, device, cap_w);
  repace(now, {device});
}

Instant Executor::next_end() const {
  Instant next = never;
  for (const auto& [number, engine] : replicas_) next = std::min(next, engine->next_event());
  for (const auto& [number, gang] : gangs_) next = std::min(next, gang.next_event());
  return next;
}

void Executor::advance(Instant now) {
  repace(now, chassis_.advance(now));
  for (auto next = gangs_.begin(); next != gangs_.end();) {
    const auto gang = next++;
    if (gang->second.next_event() > now) continue;
    if (gang->second.expired(now)) {
      stop_gang(now, gang, Reason::capacity, "its gang did not start in time");
    } else {
      end_gang(now, gang, gang->second.finish(energy_reading(now, gang->second.devices())));
    }
  }
  for (auto next = replicas_.begin(); next != replicas_.end();) {
    ReplicaEngine& engine = *(next++)->second;
    if (engine.next_event() > now) continue;
    const ReplicaState before = engine.state();
    engine.advance(energy_reading(now, engine.place().devices));
    settle(now, engine, before);
  }
}

void Executor::repace(Instant now, const std::vector<std::size_t>& changed) {
  for (const std::size_t device : changed) {
    if (chassis_.shut_down(device)) shut_down(now, static_cast<std::uint16_t>(device));
    const Owner owner = owners_[device];
    std::visit(Overloaded{[](Free) {},
                          [&](ByReplica replica) {
                            ReplicaEngine& engine = *replicas_.at(replica.number);
                            apply(now, engine, engine.place().devices);
                          },
                          [&](ByGang by_gang) {
                            TrainingGang& gang = gangs_.at(by_gang.number);
                            apply(now, gang, gang.devices());
                            report_step_time(gang);
                          }},
               owner);
  }
}

std::vector<Executor::Change> Executor::take_changes() { return std::exchange(changes_, {}); }

std::vector<AttemptKey> Executor::held() const {
  std::vector<AttemptKey> keys;
  for (const auto& [key, owner] : held_) keys.push_back(key);
  return keys;
}

std::optional<std::uint32_t> Executor::attempt_of(const JobId& job) const {
  const auto found = held_.lower_bound(AttemptKey{job, 0});
  if (found == held_.end() || found->first.job != job) return std::nullopt;
  return found->first.attempt;
}

std::vector<Replica> Executor::replicas() const {
  std::vector<Replica> all;
  for (const auto& [number, engine] : replicas_) all.push_back(engine->report(host_));
  return all;
}

std::optional<Replica> Executor::replica(std::uint32_t number) const {
  const auto found = replicas_.find(number);
  if (found == replicas_.end()) return std::nullopt;
  return found->second->report(host_);
}

std::vector<Progress> Executor::progress(Instant now) const {
  std::vector<Progress> all;
  for (const auto& [number, gang] : gangs_) all.push_back(gang.progress(now));
  for (const auto& [number, engine] : replicas_) {
    for (Progress& one : engine->progress(now)) all.push_back(one);
  }
  return all;
}

Sample Executor::reading(Instant now, std::uint16_t device) const {
  Sample sample = chassis_.reading(now, device);
  add_work(sample, device);
  return sample;
}

Sample Executor::published(Instant now, std::uint16_t device) const {
  Sample sample = chassis_.published(now, device);
  add_work(sample, device);
  return sample;
}

void Executor::add_work(Sample& sample, std::uint16_t device) const {
  sample[Metric::queue] = 0;
  sample[Metric::running] = std::holds_alternative<ByGang>(owners_[device]) ? 1 : 0;
  if (const auto* by_replica = std::get_if<ByReplica>(&owners_[device])) {
    const ReplicaEngine& engine = *replicas_.at(by_replica->number);
    sample[Metric::queue] = engine.queued();
    sample[Metric::running] = engine.running();
  }
}

}  // namespace drover::agents
