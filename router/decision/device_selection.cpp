// Which devices a candidate takes, and the texts of targets.
#include <algorithm>
#include <array>
#include <string>

#include "fleet/base/search.h"
#include "fleet/base/text.h"
#include "router/decision/candidates.h"

namespace drover::router {
namespace {

/// KV cache that a new replica should hold besides its weights: four requests of 8,192 tokens, or
/// sixteen of 2,048 (assumed).
constexpr std::uint64_t replica_tokens = 4 * 8192;

constexpr std::array<Precision, 5> usual_precisions = {
    Precision::bf16, Precision::fp16, Precision::fp32, Precision::fp8, Precision::int8};

}  // namespace

std::optional<Precision> choose_precision(const PlacementQuery& query,
                                          const devices::DeviceSpec& spec) {
  if (spec.real) return std::nullopt;  // nothing is estimated for it
  const auto able = [&](Precision precision) {
    const auto& of_pool = query.pool->precisions;
    return spec.runs(precision) && (of_pool.empty() || contains(of_pool, precision));
  };
  if (!query.precisions.empty()) {
    const auto& verified = query.request.job->work.precisions;
    const auto allowed = [&](Precision precision) {
      return able(precision) &&
             (contains(verified, precision) || query.trains_unverified(precision));
    };
    const auto found = std::ranges::find_if(query.precisions, allowed);
    if (found == query.precisions.end()) return std::nullopt;
    return *found;
  }
  const auto usual = [&](Precision precision) {
    return able(precision) && query.trains_unverified(precision);
  };
  const auto* found = std::ranges::find_if(usual_precisions, usual);
  if (found == usual_precisions.end()) return std::nullopt;
  return *found;
}

int replica_devices(const PlacementQuery& query, const PlacementKind& kind) {
  std::vector<int> sizes = query.slices_of(*kind.spec);
  if (sizes.empty()) {
    for (int size = 1; size <= kind.group_devices; size *= 2) sizes.push_back(size);
  }
  int fitting = 0;
  for (const int size : sizes) {
    if (size > kind.group_devices) break;
    const devices::Placement placement{kind.spec, size, kind.precision.value_or(Precision::bf16)};
    const double tokens =
        static_cast<double>(devices::kv_capacity_tokens(placement, *query.request.model)) *
        (1 - query.rule.memory_headroom);
    const auto need = static_cast<double>(std::max<std::uint64_t>(1, query.need_tokens));
    if (tokens >= std::max(static_cast<double>(replica_tokens), need)) return size;
    if (tokens >= need) fitting = size;
  }
  return fitting;
}

double warmup_seconds(const PlacementQuery& query, const PlacementKind& kind) {
  const devices::Placement placement{kind.spec, kind.devices, *kind.precision};
  const devices::ModelSpec& model = *query.request.model;
  const double compile_s = query.pool->warmup_compile_s >= 0
                               ? query.pool->warmup_compile_s
                               : devices::compile_seconds(placement, model);
  return devices::load_seconds(placement, model) + compile_s * devices::warm_buckets(*kind.spec);
}

bool is_closed(const DeviceColumns& columns, DeviceIndex device) {
  return columns.replicas[device] != 0 || (columns.condition[device] & condition_unavailable) != 0;
}

bool is_free(const DeviceColumns& columns, DeviceIndex device) {
  return columns.gang[device].empty() && !is_closed(columns, device);
}

int free_count(const DeviceColumns& columns, const GroupEntry& group) {
  int free = 0;
  for (const DeviceIndex device : group.devices()) free += is_free(columns, device) ? 1 : 0;
  return free;
}

namespace {

/// The lowest devices of the group for which `fits(device)` is true.
template <typename Fits>
std::vector<std::uint16_t> lowest(const GroupEntry& group, int count, Fits fits) {
  std::vector<std::uint16_t> numbers;
  const int size = group.group.count;
  if (count < 1 || count > size) return numbers;
  const auto number = [&](int offset) {
    return static_cast<std::uint16_t>(group.group.first + offset);
  };
  // A block that starts at a multiple of its size is a whole slice, and splits no larger one.
  for (int begin = 0; begin + count <= size; begin += count) {
    numbers.clear();
    for (int offset = begin; offset < begin + count; ++offset) {
      if (!fits(group.first + static_cast<DeviceIndex>(offset))) break;
      numbers.push_back(number(offset));
    }
    if (static_cast<int>(numbers.size()) == count) return numbers;
  }
  numbers.clear();
  if (group.spec->device_class == DeviceClass::tpu) return numbers;
  // Switched links connect all devices of a GPU group equally well.
  for (int offset = 0; offset < size && static_cast<int>(numbers.size()) < count; ++offset) {
    if (fits(group.first + static_cast<DeviceIndex>(offset))) numbers.push_back(number(offset));
  }
  if (static_cast<int>(numbers.size()) < count) numbers.clear();
  return numbers;
}

std::uint32_t all_conditions(const DeviceColumns& columns, const GroupEntry& group) {
  std::uint32_t bits = 0;
  for (const DeviceIndex device : group.devices()) {
    bits |= columns.condition[device];
  }
  return bits;
}

}  // namespace

std::vector<std::uint16_t> lowest_devices(const GroupEntry& group, int count,
                                          const std::vector<bool>& fits) {
  return lowest(group, count, [&](DeviceIndex device) { return fits[device - group.first]; });
}

std::vector<std::uint16_t> free_devices(const FleetState& fleet_state, GroupIndex index,
                                        int count) {
  const GroupEntry& group = fleet_state.groups()[index];
  const DeviceColumns& columns = fleet_state.devices();
  const auto free = [&](DeviceIndex device) { return is_free(columns, device); };
  if ((all_conditions(columns, group) & condition_hot) != 0) {
    auto cool = lowest(group, count, [&](DeviceIndex device) {
      return free(device) && (columns.condition[device] & condition_hot) == 0;
    });
    if (!cool.empty()) return cool;
  }
  return lowest(group, count, free);
}

std::uint32_t condition_of(const FleetState& fleet_state, GroupIndex index, int count,
                           const std::vector<std::uint16_t>& devices) {
  const GroupEntry& group = fleet_state.groups()[index];
  const DeviceColumns& columns = fleet_state.devices();
  std::uint32_t bits = 0;
  for (const std::uint16_t number : devices) {
    bits |= columns.condition[fleet_state.hosts()[group.host].devices[number]];
  }
  if (!devices.empty() || count < 1 || count > group.group.count) return bits;
  // A reserved device is taken: its reason is capacity.
  constexpr std::uint32_t closed = condition_unavailable & ~condition_reserved;
  const std::uint32_t barred = all_conditions(columns, group) & closed;
  if (barred == 0) return bits;
  const auto open = [&](DeviceIndex device) { return (columns.condition[device] & closed) == 0; };
  return lowest(group, count, open).empty() ? bits | barred : bits;
}

// Target texts.

std::string target_text(std::string_view host, const std::vector<std::uint16_t>& devices) {
  std::string text(host);
  text += '/';
  for (std::size_t begin = 0; begin < devices.size();) {
    std::size_t end = begin + 1;
    while (end < devices.size() && devices[end] == devices[end - 1] + 1) ++end;
    if (begin > 0) text += ',';
    text += end - begin > 1 ? fmt::format("{}-{}", devices[begin], devices[end - 1])
                            : fmt::format("{}", devices[begin]);
    begin = end;
  }
  return text;
}

std::string target_text(const FleetState& fleet_state, const CandidateTable& rows,
                        std::size_t row) {
  if (const MultiHostGang* spread = rows.multi_host_gang_of(row)) {
    std::string text;
    for (const MultiHostGang::Part& part : spread->parts) {
      const std::string& host = fleet_state.host_name(fleet_state.groups()[part.group].host);
      add_part(text, " ", target_text(host, free_devices(fleet_state, part.group, part.devices)));
    }
    return text;
  }
  const GroupIndex group = rows.group[row];
  const std::string& host = fleet_state.host_name(fleet_state.groups()[group].host);
  const ReplicaIndex replica = rows.replica[row];
  if (replica != no_index) return to_text(ReplicaId{host, fleet_state.replicas()[replica].number});
  return target_text(host, free_devices(fleet_state, group, rows.devices[row]));
}

}  // namespace drover::router
