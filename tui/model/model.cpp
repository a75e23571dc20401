#include "tui/model/model.h"

#include <utility>
#include <variant>

#include "fleet/base/text.h"

namespace drover::tui {

bool Model::handles(const Message& body) {
  return std::visit(
      []<typename Body>(const Body&) {
        return requires(Model model, const Envelope& envelope, const Body& taken) {
          model.take(Instant{}, envelope, taken);
        };
      },
      body);
}

bool Model::apply(Instant now, const Envelope& envelope) {
  tick(now);
  if (handles(envelope.body)) last_received_ = std::max(last_received_, now);
  const bool changed = std::visit(
      [&](const auto& body) {
        if constexpr (requires { take(now, envelope, body); }) return take(now, envelope, body);
        return false;
      },
      envelope.body);
  if (trend_due_ == never && !in_snapshot_) tick(now);
  return changed;
}

bool Model::take(Instant, const Envelope&, const Summary& summary) {
  summary_ = summary;
  const std::uint64_t open = summary.queued + summary.running;
  unknown_open_jobs_ = open > open_jobs_ ? open - open_jobs_ : 0;
  return true;
}

bool Model::take(Instant, const Envelope&, const PolicyChanged& policy) {
  policy_ = policy;
  if (policy.stale_after_s > 0) stale_after_ = from_seconds(policy.stale_after_s);
  for (HostRow& host : hosts_) set_stale_age(host);
  return true;
}

namespace {

std::size_t hash_of(const std::vector<SpecText>& specs) {
  std::size_t hash = specs.size();
  for (const SpecText& spec : specs) {
    for (const std::string* text : {&spec.id, &spec.text}) {
      hash = hash * 1'099'511'628'211u + std::hash<std::string>{}(*text);
    }
  }
  return hash;
}

/// Whether groups have the same devices. Current settings such as a power cap may differ.
bool same_shape(const std::vector<Group>& before, const std::vector<Group>& after) {
  return std::equal(before.begin(), before.end(), after.begin(), after.end(),
                    [](const Group& a, const Group& b) {
                      return std::tie(a.number, a.first, a.count, a.device, a.topology) ==
                             std::tie(b.number, b.first, b.count, b.device, b.topology);
                    });
}

HostChanged without_specs(HostChanged host) {
  host.registration.specs = {};
  return host;
}

}  // namespace

bool Model::take(Instant, const Envelope&, const HostChanged& changed) {
  const auto known = host_numbers_.find(changed.registration.host);
  if (known != host_numbers_.end()) {
    HostRow& host = hosts_[known->second];
    const bool same_devices =
        same_shape(host.reported.registration.groups, changed.registration.groups) &&
        host.specs_hash == hash_of(changed.registration.specs);
    const bool restarted =
        host.reported.registration.incarnation != changed.registration.incarnation;
    host.reported = without_specs(changed);
    host.snapshot = snapshot_;
    set_stale_age(host);
    if (restarted) forget_life(host);
    if (!same_devices) {
      remove_devices(host);
      place_devices(known->second, changed);
    } else if (host.count > 0) {
      const std::vector<std::uint16_t> pools = pool_sets_of(host.reported);
      DeviceTable::Row row = host.first;
      for (std::size_t g = 0; g < pools.size(); ++g) {
        for (int i = 0; i < host.reported.registration.groups[g].count; ++i)
          devices_.set_pools(row++, pools[g]);
      }
    }
    ++structure_;  // its rack may have changed
    return true;
  }
  if (hosts_.size() >= shown_hosts_max) {
    ++left_out_;
    return false;
  }
  const auto number = static_cast<std::uint32_t>(hosts_.size());
  host_numbers_.emplace(changed.registration.host, number);
  hosts_.push_back(HostRow{.reported = without_specs(changed), .snapshot = snapshot_});
  set_stale_age(hosts_.back());
  place_devices(number, changed);
  return true;
}

/// Forgets what only the agent before this one said. Its successor describes the boards again.
void Model::forget_life(HostRow& host) {
  host.sequence = 0;
  boards_.forget(host.reported.registration.host);
}

void Model::place_devices(std::uint32_t number, const HostChanged& reported) {
  const Register& registration = reported.registration;
  std::uint64_t count = 0;
  for (const Group& group : registration.groups) count += group.count;
  ++structure_;
  HostRow& host = hosts_[number];
  host.specs_hash = hash_of(registration.specs);
  host.first = devices_.rows();
  host.count = 0;
  host.last_sample_at = Instant::min();
  if (devices_.rows() + count > shown_devices_max) {
    left_out_ += count;
    return;
  }
  std::vector<std::uint16_t> specs;
  for (const Group& group : registration.groups) {
    specs.push_back(spec_number(group.device, registration.specs, specs));
  }
  host.first = devices_.append(number, registration.groups, specs, pool_sets_of(reported));
  host.count = devices_.rows() - host.first;
}

void Model::remove_devices(HostRow& host) {
  devices_.remove(host.first, host.count);
  for (HostRow& other : hosts_) {
    if (&other != &host && other.first > host.first) other.first -= host.count;
  }
  host.count = 0;
  ++structure_;
}

bool Model::take(Instant now, const Envelope& envelope, const SampleBatch& batch) {
  const auto known = host_numbers_.find(batch.host);
  if (known == host_numbers_.end() || !check(batch)) return false;
  HostRow& host = hosts_[known->second];
  if (in_snapshot_) {
    // Batches received from the stream since are newer than the snapshot. Batches that are missing
    // in between do not count as lost: they may be on their way or from before the subscription.
    if (host.sequence > 0 && envelope.sequence <= host.sequence) return false;
    // A snapshot has a batch for each age, as devices that are no longer sampled have old values.
    const Instant last_sample_at = std::min(now, envelope.at);
    host.last_sample_at = std::max(host.last_sample_at, last_sample_at);
    devices_.take(last_sample_at, host.first, host.count, batch);
    return true;
  }
  if (envelope.sequence > 0) {
    if (host.sequence > 0 && envelope.sequence > host.sequence + 1) {
      host.gaps += envelope.sequence - host.sequence - 1;
    }
    host.sequence = envelope.sequence;
  }
  const bool follows = host.last_sample_at != Instant::min() &&
                       saturating_add(host.last_sample_at, stale_age(host)) >= now;
  host.last_sample_at = now;
  host.receive_stats.count(now, envelope.at, batch.devices.size(), wall_);
  throttle_time_.before(devices_, host.first, host.count);
  devices_.take(now, host.first, host.count, batch);
  if (follows) throttle_time_.after(devices_, host.first, host.count);
  return true;
}

bool Model::take(Instant, const Envelope&, const ReplicaChanged& changed) {
  const auto known = replicas_.find(changed.replica.id);
  if (changed.replica.state == ReplicaState::gone) {
    if (known != replicas_.end()) replicas_.erase(known);
    return true;
  }
  if (known == replicas_.end() && replicas_.size() >= replicas_max) {
    ++left_out_;
    return false;
  }
  replicas_[changed.replica.id] = ReplicaRow{changed, snapshot_};
  return true;
}

bool Model::take(Instant now, const Envelope& envelope, const JobChanged& changed) {
  const auto known = jobs_.find(changed.job.id);
  const bool ended = is_terminal(changed.state);
  const bool was_open = known != jobs_.end() && !is_terminal(known->second.reported.state);
  if (known == jobs_.end() && !ended && open_jobs_ >= open_jobs_max) {
    ++left_out_;
    return false;
  }
  if (known != jobs_.end() && !was_open) {
    // An ended job stays ended; only a corrected report of its end is accepted.
    if (ended) {
      known->second.reported = changed;
      known->second.received_at = now;
      known->second.snapshot = snapshot_;
    }
    return ended;
  }
  JobRow& row = jobs_[changed.job.id];
  add_phase(row.phases, envelope.at, changed);
  row.reported = changed;
  row.received_at = now;
  row.snapshot = snapshot_;
  if (!ended) {
    if (!was_open) ++open_jobs_;
    return true;
  }
  if (was_open) --open_jobs_;
  ended_.push_back(changed.job.id);
  if (ended_.size() > ended_jobs_max) {
    jobs_.erase(ended_.front());
    ended_.pop_front();
  }
  return true;
}

bool Model::take(Instant now, const Envelope&, const Decision& decision) {
  // Usually it is the newest; a snapshot may contain older ones.
  auto place = decisions_.end();
  while (place != decisions_.begin() && std::prev(place)->number >= decision.number) --place;
  if (place != decisions_.end() && place->number == decision.number) return false;
  decisions_.insert(place, decision);
  if (decisions_.size() > decisions_max) decisions_.pop_front();
  if (decision.action == Action::assign) count_flow(std::min(now, decision.at), decision);
  return true;
}

void Model::forget_decision_numbers() { decisions_.clear(); }

void Model::begin_snapshot() {
  ++snapshot_;
  in_snapshot_ = true;
}

void Model::end_snapshot(Instant now) {
  in_snapshot_ = false;
  const auto is_absent = [&](const auto& row) { return row.second.snapshot != snapshot_; };
  remove_hosts([&](const HostRow& host) { return host.snapshot != snapshot_; });
  std::erase_if(replicas_, is_absent);
  open_jobs_ -= std::erase_if(jobs_, [&](const auto& row) {
    return !is_terminal(row.second.reported.state) && is_absent(row);
  });
  std::erase_if(conditions_, is_absent);
  boards_.forget_before(snapshot_);
  std::erase_if(alerts_, is_absent);
  if (caption_snapshot_ != snapshot_) caption_.reset();
  tick(now);
}

bool Model::take(Instant, const Envelope&, const HostForgotten& forgotten) {
  const std::string& name = forgotten.host;
  if (!host_numbers_.contains(name)) return false;
  remove_hosts([&](const HostRow& host) { return host.reported.registration.host == name; });
  std::erase_if(replicas_, [&](const auto& row) { return row.first.host == name; });
  std::erase_if(conditions_, [&](const auto& row) { return row.first.host == name; });
  boards_.forget(name);
  return true;
}

/// The other hosts keep the values of their devices.
void Model::remove_hosts(const std::function<bool(const HostRow&)>& which) {
  if (std::erase_if(hosts_, which) == 0) return;
  host_numbers_.clear();
  std::vector<std::uint32_t> by_rows(hosts_.size());
  for (std::uint32_t i = 0; i < hosts_.size(); ++i) {
    host_numbers_.emplace(hosts_[i].reported.registration.host, i);
    by_rows[i] = i;
  }
  std::sort(by_rows.begin(), by_rows.end(), [&](std::uint32_t one, std::uint32_t other) {
    return hosts_[one].first < hosts_[other].first;
  });
  std::vector<DeviceTable::Row> rows;
  std::vector<std::uint32_t> owners;
  for (const std::uint32_t number : by_rows) {
    HostRow& host = hosts_[number];
    const DeviceTable::Row before =
        std::exchange(host.first, static_cast<DeviceTable::Row>(rows.size()));
    for (DeviceTable::Row i = 0; i < host.count; ++i) rows.push_back(before + i);
    owners.resize(rows.size(), number);
  }
  devices_.keep(rows, owners);
  ++structure_;
}

void Model::refresh_order() const {
  if (ordered_structure_ == structure_) return;
  ordered_structure_ = structure_;
  host_order_.resize(hosts_.size());
  for (std::uint32_t i = 0; i < hosts_.size(); ++i) host_order_[i] = i;
  std::sort(host_order_.begin(), host_order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Register& left = hosts_[a].reported.registration;
    const Register& right = hosts_[b].reported.registration;
    if (left.rack != right.rack) return natural_less(left.rack, right.rack);
    return natural_less(left.host, right.host);
  });
  device_order_.clear();
  for (const std::uint32_t number : host_order_) {
    const HostRow& host = hosts_[number];
    for (DeviceTable::Row row = host.first; row < host.end(); ++row) device_order_.push_back(row);
  }
}

