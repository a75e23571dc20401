#include "router/jobs/accounting.h"

#include <array>
#include <cmath>
#include <utility>

namespace drover::router {
namespace {

/// A board of which nothing is known draws no more: the largest accelerators draw 1.4 kW.
constexpr double unknown_board_most_w = 3000;

// Histogram: bucket i holds values in (low * growth^(i-1), low * growth^i].
constexpr double histogram_low = 1e-5;
constexpr double histogram_growth = 1.02;
constexpr std::size_t histogram_buckets = 1513;  // up to 1e-5 * 1.02^1512 = 1e8
// Those that make one bucket of a ClassReport: 1.02^12 is class_bucket_growth.
constexpr std::size_t histogram_buckets_each = 12;
static_assert(histogram_low == class_bucket_least &&
              (histogram_buckets - 1) / histogram_buckets_each == class_bucket_count);

// A fleet of two million devices at 10 kW uses this many joules in 1,500 years.
constexpr double credible_max = 1e21;
// Age assumed for a counter without an earlier reading.
constexpr double counter_age_max_s = 10 * 365.25 * 86'400;

}  // namespace

double plausible(double figure) { return figure >= 0 && figure <= credible_max ? figure : 0; }

Usage plausible(const Usage& usage) {
  return {plausible(usage.device_s), plausible(usage.energy_j), plausible(usage.cost_usd)};
}

Histogram::Histogram() : buckets_(histogram_buckets, 0) {}

void Histogram::add(double value) {
  if (!std::isfinite(value)) return;
  std::size_t bucket = 0;
  if (value > histogram_low) {
    const double steps = std::ceil(std::log(value / histogram_low) / std::log(histogram_growth));
    bucket = static_cast<std::size_t>(
        std::clamp(steps, 0.0, static_cast<double>(histogram_buckets - 1)));
  }
  ++buckets_[bucket];
  ++count_;
  max_ = std::max(max_, value);
}

double Histogram::quantile(double share) const {
  if (count_ == 0) return 0;
  // The smallest value that at least this share of all values does not exceed.
  const auto rank =
      static_cast<std::uint64_t>(std::max(1.0, std::ceil(share * static_cast<double>(count_))));
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    seen += buckets_[bucket];
    if (seen < rank) continue;
    const double top = histogram_low * std::pow(histogram_growth, static_cast<double>(bucket));
    // The harmonic middle of the bucket: the relative error is the same both ways.
    return std::min(max_, top * 2 / (1 + histogram_growth));
  }
  return max_;
}

void Histogram::add_to(ClassReport& report) const {
  std::array<std::uint64_t, class_bucket_count> counts{};
  for (std::size_t i = 0; i < report.buckets.size(); ++i) {
    counts.at(std::min(report.first_bucket + i, counts.size() - 1)) += report.buckets[i];
  }
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    counts.at(bucket == 0 ? 0 : (bucket - 1) / histogram_buckets_each) += buckets_[bucket];
  }
  const auto filled = [](std::uint64_t count) { return count > 0; };
  const auto first = std::ranges::find_if(counts, filled);
  const auto end = std::find_if(counts.rbegin(), counts.rend(), filled).base();
  if (first == counts.end()) return;
  report.first_bucket = static_cast<std::uint32_t>(first - counts.begin());
  report.buckets.assign(first, end);
}

Percentiles Histogram::percentiles() const {
  return {count_, quantile(0.5), quantile(0.9), quantile(0.99), max_};
}

std::uint64_t requested_items(const Job& job) {
  if (job.work.kind == WorkKind::train) return 0;
  return job.work.kind == WorkKind::batch ? job.work.items : 1;
}

void Accounting::accepted(const Job& job) {
  ++sums_.accepted;
  sums_.input_tokens += requested_items(job) * job.work.input_tokens;
  sums_.output_tokens += requested_items(job) * job.work.output_tokens;
}

void Accounting::finished(const Job& job, const Usage& usage, const Outcome& outcome,
                          double latency_s) {
  ++sums_.finished;
  sums_.charged += plausible(usage);
  const bool trains = job.work.kind == WorkKind::train;
  DeliveredWork& work = trains ? sums_.steps_work : sums_.tokens_work;
  ++work.jobs;
  work.units += trains ? outcome.steps : outcome.input_tokens + outcome.output_tokens;
  work.charged += plausible(usage);
  if (job.work.kind != WorkKind::serve) return;
  latency_s_.add(latency_s);
  // The agent measures from arrival at the agent; latency counts from submission.
  const double before_s = std::max(0.0, latency_s - outcome.run_s);
  first_token_s_.add(before_s + outcome.first_token_s);
}

void Accounting::failed(Reason reason) {
  if (reason == Reason::cancelled) {
    ++sums_.cancelled;
    return;
  }
  ++sums_.failed;
  ++sums_.failures[reason];
}

