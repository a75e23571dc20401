// Filters on kinds of placements, which fail for good.
#include <algorithm>

#include "devices/training/training.h"
#include "fleet/base/search.h"
#include "router/decision/criteria.h"

namespace drover::router {
namespace {

/// The special operation of work whose shapes are not known before it runs.
constexpr std::string_view dynamic_shape = "dynamic_shape";

bool accepts_precision(const PlacementQuery& query, const PlacementKind& kind) {
  if (!kind.precision || query.none_accepted) return false;
  const auto& able = query.pool->precisions;
  if (!able.empty() && !contains(able, *kind.precision)) return false;
  const auto& wanted = query.precisions;
  return wanted.empty() || contains(wanted, *kind.precision);
}

}  // namespace

bool fails_real(const PlacementQuery&, const PlacementKind& kind) { return kind.spec->real; }

bool fails_precision(const PlacementQuery& query, const PlacementKind& kind) {
  return !accepts_precision(query, kind);
}

bool fails_ops(const PlacementQuery& query, const PlacementKind& kind) {
  const bool fixed_shapes = query.pool->dynamic_shapes == false;
  for (const std::string& op : query.request.job->work.ops) {
    if (fixed_shapes && op == dynamic_shape) return true;
    if (contains(kind.spec->missing_ops, op) || contains(query.pool->missing_ops, op)) return true;
  }
  return false;
}

bool fails_framework(const PlacementQuery& query, const PlacementKind& kind) {
  for (const auto& [name, version] : query.needs.versions) {
    const auto range = query.pool->versions.find(name);
    if (range != query.pool->versions.end() && !range->second.holds(version)) return true;
  }
  const std::string_view framework = query.needs.framework;
  if (framework.empty()) return false;
  const auto& able =
      query.pool->frameworks.empty() ? kind.spec->frameworks : query.pool->frameworks;
  return !able.empty() && !contains(able, framework);
}

bool fails_context(const PlacementQuery& query, const PlacementKind& /*kind*/) {
  if (query.purpose == Purpose::gang) return false;
  const auto beyond = [&](std::uint64_t limit) { return limit > 0 && query.need_tokens > limit; };
  return beyond(query.request.model->context_max) || beyond(query.pool->context_max);
}

/// Training must fit with the rule's headroom and, if its owner has tried this kind, must have
/// run; for serving, weights and one request must fit.
bool fails_kind_memory(const PlacementQuery& query, const PlacementKind& kind) {
  if (kind.devices < 1) return true;
  if (query.purpose != Purpose::gang || !kind.precision) return false;
  const Workload& work = query.request.job->work;
  const MeasuredThroughput* tried =
      measured_throughput(work, kind.spec->id, kind.devices, kind.per_host > 0);
  if (tried != nullptr && tried->steps_per_s <= 0) return true;
  const devices::Placement placement{kind.spec, kind.devices, *kind.precision, 1, kind.per_host};
  const devices::TrainingShape shape{std::max(1U, work.batch), std::max(1U, work.sequence)};
  if (!devices::fits_training(placement, *query.request.model, shape)) return true;
  const double available = (kind.spec->memory.bytes - kind.spec->memory.reserved_bytes) *
                           (1 - query.rule.memory_headroom);
  return devices::training_bytes(placement, *query.request.model, shape) > available;
}

bool fails_topology(const PlacementQuery& query, const PlacementKind& kind) {
  if (query.purpose != Purpose::gang) return false;
  if (kind.devices > kind.group_devices) return true;
  const std::vector<int>& sizes = query.slices_of(*kind.spec);
  const int slice = kind.per_host > 0 ? kind.per_host : kind.devices;
  if (!sizes.empty() && !contains(sizes, slice)) return true;
  const auto& links = query.rule.interconnects;
  if (kind.devices == 1 || links.empty()) return false;
  if (kind.spec->device_class == DeviceClass::tpu) return !contains(links, "ici");
  return kind.spec->links.bandwidth <= 0 || !contains(links, "nvlink");
}

}  // namespace drover::router
