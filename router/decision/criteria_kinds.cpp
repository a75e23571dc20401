// Filters that judge kinds of places: what no state of a place could change.
#include <algorithm>

#include "devices/training/training.h"
#include "router/decision/criteria_filters.h"

namespace drover::router {
namespace {

/// The special operation of work whose shapes are not known before it runs.
constexpr std::string_view dynamic_shape = "dynamic_shape";

bool holds(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool accepts_precision(const Question& question, const PlaceKind& kind) {
  if (!kind.precision || question.none_accepted) return false;
  const auto& able = question.pool->precisions;
  if (!able.empty() && std::find(able.begin(), able.end(), *kind.precision) == able.end()) {
    return false;
  }
  const auto& wanted = question.precisions;
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), *kind.precision) != wanted.end();
}
}  // namespace

bool fails_precision(const Question& question, const PlaceKind& kind) {
  return !accepts_precision(question, kind);
}

bool fails_ops(const Question& question, const PlaceKind& kind) {
  const bool fixed_shapes = question.pool->dynamic_shapes == false;
  for (const std::string& op : question.ask.job->work.ops) {
    if (fixed_shapes && op == dynamic_shape) return true;
    if (holds(kind.spec->missing_ops, op) || holds(question.pool->missing_ops, op)) return true;
  }
  return false;
}

bool fails_framework(const Question& question, const PlaceKind& kind) {
  for (const auto& [name, version] : question.needs.versions) {
    const auto range = question.pool->versions.find(name);
    if (range != question.pool->versions.end() && !range->second.holds(version)) return true;
  }
  const std::string_view framework = question.needs.framework;
  if (framework.empty()) return false;
  const auto& able =
      question.pool->frameworks.empty() ? kind.spec->frameworks : question.pool->frameworks;
  return !able.empty() && !holds(able, framework);
}

bool fails_context(const Question& question, const PlaceKind& /*kind*/) {
  if (question.purpose == Purpose::gang) return false;
  const auto beyond = [&](std::uint64_t limit) {
    return limit > 0 && question.need_tokens > limit;
  };
  return beyond(question.ask.model->context_max) || beyond(question.pool->context_max);
}

/// Training must fit with the rule's headroom, and where its owner has tried it, it must have run;
/// weights and one request must fit at all.
bool fails_kind_memory(const Question& question, const PlaceKind& kind) {
  if (kind.devices < 1) return true;
  if (question.purpose != Purpose::gang || !kind.precision) return false;
  const Workload& work = question.ask.job->work;
  const Pace* tried = measured_pace(work, kind.spec->id, kind.devices, kind.per_host > 0);
  if (tried != nullptr && tried->steps_per_s <= 0) return true;
  const devices::Placement placement{kind.spec, kind.devices, *kind.precision, 1, kind.per_host};
  const devices::TrainingShape shape{std::max(1U, work.batch), std::max(1U, work.sequence)};
  if (!devices::fits_training(placement, *question.ask.model, shape)) return true;
  const double room =
      (kind.spec->memory_bytes - kind.spec->reserved_bytes) * (1 - question.rule.memory_headroom);
  return devices::training_bytes(placement, *question.ask.model, shape) > room;
}

bool fails_topology(const Question& question, const PlaceKind& kind) {
  if (question.purpose != Purpose::gang) return false;
  if (kind.devices > kind.group_devices) return true;
  const auto& sizes =
      question.pool->slices.empty() ? kind.spec->slice_sizes : question.pool->slices;
  const int slice = kind.per_host > 0 ? kind.per_host : kind.devices;
  if (!sizes.empty() && std::find(sizes.begin(), sizes.end(), slice) == sizes.end()) return true;
  const auto& links = question.rule.interconnects;
  if (kind.devices == 1 || links.empty()) return false;
  if (kind.spec->device_class == DeviceClass::tpu) return !holds(links, "ici");
  return kind.spec->link_bandwidth <= 0 || !holds(links, "nvlink");
}

}  // namespace drover::router