std::uint64_t Accounting::ended(JobState state) const {
  if (state == JobState::finished) return sums_.finished;
  if (state == JobState::failed) return sums_.failed;
  return state == JobState::cancelled ? sums_.cancelled : 0;
}

void Accounting::fell_back(Reason reason, const Estimate& more) {
  ++sums_.fallbacks[reason];
  FallbackCost& sum = fallback_costs_[reason];
  sum.reason = reason;
  ++sum.jobs;
  sum.cost_usd += more.cost_usd;
  sum.energy_j += more.energy_j;
  if (!more.wait_known) return;
  sum.finish_s += more.finish_s;
  ++sum.timed;
}

void Accounting::finished_in(Instant now, const WorkClass& work_class, double value) {
  ClassTally& tally = classes_[work_class.name];
  const bool other = tally.metric != work_class.metric || tally.target != work_class.target;
  if (other) tally = {work_class.metric, work_class.target, 0, Histogram{}, {}};  // a new policy
  if (!std::isfinite(value)) return;  // counted nowhere, so that all counts agree
  tally.values.add(value);
  const bool missed = work_class.target > 0 && value > work_class.target;
  if (!missed) ++tally.met;
  tally.recent.add(now, missed);
}

void Accounting::read_energy(const FleetState& fleet_state, HostIndex host, Duration slack) {
  const DeviceColumns& columns = fleet_state.devices();
  const HostEntry& entry = fleet_state.hosts()[host];
  if (counters_.size() <= host) counters_.resize(fleet_state.hosts().size());
  std::vector<Counter>& counters = counters_[host];
  if (counters.size() < entry.devices.size()) counters.resize(entry.devices.size());
  for (std::size_t number = 0; number < entry.devices.size(); ++number) {
    const DeviceIndex device = entry.devices[number];
    const double reading = columns.energy_j[device];
    Counter& counter = counters[number];
    // Zero also means that no counter has arrived yet.
    if (!std::isfinite(reading) || reading <= 0 || reading == counter.read_j) continue;
    const Instant before_at = std::exchange(counter.read_at, columns.sampled[device]);
    const double elapsed_s = counter.read_j < 0
                                 ? counter_age_max_s
                                 : to_seconds(counter.read_at - before_at) + to_seconds(slack);
    const devices::DeviceSpec& spec = *fleet_state.groups()[columns.group[device]].spec;
    if (counter.read_j < 0) {
      // A real device has counted since its driver was loaded, long before it was watched.
      const double before_j = spec.real ? reading : 0;
      counter.read_j = restored_energy(entry.registration.host, number).value_or(before_j);
    }
    const double rated_w = spec.power.tdp_w > 0 ? spec.power.tdp_w : unknown_board_most_w;
    const double most_j = rated_w * power_slack * elapsed_s;
    const double grown_j = reading >= counter.read_j ? reading - counter.read_j : reading;
    fleet_energy_j_ += std::min(grown_j, most_j);
    counter.read_j = reading;
    energy_changed_.insert(host);
  }
}

void Accounting::forget_host(const FleetState& fleet_state, HostIndex host) {
  if (host >= counters_.size()) return;
  const std::string& name = fleet_state.host_name(host);
  const std::vector<Counter> counters = std::exchange(counters_[host], {});
  if (energy_changed_.erase(host) > 0) take_counters(name, counters);
  std::vector<double>& kept = energy_restored_[name];
  if (kept.size() < counters.size()) kept.resize(counters.size(), -1);
  for (std::size_t number = 0; number < counters.size(); ++number) {
    if (counters[number].read_j >= 0) kept[number] = counters[number].read_j;
  }
}

std::optional<double> Accounting::restored_energy(std::string_view host, std::size_t number) const {
  const auto known = energy_restored_.find(host);
  if (known == energy_restored_.end() || number >= known->second.size()) return std::nullopt;
  if (known->second[number] < 0) return std::nullopt;
  return known->second[number];
}

void Accounting::take_counters(const std::string& name, const std::vector<Counter>& counters) {
  std::vector<Sample> rows;
  const auto close = [&] {
    if (!rows.empty()) energies_.push_back(pack(name, rows));
    rows.clear();
  };
  for (std::size_t number = 0; number < counters.size(); ++number) {
    if (counters[number].read_j < 0) continue;
    Sample row;
    row.device = static_cast<std::uint16_t>(number);
    row[Metric::energy] = counters[number].read_j;
    rows.push_back(row);
    if (rows.size() == batch_rows_max) close();
  }
  close();
}

std::vector<SampleBatch> Accounting::take_energies(const FleetState& fleet_state) {
  for (const HostIndex host : energy_changed_) {
    take_counters(fleet_state.host_name(host), counters_[host]);
  }
  energy_changed_.clear();
  return std::exchange(energies_, {});
}

