// The work on a device as processes. There is at most one, and it computes: lists of graphics and
// MPS processes are empty.
#include "agents/fake_nvml/library/calls.h"

namespace drover::fake_nvml {

namespace {

/// Tells how many there are, and copies them if there is room. `count` is the room before the call.
template <typename Info, typename Fill>
Return list(Handle handle, unsigned* count, Info* out, const Fill& fill) {
  return with_device(handle, count != nullptr, [&](const DeviceNow& now) {
    const unsigned room = *count;
    *count = now.device.process.pid == 0 ? 0 : 1;
    if (*count == 0) return success;
    if (room == 0) return insufficient_size;
    if (out == nullptr) return invalid_argument;
    fill(now, *out);
    return success;
  });
}

Return list_first(Handle handle, unsigned* count, ProcessInfoV1* out) {
  return list(handle, count, out, [](const DeviceNow& now, ProcessInfoV1& info) {
    info = {now.device.process.pid, now.device.memory_used};
  });
}

Return list_later(Handle handle, unsigned* count, ProcessInfo* out) {
  return list(handle, count, out, [](const DeviceNow& now, ProcessInfo& info) {
    info = {now.device.process.pid, now.device.memory_used, no_instance, no_instance};
  });
}

Return list_none(Handle handle, unsigned* count) {
  return with_device(handle, count != nullptr, [&](const DeviceNow&) {
    *count = 0;
    return success;
  });
}

}  // namespace

DROVER_NVML Return nvmlDeviceGetComputeRunningProcesses(Handle handle, unsigned* count,
                                                        ProcessInfoV1* out) {
  return list_first(handle, count, out);
}
DROVER_NVML Return nvmlDeviceGetComputeRunningProcesses_v2(Handle handle, unsigned* count,
                                                           ProcessInfo* out) {
  return list_later(handle, count, out);
}
DROVER_NVML Return nvmlDeviceGetComputeRunningProcesses_v3(Handle handle, unsigned* count,
                                                           ProcessInfo* out) {
  return list_later(handle, count, out);
}

#define DROVER_NVML_NO_PROCESSES(name)                             \
  DROVER_NVML Return name(Handle handle, unsigned* count, void*) { \
    return list_none(handle, count);                               \
  }
DROVER_NVML_NO_PROCESSES(nvmlDeviceGetGraphicsRunningProcesses)
DROVER_NVML_NO_PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v2)
DROVER_NVML_NO_PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v3)
DROVER_NVML_NO_PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses)
DROVER_NVML_NO_PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses_v2)
DROVER_NVML_NO_PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses_v3)
#undef DROVER_NVML_NO_PROCESSES

DROVER_NVML Return nvmlDeviceGetRunningProcessDetailList(Handle handle, ProcessDetailList* out) {
  return with_device(handle, out != nullptr, [&](const DeviceNow& now) {
    if (out->version != version_of<ProcessDetailList>(1)) return argument_version_mismatch;
    const unsigned room = out->count;
    out->count = out->mode == 0 && now.device.process.pid != 0 ? 1 : 0;
    if (out->count == 0) return success;
    if (room == 0 || out->processes == nullptr) return insufficient_size;
    *out->processes = {now.device.process.pid, now.device.memory_used, no_instance, no_instance, 0};
    return success;
  });
}

/// not_found: nothing newer than `last_seen`.
DROVER_NVML Return nvmlDeviceGetProcessUtilization(Handle handle, ProcessUtilization* out,
                                                   unsigned* count, unsigned long long last_seen) {
  return with_device(handle, count != nullptr, [&](const DeviceNow& now) {
    const unsigned room = *count;
    *count = now.device.process.pid == 0 ? 0 : 1;
    if (*count == 0 || now.header.published_us <= last_seen) return not_found;
    if (room == 0 || out == nullptr) return insufficient_size;
    *out = {now.device.process.pid,
            now.header.published_us,
            percent(now.device.utilization),
            percent(now.device.memory_activity),
            0,
            0};
    return success;
  });
}

}  // namespace drover::fake_nvml
