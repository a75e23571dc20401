// GPU performance monitoring (Hopper and later): a metric is the mean of two samples. Samples come
// from a table, so that a handle can be checked.
#include <atomic>

#include "agents/fake_nvml/library/calls.h"

namespace drover::fake_nvml {

namespace {

constexpr std::uint32_t hopper = 9;
constexpr std::size_t samples_max = 1024;
constexpr unsigned metrics_max = 333;  // entries of the caller's array, in the newest interface

struct GpmSample {
  std::atomic<bool> used{false};
  std::atomic<bool> filled{false};
  std::atomic<std::uint32_t> utilization{0}, tensor_activity{0}, memory_activity{0};
};
std::array<GpmSample, samples_max> samples;

struct GpmMetricsGet {
  unsigned version;
  unsigned count;
  GpmSample* first;
  GpmSample* second;
  GpmMetric metrics[1];  // `count` of them
};

bool is_sample(const GpmSample* sample) {
  for (const GpmSample& one : samples) {
    if (&one == sample) return one.used;
  }
  return false;
}

struct MetricRow {
  unsigned number;
  std::atomic<std::uint32_t> GpmSample::*share;
};
constexpr MetricRow metric_table[] = {
    {1, &GpmSample::utilization},       // graphics engine
    {2, &GpmSample::utilization},       // multiprocessors
    {5, &GpmSample::tensor_activity},   // any tensor core
    {10, &GpmSample::memory_activity},  // bandwidth of the memory
};

void answer(const GpmMetricsGet& request, GpmMetric& metric) {
  metric.result = not_supported;
  metric.value = 0;
  metric.short_name = metric.long_name = metric.unit = nullptr;
  for (const MetricRow& row : metric_table) {
    if (row.number != metric.metric) continue;
    metric.value = (request.first->*row.share + request.second->*row.share) / 200.0;
    metric.unit = "%";
    metric.result = success;
  }
}

}  // namespace

DROVER_NVML Return nvmlGpmQueryDeviceSupport(Handle handle, GpmSupport* out) {
  return with_device(handle, out != nullptr, [&](const DeviceNow& now) {
    if (out->version != 1) return argument_version_mismatch;
    out->supported = now.device.architecture >= hopper && now.device.architecture < 100 ? 1 : 0;
    return success;
  });
}

DROVER_NVML Return nvmlGpmSampleAlloc(GpmSample** out) {
  if (!initialized()) return uninitialized;
  if (out == nullptr) return invalid_argument;
  for (GpmSample& sample : samples) {
    if (sample.used.exchange(true)) continue;
    sample.filled = false;
    *out = &sample;
    return success;
  }
  return no_memory;
}

DROVER_NVML Return nvmlGpmSampleFree(GpmSample* sample) {
  if (!initialized()) return uninitialized;
  if (!is_sample(sample)) return invalid_argument;
  sample->used = false;
  return success;
}

DROVER_NVML Return nvmlGpmSampleGet(Handle handle, GpmSample* sample) {
  return with_device(handle, is_sample(sample), [&](const DeviceNow& now) {
    if (now.device.architecture < hopper) return not_supported;
    sample->utilization = now.device.utilization;
    sample->tensor_activity = now.device.tensor_activity;
    sample->memory_activity = now.device.memory_activity;
    sample->filled = true;
    return success;
  });
}

DROVER_NVML Return nvmlGpmMetricsGet(GpmMetricsGet* request) {
  if (!initialized()) return uninitialized;
  if (request == nullptr) return invalid_argument;
  if (request->version != 1) return argument_version_mismatch;
  if (request->count == 0 || request->count > metrics_max || !is_sample(request->first) ||
      !is_sample(request->second) || !request->first->filled || !request->second->filled) {
    return invalid_argument;
  }
  for (unsigned at = 0; at < request->count; ++at) answer(*request, request->metrics[at]);
  return success;
}

}  // namespace drover::fake_nvml