void Accounting::restore_sums(double fleet_energy_j, double fleet_cost_usd) {
  fleet_energy_j_ = plausible(fleet_energy_j);
  fleet_cost_usd_ = plausible(fleet_cost_usd);
}

void Accounting::restore_shown(const PublishedTotals& shown) {
  noted_ = shown;
  noted_.energy_j = plausible(shown.energy_j);
  noted_.cost_usd = plausible(shown.cost_usd);
  shown_before_ = noted_;
  sums_.refused = shown.refused;
}

PublishedTotals Accounting::shown(Instant now, const PublishedTotals& live) const {
  return {shown_energy_j(),
          shown_cost_usd(now),
          shown_before_.decisions + decisions_,
          shown_before_.undecodable + live.undecodable,
          shown_before_.sample_gaps + live.sample_gaps,
          live.classes,
          sums_.refused};
}

double Accounting::shown_cost_usd(Instant now) const {
  double cost_usd = fleet_cost_usd_;
  if (now > costed_until_) cost_usd += usd_per_s_ * to_seconds(now - costed_until_);
  return std::max(cost_usd, shown_before_.cost_usd);
}

void Accounting::restore_energy(const SampleBatch& energies) {
  std::vector<double>& of_host = energy_restored_[energies.host];
  for (const Sample& row : unpack(energies)) {
    const double reading = row[Metric::energy];
    if (!(reading >= 0)) continue;
    if (of_host.size() <= row.device) of_host.resize(row.device + std::size_t{1}, -1);
    of_host[row.device] = reading;
  }
}

void Accounting::accrue_cost(Instant now) {
  if (now <= costed_until_) return;
  fleet_cost_usd_ += usd_per_s_ * to_seconds(now - costed_until_);
  costed_until_ = now;
}

double price_usd_per_h(const FleetState& fleet_state, const Policy& policy, GroupIndex group) {
  const GroupEntry& entry = fleet_state.groups()[group];
  const HostEntry& host = fleet_state.hosts()[entry.host];
  const double listed = entry.spec != nullptr ? entry.spec->price.usd_per_h : 0;
  Prices prices;
  for (const std::uint32_t pool : entry.pools) {
    if (pool >= policy.pools.size() || !policy.pools[pool].prices.given()) continue;
    prices = policy.pools[pool].prices;
    break;
  }
  const double price = usd_per_h(prices, host.term, entry.spec).value_or(listed);
  return usd_per_h_there(price, host.price_factor);
}

void Accounting::set_cost_rate(const FleetState& fleet_state, const Policy& policy) {
  double usd_per_h = 0;
  for (const HostEntry& host : fleet_state.hosts()) {
    if (is_gone(host.health)) continue;
    for (const GroupIndex group : host.groups) {
      usd_per_h +=
          price_usd_per_h(fleet_state, policy, group) * fleet_state.groups()[group].group.count;
    }
  }
  usd_per_s_ = usd_per_h / seconds_per_hour;
}

std::vector<ClassReport> Accounting::reports_of(const std::vector<WorkClass>& classes) const {
  std::vector<ClassReport> reports;
  for (const WorkClass& one : classes) {
    if (one.metric == ClassMetric::none) continue;
    ClassReport report{one.name, one.metric, one.target, 0, {}};
    const auto same = [&](const auto& counted) {
      return counted.metric == one.metric && counted.target == one.target;
    };
    for (const ClassReport& earlier : shown_before_.classes) {
      if (earlier.name == one.name && same(earlier)) report = earlier;
    }
    const auto found = classes_.find(one.name);
    if (found != classes_.end() && same(found->second)) {
      const Percentiles earlier = std::exchange(report.values, found->second.values.percentiles());
      found->second.values.add_to(report);
      report.met += found->second.met;
      report.values.count += earlier.count;
      report.values.max = std::max(report.values.max, earlier.max);
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

void Accounting::add_recent(Instant now, std::vector<ClassReport>& reports) const {
  for (ClassReport& report : reports) {
    const auto found = classes_.find(report.name);
    if (found == classes_.end()) continue;
    const ClassTally& tally = found->second;
    if (tally.metric != report.metric || tally.target != report.target) continue;
    report.short_window = tally.recent.within(now, short_burn_window);
    report.long_window = tally.recent.within(now, long_burn_window);
  }
}

Summary Accounting::summary(Instant now) const {
  Summary summary = sums_;
  for (const auto& [reason, sum] : fallback_costs_) summary.fallback_costs.push_back(sum);
  summary.fleet_energy_j = shown_energy_j();
  summary.fleet_cost_usd = shown_cost_usd(now);
  summary.latency_s = latency_s_.percentiles();
  summary.first_token_s = first_token_s_.percentiles();
  summary.decisions = shown_before_.decisions + decisions_;
  return summary;
}

}  // namespace drover::router
