#include "commands/metrics/page/fleet_metrics.h"

#include <algorithm>

#include "commands/metrics/page/family_text.h"
#include "commands/metrics/page/totals.h"

namespace drover::commands {

namespace {

// Limits: messages are outside input.
constexpr std::size_t alerts_max = 10'000;
constexpr std::size_t conditions_max = 100'000;
constexpr std::size_t replicas_max = 1'000'000;

}  // namespace

FleetMetrics::FleetMetrics(FleetMetricsOptions options)
    : options_(options), devices_(options_.gpu_labels) {}

void FleetMetrics::apply(Instant now, const Envelope& envelope) {
  now_ = now;
  std::visit([&](const auto& body) { take(envelope, body); }, envelope.body);
}

void FleetMetrics::begin_snapshot() {
  ++snapshot_;
  in_snapshot_ = true;
  // The snapshot has all that are in force.
  alerts_.clear();
  conditions_.clear();
  work_.begin_snapshot();
}

void FleetMetrics::end_snapshot() {
  in_snapshot_ = false;
  work_.end_snapshot();
  std::erase_if(replicas_, [&](const auto& one) { return one.second.snapshot != snapshot_; });
  std::erase_if(seen_, [&](const auto& one) { return one.second != snapshot_; });
  devices_.keep([&](const std::string& host) { return seen_.contains(host); });
}

void FleetMetrics::take(const Envelope&, const HostChanged& changed) {
  seen_[changed.registration.host] = snapshot_;
  devices_.take(changed);
}

void FleetMetrics::take(const Envelope&, const HostForgotten& forgotten) {
  seen_.erase(forgotten.host);
  devices_.forget(forgotten.host);
  std::erase_if(conditions_, [&](const auto& one) { return one.first.host == forgotten.host; });
  std::erase_if(replicas_, [&](const auto& one) { return one.first.host == forgotten.host; });
}

void FleetMetrics::take(const Envelope& envelope, const SampleBatch& batch) {
  if (!check(batch)) return;
  if (!in_snapshot_) {
    ++batches_;
    samples_ += batch.devices.size();
  }
  // A snapshot has a batch for each age: devices that are no longer sampled have old values.
  devices_.take(in_snapshot_ ? std::min(now_, envelope.at) : now_, batch);
}

void FleetMetrics::take(const Envelope&, const DeviceChanged& changed) {
  devices_.take(changed);
  const DeviceId id{changed.host, changed.device};
  if (changed.usable && !changed.drained && changed.injected.empty()) {
    conditions_.erase(id);
  } else if (conditions_.contains(id) || conditions_.size() < conditions_max) {
    conditions_[id] = changed;
  }
}

void FleetMetrics::take(const Envelope&, const ReplicaChanged& changed) {
  const ReplicaId& id = changed.replica.id;
  if (changed.replica.state == ReplicaState::gone) {
    replicas_.erase(id);
  } else if (replicas_.contains(id) || replicas_.size() < replicas_max) {
    replicas_[id] = {changed, snapshot_};
  }
}

void FleetMetrics::take(const Envelope&, const JobChanged& changed) { work_.take(now_, changed); }
void FleetMetrics::take(const Envelope&, const Decision& decision) { work_.take(decision); }
void FleetMetrics::take(const Envelope&, const Summary& summary) { summary_ = summary; }
void FleetMetrics::take(const Envelope&, const PolicyChanged& policy) { policy_ = policy; }

void FleetMetrics::take(const Envelope&, const Alert& alert) {
  const AlertKey key{alert.rule, alert.subject};
  if (!alert.raised) {
    alerts_.erase(key);
  } else if (alerts_.contains(key) || alerts_.size() < alerts_max) {
    alerts_[key] = alert;
  }
}

void FleetMetrics::take(const Envelope&, const Event& event) {
  if (!in_snapshot_) ++events_[event.severity];
}

std::map<std::pair<std::string, std::string>, ReplicaSums> FleetMetrics::replicas() const {
  std::map<std::pair<std::string, std::string>, ReplicaSums> sums;
  for (const auto& [id, known] : replicas_) {
    const Replica& replica = known.reported.replica;
    ReplicaSums& sum = sums[{replica.model, known.reported.pool}];
    ++sum.by_state[replica.state];
    sum.queued += replica.queued;
    sum.running += replica.running;
    sum.kv_used_tokens += replica.kv_used_tokens;
    sum.kv_capacity_tokens += replica.kv_capacity_tokens;
  }
  return sums;
}

/// As on dashboards: what the policy says, else five seconds.
Duration FleetMetrics::stale_after() const {
  if (policy_ && policy_->stale_after_s > 0) return from_seconds(policy_->stale_after_s);
  return std::max<Duration>(std::chrono::seconds(5), 3 * options_.wall);
}

void FleetMetrics::write(Instant now, PageFormat format, Page& page) {
  now_ = now;
  devices_.update(now, stale_after());
  page.clear();
  page.tables_.resize(DeviceSeries::table_count);
  std::size_t headings = 0;
  for (int number = 0; number < DeviceSeries::table_count; ++number) {
    headings += devices_.table(number).columns().size();
  }
  page.headings_.resize(headings);
  std::string* heading = page.headings_.data();
  for (int number = 0; number < DeviceSeries::table_count; ++number) {
    const SeriesTable& table = devices_.table(number);
    SeriesText& text = page.tables_[static_cast<std::size_t>(number)];
    table.write(format, text);
    for (std::size_t column = 0; column < text.columns.size(); ++column, ++heading) {
      heading->clear();
      for (const SeriesText::Chunk& chunk : text.columns[column]) {
        if (chunk.text.empty()) continue;
        if (heading->empty()) {
          append_heading(*heading, table.columns()[column].family, format);
          page.add(*heading);
        }
        page.add(chunk.text);
      }
    }
  }
  page.totals_.clear();
  FamilyText totals(page.totals_, format);
  for (const auto& families : {work_totals(), fleet_totals()}) {
    for (const TotalFamily& one : families) {
      totals.begin(one.family);
      one.write(*this, totals);
    }
  }
  if (format == PageFormat::openmetrics) page.totals_ += "# EOF\n";
  page.add(page.totals_);
}

}  // namespace drover::commands