const std::vector<DeviceTable::Row>& Model::device_order() const {
  refresh_order();
  return device_order_;
}

const std::vector<std::uint32_t>& Model::host_order() const {
  refresh_order();
  return host_order_;
}

std::optional<DeviceTable::Row> Model::find(const DeviceId& id) const {
  const auto known = host_numbers_.find(id.host);
  if (known == host_numbers_.end()) return std::nullopt;
  const HostRow& host = hosts_[known->second];
  const DeviceTable::Row row = devices_.find(host.first, host.count, id.index);
  if (row >= devices_.rows()) return std::nullopt;
  return row;
}

DeviceId Model::id_of(DeviceTable::Row row) const {
  return {host_of(row).reported.registration.host, devices_.index(row)};
}

const Group* Model::group_of(DeviceTable::Row row) const {
  const std::vector<Group>& groups = host_of(row).reported.registration.groups;
  const auto found = std::ranges::find(groups, devices_.group(row), &Group::number);
  return found == groups.end() ? nullptr : &*found;
}

double Model::price_usd_per_h(DeviceTable::Row row) const {
  const HostChanged& reported = host_of(row).reported;
  const Group* const group = group_of(row);
  const auto place = group == nullptr
                         ? reported.prices_usd_per_h.size()
                         : static_cast<std::size_t>(group - reported.registration.groups.data());
  const double usd = place < reported.prices_usd_per_h.size()
                         ? reported.prices_usd_per_h[place]
                         : spec_of(row).price_usd_per_h * reported.registration.price_factor;
  return usd > 0 ? usd : absent;
}

