#include "agents/execution/replica.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/result.h"
#include "fleet/base/search.h"

namespace drover::agents {
namespace {

std::uint64_t tokens_of(const Workload& work) {
  return std::uint64_t{work.input_tokens} + work.output_tokens;
}

}  // namespace

std::optional<Refusal> refuse_serving(const devices::Placement& placement,
                                      const devices::ModelSpec& model) {
  if (model.architecture != devices::Architecture::decoder) {
    return Refusal{Reason::invalid,
                   fmt::format("{} generates no tokens: it cannot be served", model.id)};
  }
  if (!placement.device->runs(placement.precision)) {
    return Refusal{Reason::precision,
                   fmt::format("{} does not run {} natively", placement.device->id,
                               to_text(placement.precision))};
  }
  if (placement.devices < 1 || model.heads % static_cast<std::uint32_t>(placement.devices) != 0) {
    return Refusal{Reason::topology,
                   fmt::format("the {} attention heads of {} are not divisible by {} devices",
                               model.heads, model.id, placement.devices)};
  }
  if (devices::kv_capacity_tokens(placement, model) == 0) {
    return Refusal{
        Reason::memory,
        fmt::format("{} in {} needs {:.1f} GiB of weights per device, {} has {:.1f} GiB "
                    "for models",
                    model.id, to_text(placement.precision),
                    devices::weights_bytes(placement, model) / (1 << 30), placement.device->id,
                    (placement.device->memory.bytes - placement.device->memory.reserved_bytes) /
                        (1 << 30))};
  }
  return std::nullopt;
}

Replica refused_replica(const std::string& host, const StartReplica& start,
                        const Refusal& refusal) {
  Replica gone;
  gone.id = {host, start.number};
  gone.model = start.model;
  gone.precision = start.precision;
  gone.devices = start.devices;
  gone.state = ReplicaState::gone;
  gone.detail = fmt::format("{}: {}", to_text(refusal.reason), refusal.detail);
  return gone;
}

std::optional<Refusal> refuse_needs(const devices::DeviceSpec& device, const Workload& work) {
  if (!work.framework.empty() && !contains(device.frameworks, work.framework)) {
    return Refusal{Reason::framework, fmt::format("{} does not run {}", device.id, work.framework)};
  }
  for (const std::string& op : work.ops) {
    if (contains(device.missing_ops, op)) {
      return Refusal{Reason::op_unsupported, fmt::format("{} has no {}", device.id, op)};
    }
  }
  return std::nullopt;
}

ReplicaEngine::ReplicaEngine(ReplicaLocation place, devices::Placement placement,
                             devices::ModelSpec model, Instant now, bool warm)
    : place_(std::move(place)),
      placement_(placement),
      model_(std::move(model)),
      batch_(placement_, model_,
             {devices::kv_capacity_tokens(placement_, model_), replica_batch_max}) {
  const int buckets = devices::warm_buckets(*placement_.device);
  // A replica loaded from the start has its compilation cache.
  batch_.warm(warm ? ContinuousBatch::buckets_max : buckets);
  loaded_at_ = ready_at_ = now;
  if (warm) return;
  state_ = ReplicaState::loading;
  loaded_at_ = saturating_add(now, from_seconds(devices::load_seconds(placement_, model_)));
  ready_at_ = saturating_add(loaded_at_,
                             from_seconds(buckets * devices::compile_seconds(placement_, model_)));
}

std::optional<Refusal> ReplicaEngine::refuse(const Job& job) const {
  const Workload& work = job.work;
  if (state_ == ReplicaState::draining || state_ == ReplicaState::gone) {
    return Refusal{Reason::drain, fmt::format("replica r{} is {}", place_.number, to_text(state_))};
  }
  if (work.model != model_.id) {
    return Refusal{Reason::invalid, fmt::format("replica r{} holds {}, the job needs {}",
                                                place_.number, model_.id, work.model)};
  }
  if (work.kind == WorkKind::train || work.input_tokens == 0 || work.items == 0) {
    return Refusal{Reason::invalid, "a replica serves requests of at least one input token"};
  }
  if (auto refusal = refuse_needs(*placement_.device, work)) return refusal;
  const std::uint64_t tokens = tokens_of(work);
  if (tokens > model_.context_max) {
    return Refusal{Reason::context, fmt::format("{} tokens exceed the context of {} ({})", tokens,
                                                model_.id, model_.context_max)};
  }
  if (tokens > batch_.limits().kv_capacity_tokens) {
    return Refusal{Reason::memory,
                   fmt::format("needs {} tokens of KV cache, replica r{} has {}", tokens,
                               place_.number, batch_.limits().kv_capacity_tokens)};
  }
  if (waiting_.size() >= replica_queue_max) {
    return Refusal{Reason::capacity, fmt::format("{} requests already wait for replica r{}",
                                                 waiting_.size(), place_.number)};
  }
  return std::nullopt;
}

std::optional<Refusal> ReplicaEngine::accept(const EnergyReading& reading, const AttemptKey& key,
                                             const Job& job) {
  if (auto refusal = refuse(job)) return refusal;
  Attempt attempt;
  attempt.work = job.work;
  attempt.tenant = job.tenant;
  attempt.arrived = reading.at;
  attempt.priority = job.priority;
  attempt.order = next_number_++;
  attempt.items_waiting = job.work.kind == WorkKind::batch ? job.work.items : 1;
  waiting_.emplace(-attempt.priority, attempt.order, key);
  DROVER_REQUIRE(attempts_.emplace(key, std::move(attempt)).second);
  go_on(reading);
  return std::nullopt;
}

void ReplicaEngine::admit() {
  if (state_ == ReplicaState::loading || state_ == ReplicaState::compiling) return;
  while (!waiting_.empty()) {
    const AttemptKey key = std::get<AttemptKey>(*waiting_.begin());
    Attempt& attempt = attempts_.at(key);
    while (attempt.items_waiting > 0 && batch_.fits(tokens_of(attempt.work))) {
      batch_.join(next_number_, attempt.work.input_tokens, attempt.work.output_tokens);
      items_.emplace(next_number_++, key);
      --attempt.items_waiting;
      ++attempt.items_running;
    }
    if (attempt.items_waiting > 0) return;
    waiting_.erase(waiting_.begin());
  }
}

/// Admits what fits, and makes it join soon.
void ReplicaEngine::go_on(const EnergyReading& reading) {
  const std::uint32_t running = batch_.running();
  admit();
  if (!batch_.busy()) {
    batch_.begin_phase(reading);
  } else if (batch_.running() > running) {
    batch_.interrupt(reading.at);
  }
  if (state_ == ReplicaState::draining && attempts_.empty()) remove_now("retired");
}

void ReplicaEngine::leave_queue(const AttemptKey& key, Attempt& attempt) {
  waiting_.erase({-attempt.priority, attempt.order, key});
  attempt.items_waiting = 0;
}

void ReplicaEngine::cancel(const EnergyReading& reading, const AttemptKey& key, Reason reason,
                           bool silent) {
  const auto found = attempts_.find(key);
  if (found == attempts_.end()) return;
  Attempt& attempt = found->second;
  attempt.stopping = reason;
  attempt.silent = attempt.silent || silent;
  leave_queue(key, attempt);
  if (attempt.items_running == 0) {
    end(found, reading.at);
  } else {
    for (const auto& [number, owner] : items_) {
      if (owner == key) batch_.leave(number);
    }
    batch_.interrupt(reading.at);
  }
  go_on(reading);
}

void ReplicaEngine::stop_all(const EnergyReading& reading, Reason reason,
                             const std::string& detail) {
  for (auto& [key, attempt] : attempts_) {
    attempt.stopping = reason;
    attempt.detail = detail;
    leave_queue(key, attempt);
  }
  settle(batch_.abort(reading), reading.at);
  while (!attempts_.empty()) end(attempts_.begin(), reading.at);
  if (state_ == ReplicaState::draining) remove_now("retired");
}

void ReplicaEngine::settle(const std::vector<ContinuousBatch::EndedRequest>& left, Instant now) {
  for (const ContinuousBatch::EndedRequest& one : left) {
    const auto item = items_.find(one.number);
    const auto found = attempts_.find(item->second);
    items_.erase(item);
    Attempt& attempt = found->second;
    attempt.usage += one.usage;
    --attempt.items_running;
    if (one.complete) {
      ++attempt.items_done;
      attempt.first_token = std::min(attempt.first_token.value_or(never), one.first_token);
    }
    if (attempt.items_running == 0 && attempt.items_waiting == 0) end(found, now);
  }
}

void ReplicaEngine::end(Attempts::iterator found, Instant now) {
  const Attempt& attempt = found->second;
  const std::uint32_t items = attempt.work.kind == WorkKind::batch ? attempt.work.items : 1;
  EndedAttempt ended;
  ended.key = found->first;
  ended.at = now;
  ended.usage = attempt.usage;
  ended.usage.cost_usd = attempt.usage.device_s / 3600 * placement_.device->price.usd_per_h;
  // A cancellation during the last step is too late: the work is done.
  if (attempt.items_done < items) {
    ended.failure = attempt.stopping.value_or(Reason::cancelled);
    ended.detail = attempt.detail;
  } else {
    ended.outcome.input_tokens = std::uint64_t{attempt.work.input_tokens} * items;
    ended.outcome.output_tokens = std::uint64_t{attempt.work.output_tokens} * items;
    ended.outcome.first_token_s = to_seconds(attempt.first_token.value_or(now) - attempt.arrived);
    ended.outcome.run_s = to_seconds(now - attempt.arrived);
  }
  if (!attempt.silent) ended_.push_back(std::move(ended));
  attempts_.erase(found);
}

void ReplicaEngine::drain(const EnergyReading& reading) {
  if (state_ == ReplicaState::draining || state_ == ReplicaState::gone) return;
  const bool was_ready = state_ == ReplicaState::ready;
  state_ = ReplicaState::draining;
  // Work waiting for a replica that will never be ready is returned to the router.
  if (!was_ready) return stop_all(reading, Reason::drain, "retired before it was ready");
  go_on(reading);
}

void ReplicaEngine::remove_now(std::string detail) {
  DROVER_REQUIRE(attempts_.empty() && !batch_.busy());
  state_ = ReplicaState::gone;
  detail_ = std::move(detail);
}

void ReplicaEngine::set_paused(Instant now, bool paused) {
  if (paused == paused_clock_.is_paused()) return;
  batch_.set_paused(now, paused);
  if (paused) return paused_clock_.begin(now);
  const Duration lost = paused_clock_.end(now);
  if (state_ == ReplicaState::loading) loaded_at_ += lost;
  if (state_ == ReplicaState::loading || state_ == ReplicaState::compiling) ready_at_ += lost;
}

Instant ReplicaEngine::next_event() const {
  if (paused_clock_.is_paused()) return never;
  if (state_ == ReplicaState::loading) return loaded_at_;
  if (state_ == ReplicaState::compiling) return ready_at_;
  return batch_.next_event();
}

void ReplicaEngine::advance(const EnergyReading& reading) {
  DROVER_REQUIRE(reading.at <= next_event());
  if (state_ == ReplicaState::loading && reading.at == loaded_at_) {
    state_ = ReplicaState::compiling;
  }
  if (state_ == ReplicaState::compiling && reading.at == ready_at_) state_ = ReplicaState::ready;
  if (batch_.next_event() == reading.at) settle(batch_.finish_phase(reading), reading.at);
  go_on(reading);
}

Pause ReplicaEngine::pause() const {
  if (state_ == ReplicaState::loading) return Pause::loading;
  if (state_ == ReplicaState::compiling) return Pause::compiling;
  return batch_.pause();
}

bool ReplicaEngine::take_compiling_change() {
  const bool compiles = batch_.pause() == Pause::compiling;
  return std::exchange(compiling_reported_, compiles) != compiles;
}

double ReplicaEngine::memory_bytes() const {
  const double cache_bytes = static_cast<double>(batch_.limits().kv_capacity_tokens) *
                             devices::kv_bytes_per_token(placement_, model_);
  return devices::weights_bytes(placement_, model_) + cache_bytes / placement_.devices;
}

std::vector<EndedAttempt> ReplicaEngine::take_ended() { return std::exchange(ended_, {}); }

/// The tenants with the most KV cache, by name.
std::vector<TenantShare> ReplicaEngine::tenants() const {
  std::map<std::string_view, TenantShare> by_name;
  for (const auto& [key, attempt] : attempts_) {
    if (attempt.items_running == 0) continue;
    TenantShare& share = by_name[attempt.tenant];
    share.tenant = attempt.tenant;
    share.requests += attempt.items_running;
    share.kv_tokens += attempt.items_running * tokens_of(attempt.work);
  }
  std::vector<TenantShare> shares;
  for (auto& [name, share] : by_name) shares.push_back(std::move(share));
  if (shares.size() <= tenant_shares_max) return shares;
  std::stable_sort(shares.begin(), shares.end(), [](const TenantShare& a, const TenantShare& b) {
    return a.kv_tokens > b.kv_tokens;
  });
  shares.resize(tenant_shares_max);
  std::sort(shares.begin(), shares.end(),
            [](const TenantShare& a, const TenantShare& b) { return a.tenant < b.tenant; });
  return shares;
}

Replica ReplicaEngine::report(const std::string& host) const {
  Replica replica;
  replica.id = {host, place_.number};
  replica.model = model_.id;
  replica.precision = placement_.precision;
  replica.group = place_.group;
  replica.devices = place_.devices;
  replica.state = state_;
  replica.ready_at = ready_at_;
  replica.kv_capacity_tokens = batch_.limits().kv_capacity_tokens;
  replica.batch_max = batch_.limits().batch_max;
  replica.queued = queued();
  replica.running = running();
  replica.kv_used_tokens = batch_.kv_used_tokens();
  replica.weights_bytes = static_cast<std::uint64_t>(devices::weights_bytes(placement_, model_));
  replica.kv_token_bytes = static_cast<std::uint64_t>(
      devices::kv_bytes_per_token(placement_, model_) / placement_.devices);
  replica.tenants = tenants();
  replica.detail = detail_;
  replica.pause = pause();
  return replica;
}

std::vector<Progress> ReplicaEngine::progress(Instant now) const {
  std::vector<Progress> all;
  for (const auto& [key, attempt] : attempts_) {
    if (attempt.work.kind != WorkKind::batch || attempt.items_done == 0) continue;
    const double share = static_cast<double>(attempt.items_done) / attempt.work.items;
    const double elapsed_s =
        to_seconds(std::max(attempt.arrived, paused_clock_.own(now)) - attempt.arrived);
    all.push_back({key.job, key.attempt, share, elapsed_s * (1 - share) / share});
  }
  return all;
}

}  // namespace drover::agents
