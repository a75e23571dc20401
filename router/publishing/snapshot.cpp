#include "router/publishing/snapshot.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "fleet/sample/sample.h"

namespace drover::router {
namespace {

// MessagePack takes 5 bytes for the length of a string of this size; the rest of a part (its
// envelope and four numbers) stays below the margin.
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
  std::size_t space_left = 0;
  for (std::string& message : messages) {
    const std::size_t size = message.size() + string_header_bytes;
    if (size > snapshot_part_bytes_max - part_margin_bytes) continue;
    if (parts.empty() || size > space_left) {
      parts.push_back({snapshot, static_cast<std::uint32_t>(parts.size()), 1, at_sequence, {}});
      space_left = snapshot_part_bytes_max - part_margin_bytes;
    }
    space_left -= size;
    parts.back().messages.push_back(std::move(message));
  }
  if (parts.empty()) parts.push_back({snapshot, 0, 1, at_sequence, {}});
  for (SnapshotPart& part : parts) part.parts = static_cast<std::uint32_t>(parts.size());
  return parts;
}

std::vector<Envelope> rebuilt_samples(const FleetState& fleet_state, HostIndex host) {
  const HostEntry& entry = fleet_state.hosts()[host];
  const DeviceColumns& columns = fleet_state.devices();
  // A batch has one age; devices without recent samples have another age than the rest.
  std::map<Instant, std::vector<Sample>> by_age;
  for (const DeviceIndex device : entry.devices) {
    const Instant sampled = columns.sampled[device];
    if (sampled != Instant{}) by_age[sampled].push_back(row_of(columns, device));
  }
  const SampleSteps steps =
      fleet_state.is_real(entry) ? SampleSteps::of_drivers : SampleSteps::of_emulated_devices;
  std::vector<Envelope> batches;
  for (const auto& [sampled, rows] : by_age) {
    for (std::size_t first = 0; first < rows.size(); first += batch_rows_max) {
      const auto part =
          std::span(rows).subspan(first, std::min(batch_rows_max, rows.size() - first));
      batches.push_back({entry.registration.host, entry.last_sample_sequence, sampled,
                         pack(entry.registration.host, part, steps)});
    }
  }
  return batches;
}

std::vector<const JobRecord*> jobs_to_show(const JobTable& jobs) {
  std::vector<const JobRecord*> shown;
  for (const bool out : {true, false}) {
    for (const auto& [number, record] : jobs.open()) {
      if (shown.size() >= snapshot_open_jobs_max) break;
      if (record->holds_attempt() == out) shown.push_back(record);
    }
  }
  const auto& ended = jobs.ended_jobs();
  const std::size_t first = ended.size() - std::min(ended.size(), snapshot_ended_jobs_max);
  for (std::size_t at = first; at < ended.size(); ++at) shown.push_back(ended[at]);
  return shown;
}

}  // namespace drover::router