const HostRow* Model::find_host(const std::string& name) const {
  const auto known = host_numbers_.find(name);
  return known == host_numbers_.end() ? nullptr : &hosts_[known->second];
}

bool Model::is_past(DeviceTable::Row row) const {
  return is_gone(row) ||
         saturating_add(devices_.arrived(row), stale_age(host_of(row))) < last_received_;
}

double Model::reading(DeviceTable::Row row, Metric metric) const {
  return is_past(row) ? absent : devices_.value(row, metric);
}

double Model::share(DeviceTable::Row row, GaugeMetric gauge_metric) const {
  return is_past(row) ? absent : devices_.share(row, gauge_metric);
}

bool Model::is_old(Instant now, Instant at, Duration stale_after) const {
  return at == Instant::min() || saturating_add(at, stale_after) < now;
}

/// Computed once, as every frame asks it of every device.
void Model::set_stale_age(HostRow& host) const {
  const Duration every = host.reported.registration.sample_every;
  host.stale_age = every > Duration{0}
                       ? from_seconds(stale_after_s(to_seconds(stale_after_), every))
                       : stale_after_;
}

bool Model::is_stale(Instant now, DeviceTable::Row row) const {
  return is_gone(row) || is_old(now, devices_.arrived(row), stale_age(host_of(row)));
}

bool Model::is_stale(Instant now, const HostRow& host) const {
  return drover::is_gone(host.reported.health) || is_old(now, host.last_sample_at, stale_age(host));
}

bool Model::all_hosts_sampled() const {
  return std::ranges::all_of(hosts_, [](const HostRow& host) {
    return drover::is_gone(host.reported.health) || host.count == 0 ||
           host.last_sample_at != Instant::min();
  });
}

bool Model::is_silent(Instant now) const { return is_old(now, last_received_, stale_after_); }

}  // namespace drover::tui
