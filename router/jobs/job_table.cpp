#include "router/jobs/job_table.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/fnv1a.h"
#include "fleet/base/text.h"
#include "fleet/codec/codec.h"

namespace drover::router {
namespace {

constexpr std::size_t id_digits = 32;

}  // namespace

Pause pause_of(const JobRecord& record) {
  if (!record.lease.over_hosts() || !record.holds_attempt()) return Pause::none;
  const bool goes = record.state == JobState::running && record.lease.step_s > 0;
  return goes ? Pause::none : Pause::peer;
}

JobChanged shown(const JobRecord& record) {
  JobChanged changed;
  changed.job = record.job;
  changed.submitted = record.submitted;
  changed.state = record.state;
  changed.attempt = record.attempt;
  if (record.state != JobState::queued) {
    changed.target = record.lease.target;
    changed.pool = record.lease.pool;
  }
  changed.since = record.since;
  changed.progress = record.progress;
  changed.remaining_s = record.remaining_s;
  changed.reason = record.reason;
  changed.detail = record.detail;
  changed.usage = record.usage;
  changed.outcome = record.outcome;
  changed.latency_s = record.latency_s;
  changed.work_class = record.work_class;
  changed.change = record.change;
  changed.policy_version = record.policy_version;
  changed.steps_saved = record.steps_saved;
  changed.steps_lost = record.steps_lost;
  changed.pause = pause_of(record);
  changed.returned = record.returned;
  return changed;
}

std::string return_text(Instant at, std::uint32_t attempt, const Failed& failed) {
  return fmt::format("attempt {} was requeued at {} ({}{}{})", attempt, to_clock_text(at),
                     to_text(failed.reason), failed.detail.empty() ? "" : ": ", failed.detail);
}

std::vector<std::uint16_t> member_devices(const FleetState& fleet_state, const JobRecord& record,
                                          const Member& member) {
  if (!record.lease.replica) return member.devices;
  const auto host = fleet_state.find_host(member.host);
  const auto replica =
      host ? fleet_state.find_replica(*host, *record.lease.replica) : std::optional<ReplicaIndex>();
  return replica ? fleet_state.replicas()[*replica].replica.devices : std::vector<std::uint16_t>();
}

Failed failed_attempt(const JobRecord& record, std::string detail) {
  Failed failed;
  failed.job = record.job.id;
  failed.attempt = record.attempt;
  failed.detail = std::move(detail);
  return failed;
}

Usage estimated_usage(const JobRecord& record, Instant until) {
  Usage sum;
  for (const Member& member : record.lease.members) {
    sum += member.used ? *member.used : estimated_usage(record, member, until);
  }
  return sum;
}

Usage estimated_usage(const JobRecord& record, const Member& member, Instant until) {
  const Lease& lease = record.lease;
  if (record.state != JobState::running || lease.predicted_s <= 0) return {};
  double share = std::max(0.0, to_seconds(until - record.since)) / lease.predicted_s;
  if (lease.over_hosts()) {
    share *= static_cast<double>(member.devices.size()) / static_cast<double>(lease.devices());
  }
  return {lease.expected.device_s * share, lease.expected.energy_j * share,
          lease.expected.cost_usd * share};
}

std::uint64_t content_hash(const Job& job) {
  return fnv1a(encode(Envelope{"", 0, {}, Submit{{job}}}));
}

std::size_t payload_bytes(const Job& job) {
  std::size_t bytes = job.work.prefix.size() * sizeof(std::uint64_t);
  bytes += job.work.precisions.size() * sizeof(Precision);
  const auto add = [&](const std::string& text) {
    static const std::size_t within = std::string().capacity();
    if (text.size() > within) bytes += text.size() + 1;
  };
  for (const std::string* text : {&job.work.model, &job.work.framework, &job.tenant,
                                  &job.work_class, &job.stage, &job.data_set}) {
    add(*text);
  }
  bytes += job.work.ops.size() * sizeof(std::string);
  for (const std::string& operation : job.work.ops) add(operation);
  bytes += job.work.throughputs.size() * sizeof(MeasuredThroughput);
  for (const MeasuredThroughput& throughput : job.work.throughputs) add(throughput.device);
  for (const auto& [name, version] : job.work.versions) {
    bytes += 2 * sizeof(std::string) + 4 * sizeof(void*);  // map node
    add(name);
    add(version);
  }
  return bytes;
}

JobRecord& JobTable::add(const Job& job, Instant submitted) {
  auto [place, fresh] = records_.try_emplace(job.id, std::make_unique<JobRecord>());
  DROVER_REQUIRE(fresh);
  JobRecord& record = *place->second;
  record.number = next_number_++;
  record.job = job;
  record.payload_bytes = payload_bytes(job);
  carried_bytes_open_ += record.payload_bytes;
  record.submitted = submitted;
  record.since = submitted;
  open_.emplace(record.number, &record);
  return record;
}

JobRecord* JobTable::find(const JobId& id) {
  const auto* record = find_in(records_, id);
  return record == nullptr ? nullptr : record->get();
}

const JobRecord* JobTable::find(const JobId& id) const {
  const auto* record = find_in(records_, id);
  return record == nullptr ? nullptr : record->get();
}

std::size_t JobTable::part_of(const JobId& id) {
  // Clients choose ids, and the hash is nearly the id, so its low bits may be equal. After
  // multiplication by 2^64 over the golden ratio the highest bits differ (Knuth, TAOCP 3, 6.4).
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
  constexpr int bits = std::bit_width(std::tuple_size_v<decltype(remembered_)>) - 1;
  return std::hash<JobId>{}(id)*golden >> (64 - bits);
}

std::optional<JobTable::Remembered> JobTable::remembered(const JobId& id) const {
  const Remembered* known = find_in(remembered_[part_of(id)], id);
  return known == nullptr ? std::nullopt : std::optional(*known);
}

void JobTable::ended(JobRecord& record) {
  DROVER_REQUIRE(is_terminal(record.state));
  open_.erase(record.number);
  ended_.push_back(&record);
  carried_bytes_open_ -= record.payload_bytes;
  carried_bytes_ended_ += record.payload_bytes;
  while (ended_.size() > ended_kept_ ||
         (ended_.size() > 1 && carried_bytes_ended_ > payload_bytes_max(ended_kept_))) {
    const JobRecord& oldest = *ended_.front();
    const JobId id = oldest.job.id;
    remember(id, {content_hash(oldest.job), oldest.state});
    carried_bytes_ended_ -= oldest.payload_bytes;
    ended_.pop_front();
    records_.erase(id);
  }
}

void JobTable::remember(const JobId& id, const Remembered& known) {
  if (!remembered_[part_of(id)].insert_or_assign(id, known).second) return;
  remembered_order_.push_back(id);
  if (remembered_order_.size() <= ids_kept_) return;
  const JobId& oldest = remembered_order_.front();
  remembered_[part_of(oldest)].erase(oldest);
  remembered_order_.pop_front();
}

void JobTable::bind(JobRecord& record) {
  bool fresh = false;
  for (const Member& member : record.lease.members) {
    fresh |= on_host_[member.host].emplace(record.number, &record).second;
  }
  if (fresh) ++attempts_out_;
  leased_.emplace(record.lease.begun, record.number);
}

void JobTable::unbind(JobRecord& record) {
  bool bound = false;
  for (const Member& member : record.lease.members) {
    const auto host = on_host_.find(member.host);
    if (host == on_host_.end()) continue;
    bound |= host->second.erase(record.number) > 0;
    if (host->second.empty()) on_host_.erase(host);
  }
  if (bound) --attempts_out_;
  leased_.erase({record.lease.begun, record.number});
}

std::vector<JobRecord*> JobTable::on_host(std::string_view host) const {
  std::vector<JobRecord*> jobs;
  const auto* records = find_in(on_host_, host);
  if (records == nullptr) return jobs;
  for (const auto& [number, record] : *records) jobs.push_back(record);
  return jobs;
}

std::vector<JobRecord*> JobTable::unacknowledged(Instant limit) {
  std::vector<JobRecord*> found;
  for (auto entry = leased_.begin(); entry != leased_.end() && entry->first < limit;) {
    const auto record = open_.find(entry->second);
    if (record == open_.end() || record->second->state != JobState::leased) {
      entry = leased_.erase(entry);
      continue;
    }
    if (record->second->since < limit) found.push_back(record->second);
    ++entry;
  }
  std::ranges::sort(found, {}, &JobRecord::number);
  return found;
}

Result<JobRecord*> JobTable::find_by_prefix(std::string_view prefix) const {
  const bool hexadecimal = !prefix.empty() && prefix.size() <= id_digits &&
                           prefix.find_first_not_of("0123456789abcdef") == std::string::npos;
  std::vector<JobRecord*> found;
  const auto consider = [&](JobRecord* record) {
    if (found.size() < 2 && to_text(record->job.id).starts_with(prefix)) found.push_back(record);
  };
  if (const auto id = parse_job_id(prefix); hexadecimal && id) {
    const auto known = records_.find(*id);
    if (known != records_.end()) found.push_back(known->second.get());
  } else if (hexadecimal) {
    for (const auto& [number, record] : open_) consider(record);
    for (JobRecord* record : ended_) consider(record);
  }
  if (found.size() == 1) return found.front();
  const std::string shown_prefix = printable(prefix.substr(0, id_digits));
  if (found.empty()) {
    return error(
        "no job id begins with \"{}\"; expected a job id (32 digits 0-9 a-f) or its first digits",
        shown_prefix);
  }
  return error("several jobs begin with \"{}\"; give more digits", shown_prefix);
}

}  // namespace drover::router
