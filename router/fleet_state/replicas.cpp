// FleetState's replicas: reports, and reservations, which count at once.
#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "fleet/base/identity.h"
#include "fleet/base/search.h"
#include "router/fleet_state/fleet_state.h"

namespace drover::router {
namespace {

/// Larger numbers are rejected, so that `next_replica_number` cannot wrap.
constexpr std::uint32_t replica_number_max = 1'000'000'000;

void insert_sorted(std::vector<ReplicaIndex>& list, ReplicaIndex index) {
  const auto place = std::ranges::lower_bound(list, index);
  if (place == list.end() || *place != index) list.insert(place, index);
}

void erase_sorted(std::vector<ReplicaIndex>& list, ReplicaIndex index) {
  const auto place = std::ranges::lower_bound(list, index);
  if (place != list.end() && *place == index) list.erase(place);
}

/// Whether it is the same model on the same devices: a report of a known replica.
bool same_copy(const Replica& a, const Replica& b) {
  return a.model == b.model && a.group == b.group && a.devices == b.devices;
}

ReplicaFacts facts_of_place(const Replica& replica, DeviceIndex first_device) {
  ReplicaFacts facts;
  facts.first_device = first_device;
  facts.devices = static_cast<std::uint16_t>(replica.devices.size());
  for (std::size_t next = 1; next < replica.devices.size(); ++next) {
    if (replica.devices[next] != replica.devices[next - 1] + 1) facts.side_by_side = false;
  }
  facts.precision = replica.precision;
  return facts;
}

/// Factor on decode time for the prefill of other requests between its steps: in a steady state 1
/// / (1 - share), where `share` of the replica's time goes to prefill.
double disturbance(const ReservedPrompt& prompts) {
  // assumed: decoding gets at least a fifth of the time, however many prompts a burst brings.
  constexpr double share_max = 0.8;
  return 1 / (1 - std::min(share_max, static_cast<double>(prompts.share_ppm) * 1e-6));
}

/// Called whenever its report or its reservations have changed.
void refresh(ReplicaEntry& entry) {
  const Replica& replica = entry.replica;
  ReplicaFacts& facts = entry.facts;
  facts.state = replica.state;
  facts.ready_at = replica.ready_at;
  facts.requests = std::max(entry.reserved_requests, replica.queued + replica.running);
  facts.batch_max = std::max(1U, replica.batch_max);
  const double batch = std::min(facts.requests + 1, facts.batch_max);
  facts.batch_exponent = batch_exponent(batch);
  facts.batch_share = 1 / batch;
  facts.disturbance = disturbance(entry.prompts);
  facts.tokens = static_cast<double>(std::max(entry.reserved_tokens, replica.kv_used_tokens));
  facts.tokens_max = static_cast<double>(replica.kv_capacity_tokens);
}

}  // namespace

std::uint8_t batch_exponent(double batch) {
  constexpr double most = 1U << (batch_exponents - 1);
  const auto whole = static_cast<std::uint32_t>(std::min(batch, most));
  return static_cast<std::uint8_t>(std::bit_width(whole - 1));
}

std::optional<GroupIndex> FleetState::group_of(HostIndex host, const Replica& replica) const {
  if (replica.devices.empty() || !is_name(replica.model)) return std::nullopt;
  for (const GroupIndex index : hosts_[host].groups) {
    const Group& group = groups_[index].group;
    if (group.number != replica.group) continue;
    std::set<std::uint16_t> seen;
    for (const std::uint16_t number : replica.devices) {
      const bool inside = number >= group.first && number < group.first + group.count;
      if (!inside || !seen.insert(number).second) return std::nullopt;
    }
    return index;
  }
  return std::nullopt;
}

ReplicaIndex FleetState::apply(Instant now, HostIndex host, const Replica& replica) {
  DROVER_REQUIRE(host < hosts_.size());
  HostEntry& entry = hosts_[host];
  const std::uint32_t number = replica.id.number;
  const ReplicaIndex* known = find_in(entry.replica_by_number, number);
  if (replica.state == ReplicaState::gone) {
    if (known == nullptr) return no_index;
    if (replicas_[*known].replica.state != ReplicaState::gone) forget(*known);
    replicas_[*known].replica.detail = replica.detail;
    return *known;
  }
  const auto group = group_of(host, replica);
  if (!group || number > replica_number_max) return no_index;
  const bool live = known != nullptr && replicas_[*known].replica.state != ReplicaState::gone;
  if (!live && entry.replicas.size() >= replicas_per_host_max) return no_index;
  if (live && !same_copy(replicas_[*known].replica, replica)) forget(*known);

  const ReplicaIndex index = known != nullptr ? *known : replica_slot(entry);
  ReplicaEntry& row = replicas_[index];
  const bool added =
      known == nullptr || row.replica.state == ReplicaState::gone || row.replica.devices.empty();
  entry.replica_by_number.emplace(number, index);
  if (added) row = ReplicaEntry{};
  row.replica = replica;
  row.replica.id.host = entry.registration.host;
  row.host = host;
  row.group = *group;
  row.number = number;
  if (added) {
    row.last_used = now;
    insert_sorted(entry.replicas, index);
    insert_sorted(replicas_by_model_[replica.model], index);
    for (const std::uint16_t device : replica.devices) ++devices_.replicas[entry.devices[device]];
  }
  row.facts = facts_of_place(replica, entry.devices[replica.devices.front()]);
  refresh(row);
  ++version_;
  // A loading replica will draw context-idle power, whoever loads it.
  const bool opens =
      replica.state == ReplicaState::loading || replica.state == ReplicaState::compiling;
  if (added && opens) reserve_replica(now, index);
  return index;
}

/// Reuses the oldest gone replica once the host has had many.
ReplicaIndex FleetState::replica_slot(HostEntry& host) {
  if (host.replica_by_number.size() >= replicas_known_per_host) {
    for (auto old = host.replica_by_number.begin(); old != host.replica_by_number.end(); ++old) {
      const ReplicaIndex index = old->second;
      if (replicas_[index].replica.state != ReplicaState::gone) continue;
      dropped_places_.push_back(to_text(ReplicaId{host.registration.host, old->first}));
      host.replica_by_number.erase(old);
      replicas_[index] = ReplicaEntry{};
      return index;
    }
  }
  if (!free_replicas_.empty()) {
    const ReplicaIndex index = free_replicas_.back();
    free_replicas_.pop_back();
    replicas_[index] = ReplicaEntry{};
    return index;
  }
  replicas_.emplace_back();
  return static_cast<ReplicaIndex>(replicas_.size() - 1);
}

/// Frees the entry. REQUIRES that the replica is gone and that no host refers to it. Scans still
/// see it as gone.
void FleetState::free_replica(ReplicaIndex index) {
  DROVER_REQUIRE(replicas_[index].replica.state == ReplicaState::gone);
  replicas_[index].replica = Replica{};
  replicas_[index].replica.state = ReplicaState::gone;
  free_replicas_.push_back(index);
}

void FleetState::note_prefix(ReplicaIndex replica, const std::vector<std::uint64_t>& prefix) {
  if (prefix.empty()) return;
  const std::uint64_t tokens = replicas_[replica].replica.kv_capacity_tokens;
  prefixes_.used(replica, prefix, tokens / prefix_block_tokens);
}

void FleetState::forget(ReplicaIndex index) {
  prefixes_.forget(index);
  ReplicaEntry& row = replicas_[index];
  HostEntry& entry = hosts_[row.host];
  erase_sorted(entry.replicas, index);
  const auto of_model = replicas_by_model_.find(row.replica.model);
  if (of_model != replicas_by_model_.end()) {
    erase_sorted(of_model->second, index);
    if (of_model->second.empty()) replicas_by_model_.erase(of_model);
  }
  for (const std::uint16_t device : row.replica.devices) {
    std::uint16_t& count = devices_.replicas[entry.devices[device]];
    if (count > 0) --count;
  }
  expect_serving(row, 0);
  row.replica.state = ReplicaState::gone;
  row.replica.queued = row.replica.running = 0;
  row.reserved_requests = 0;
  row.reserved_tokens = 0;
  row.prompts_until = {};
  row.prompts = {};
  refresh(row);
  ++version_;
}

std::optional<ReplicaIndex> FleetState::find_replica(HostIndex host, std::uint32_t number) const {
  if (host >= hosts_.size()) return std::nullopt;
  const ReplicaIndex* known = find_in(hosts_[host].replica_by_number, number);
  if (known == nullptr || replicas_[*known].replica.state == ReplicaState::gone)
    return std::nullopt;
  return *known;
}

std::uint32_t FleetState::next_replica_number(HostIndex host) const {
  DROVER_REQUIRE(host < hosts_.size());
  const auto& numbers = hosts_[host].replica_by_number;
  return numbers.empty() ? 0 : numbers.rbegin()->first + 1;
}

const std::vector<ReplicaIndex>& FleetState::replicas_of(std::string_view model) const {
  static const std::vector<ReplicaIndex> none;
  const auto* replicas = find_in(replicas_by_model_, model);
  return replicas == nullptr ? none : *replicas;
}

ReservedPrompt FleetState::reserve_request(Instant now, ReplicaIndex replica, std::uint64_t tokens,
                                           Instant busy_until, Duration prompt,
                                           ServingPower power) {
  ReplicaEntry& row = this->replica(replica);
  ++row.reserved_requests;
  row.reserved_tokens += tokens;
  const Instant begin = row.replica.state == ReplicaState::ready ? now : row.replica.ready_at;
  row.prompts_until = saturating_add(std::max(begin, now + prompt_wait(now, row)), prompt);
  row.last_used = now;
  const double life_s = to_seconds(std::max(busy_until - now, prompt));
  ReservedPrompt reserved{prompt, 0};
  if (life_s > 0) reserved.share_ppm = std::llround(to_seconds(prompt) / life_s * 1e6);
  row.prompts.length += reserved.length;
  row.prompts.share_ppm += reserved.share_ppm;
  refresh(row);
  if (power.decode_w > 0) {
    expect_serving(row, power.decode_w);
    if (prompt > Duration{0}) expect_prompt(now, row, power.prompt_w);
    reserve_replica(now, replica);
  }
  return reserved;
}

void FleetState::release_request(ReplicaIndex replica, std::uint64_t tokens,
                                 ReservedPrompt prompt) {
  ReplicaEntry& row = this->replica(replica);
  // A forgotten replica has no reservations left: releases stop at zero.
  if (row.reserved_requests > 0) {
    const double left = static_cast<double>(row.reserved_requests - 1) / row.reserved_requests;
    expect_serving(row, row.serving_w * left);
    --row.reserved_requests;
  }
  row.reserved_tokens -= std::min(row.reserved_tokens, tokens);
  row.prompts.length = std::max(row.prompts.length - prompt.length, Duration{0});
  row.prompts.share_ppm = std::max<std::int64_t>(row.prompts.share_ppm - prompt.share_ppm, 0);
  if (row.reserved_requests == 0) {
    row.reserved_tokens = 0;
    row.prompts = {};
    forget_prompts(row);
  }
  refresh(row);
}

void FleetState::note_used(Instant now) {
  // The version stays: nothing that decisions read has changed.
  for (ReplicaEntry& row : replicas_) {
    if (row.has_work()) row.last_used = now;
  }
}

ReplicaEntry& FleetState::replica(ReplicaIndex index) {
  DROVER_REQUIRE(index < replicas_.size());
  ++version_;
  return replicas_[index];
}

}  // namespace drover::router
