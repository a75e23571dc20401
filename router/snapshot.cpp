#include "router/snapshot.h"

#include <algorithm>
#include <utility>

#include "fleet/sample.h"

namespace drover::router {
namespace {

// MessagePack takes 5 bytes to say how long a string of this size is; the rest of a part (its
// cover and four numbers) stays under the margin.
constexpr std::size_t string_header_bytes = 5;
constexpr std::size_t part_margin_bytes = 256;

Sample row_of(const DeviceColumns& columns, DeviceIndex device) {
  Sample row;
  row.device = columns.number[device];
  row[Metric::utilization] = columns.utilization[device];
  row[Metric::matrix_activity] = columns.matrix_activity[device];
  row[Metric::memory_activity] = columns.memory_activity[device];
  row[Metric::memory_used] = columns.memory_used[device];
  row[Metric::memory_total] = columns.memory_total[device];
  row[Metric::power] = columns.power_w[device];
  row[Metric::power_cap] = columns.power_cap_w[device];
  row[Metric::temperature] = columns.temperature_c[device];
  row[Metric::clock] = columns.clock_mhz[device];
  row[Metric::throttle] = columns.throttle[device];
  row[Metric::energy] = columns.energy_j[device];
  row[Metric::queue] = columns.queue[device];
  row[Metric::running] = columns.running[device];
  return row;
}

}  // namespace

std::vector<SnapshotPart> pack_parts(std::uint64_t snapshot, std::uint64_t at_sequence,
                                     std::vector<std::string> messages) {
  std::vector<SnapshotPart> parts;
  std::size_t room = 0;
  for (std::string& message : messages) {
    const std::size_t size = message.size() + string_header_bytes;
    if (size > snapshot_part_bytes_max - part_margin_bytes) continue;
    if (parts.empty() || size > room) {
      parts.push_back({snapshot, static_cast<std::uint32_t>(parts.size()), 1, at_sequence, {}});
      room = snapshot_part_bytes_max - part_margin_bytes;
    }
    room -= size;
    parts.back().messages.push_back(std::move(message));
  }
  if (parts.empty()) parts.push_back({snapshot, 0, 1, at_sequence, {}});
  for (SnapshotPart& part : parts) part.parts = static_cast<std::uint32_t>(parts.size());
  return parts;
}

std::vector<Envelope> rebuilt_samples(const Roster& roster, HostIndex host) {
  const HostEntry& entry = roster.hosts()[host];
  const DeviceColumns& columns = roster.devices();
  std::vector<Envelope> batches;
  std::vector<Sample> rows;
  Instant sampled{};
  const auto close = [&] {
    if (rows.empty()) return;
    batches.push_back(
        {entry.hello.host, entry.last_sample_sequence, sampled, pack(entry.hello.host, rows)});
    rows.clear();
  };
  for (const DeviceIndex device : entry.devices) {
    if (columns.sampled[device] == Instant{}) continue;
    sampled = std::max(sampled, columns.sampled[device]);
    rows.push_back(row_of(columns, device));
    if (rows.size() == batch_rows_max) close();
  }
  close();
  return batches;
}

std::vector<const JobRecord*> jobs_to_show(const JobBook& book) {
  std::vector<const JobRecord*> jobs;
  for (const bool out : {true, false}) {
    for (const auto& [number, record] : book.open()) {
      if (jobs.size() >= snapshot_open_jobs_max) break;
      if (record->holds_attempt() == out) jobs.push_back(record);
    }
  }
  const auto& ended = book.ended_jobs();
  const std::size_t first = ended.size() - std::min(ended.size(), snapshot_ended_jobs_max);
  for (std::size_t at = first; at < ended.size(); ++at) jobs.push_back(ended[at]);
  return jobs;
}

}  // namespace drover::router
