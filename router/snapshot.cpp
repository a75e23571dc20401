#include "router/snapshot.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "fleet/sample/sample.h"

namespace drover::router {
namespace {

// MessagePack takes 5 bytes to say how long a string of this size is; the rest of a part (its
// cover and four numbers) stays under the margin.
constexpr std::size_t string_header_bytes = 5;
constexpr std::size_t part_margin_bytes = 256;

Sample row_of(const DeviceColumns& columns, DeviceIndex device) {
  Sample row;
  row.device = columns.number[device];
  for (int metric = 0; metric < metric_count; ++metric) {
    row.values[static_cast<std::size_t>(metric)] =
        reading(columns, device, static_cast<Metric>(metric));
  }
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
  // A batch has one age, and devices that are in no sample any more have another one than the rest.
  std::map<Instant, std::vector<Sample>> by_age;
  for (const DeviceIndex device : entry.devices) {
    const Instant sampled = columns.sampled[device];
    if (sampled != Instant{}) by_age[sampled].push_back(row_of(columns, device));
  }
  std::vector<Envelope> batches;
  for (const auto& [sampled, rows] : by_age) {
    for (std::size_t first = 0; first < rows.size(); first += batch_rows_max) {
      const auto part =
          std::span(rows).subspan(first, std::min(batch_rows_max, rows.size() - first));
      batches.push_back(
          {entry.hello.host, entry.last_sample_sequence, sampled, pack(entry.hello.host, part)});
    }
  }
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
