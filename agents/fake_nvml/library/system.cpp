// Start and end, versions, texts of return codes, and how devices are found.
#include <strings.h>

#include <atomic>
#include <cstdint>
#include <cstdio>

#include "agents/fake_nvml/library/calls.h"

namespace drover::fake_nvml {

namespace {

std::atomic<unsigned> initializations{0};

// An existing driver's numbers, because tools compare them; Drover emulates none in particular.
constexpr const char* driver_version = "580.95.05";
constexpr const char* library_version = "13.580.95.05";
constexpr int cuda_version = 13000;

std::array<DeviceSlot, devices_max> slots{};

Return initialize() {
  FileHeader header;
  const Return found = read_header(header);
  if (found == success) ++initializations;
  return found;
}

Return count_devices(unsigned* count) {
  if (!initialized()) return uninitialized;
  if (count == nullptr) return invalid_argument;
  FileHeader header;
  const Return found = read_header(header);
  if (found == success) *count = header.device_count;
  return found;
}

Return handle_by_index(unsigned index, Handle* handle) {
  if (!initialized()) return uninitialized;
  FileHeader header;
  if (handle == nullptr) return invalid_argument;
  if (const Return found = read_header(header); found != success) return found;
  if (index >= header.device_count) return invalid_argument;
  return with_device(handle_of(index), true, [&](const DeviceNow& now) {
    *handle = handle_of(now.index);
    return success;
  });
}

/// The first device of which `matches(const DeviceNow&)`; gpu_is_lost if it is off the bus.
template <typename Matches>
Return find_handle(bool arguments_given, Handle* handle, const Matches& matches) {
  if (!initialized()) return uninitialized;
  if (!arguments_given || handle == nullptr) return invalid_argument;
  DeviceNow now;
  for (std::size_t index = 0; index < devices_max; ++index) {
    const Return found = read_device(index, now.header, now.device);
    if (found != success) return found;
    now.index = index;
    if (!matches(now)) continue;
    if (now.device.lost != 0) return gpu_is_lost;
    *handle = handle_of(index);
    return success;
  }
  return not_found;
}

/// "0000:1b:00.0" and "00000000:1B:00.0" are the same.
Return handle_by_bus(const char* text, Handle* handle) {
  unsigned domain = 0;
  unsigned bus = 0;
  unsigned device = 0;
  if (text != nullptr && std::sscanf(text, "%x:%x:%x", &domain, &bus, &device) != 3) {
    return initialized() ? invalid_argument : uninitialized;
  }
  return find_handle(text != nullptr, handle, [&](const DeviceNow& now) {
    return domain == domain_of(now.index) && bus == bus_of(now.index) && device == 0;
  });
}

Return text_of_system(const char* text, char* out, unsigned length) {
  if (!initialized()) return uninitialized;
  return out == nullptr ? invalid_argument : copy_text(text, out, length);
}

Return get_cuda_version(int* version) {
  if (version == nullptr) return invalid_argument;
  *version = cuda_version;
  return success;
}

struct ErrorText {
  int code;
  const char* text;
};
constexpr ErrorText error_texts[] = {
    {success, "Success"},
    {uninitialized, "Uninitialized"},
    {invalid_argument, "Invalid Argument"},
    {not_supported, "Not Supported"},
    {no_permission, "Insufficient Permissions"},
    {5, "Already Initialized"},
    {not_found, "Not Found"},
    {insufficient_size, "Insufficient Size"},
    {8, "Insufficient External Power"},
    {driver_not_loaded, "Driver Not Loaded"},
    {timeout, "Timeout"},
    {11, "Interrupt Request Issue"},
    {12, "NVML Shared Library Not Found"},
    {13, "Function Not Found"},
    {14, "Corrupted infoROM"},
    {gpu_is_lost, "GPU is lost"},
    {16, "GPU requires restart"},
    {17, "The operating system has blocked the request."},
    {18, "Driver/library version mismatch"},
    {19, "In use by another client"},
    {no_memory, "Insufficient Memory"},
    {21, "No data"},
    {23, "Insufficient resources"},
    {24, "Requested frequency is not supported"},
    {argument_version_mismatch, "Argument version mismatch"},
};

}  // namespace

bool initialized() { return initializations > 0; }

Handle handle_of(std::size_t index) { return &slots[index]; }

std::optional<std::size_t> index_of(Handle handle) {
  const auto at = reinterpret_cast<std::uintptr_t>(handle);
  const auto first = reinterpret_cast<std::uintptr_t>(slots.data());
  if (at < first || at - first >= slots.size()) return std::nullopt;
  return at - first;
}

Return find_device(Handle handle, DeviceNow& now) {
  if (!initialized()) return uninitialized;
  const auto index = index_of(handle);
  if (!index) return invalid_argument;
  now.index = *index;
  const Return found = read_device(*index, now.header, now.device);
  return found == success && now.device.lost == 0 ? success : gpu_is_lost;
}

DROVER_NVML Return nvmlInit_v2() { return initialize(); }
DROVER_NVML Return nvmlInit() { return initialize(); }
DROVER_NVML Return nvmlInitWithFlags(unsigned) { return initialize(); }

DROVER_NVML Return nvmlShutdown() {
  unsigned count = initializations;
  while (count > 0 && !initializations.compare_exchange_weak(count, count - 1)) {
  }
  return count > 0 ? success : uninitialized;
}

DROVER_NVML const char* nvmlErrorString(int code) {
  for (const ErrorText& one : error_texts) {
    if (one.code == code) return one.text;
  }
  return "Unknown Error";
}

DROVER_NVML Return nvmlSystemGetDriverVersion(char* out, unsigned length) {
  return text_of_system(driver_version, out, length);
}
DROVER_NVML Return nvmlSystemGetNVMLVersion(char* out, unsigned length) {
  return text_of_system(library_version, out, length);
}
DROVER_NVML Return nvmlSystemGetCudaDriverVersion(int* version) {
  return get_cuda_version(version);
}
DROVER_NVML Return nvmlSystemGetCudaDriverVersion_v2(int* version) {
  return get_cuda_version(version);
}

/// Only of processes that the devices list.
DROVER_NVML Return nvmlSystemGetProcessName(unsigned pid, char* out, unsigned length) {
  if (!initialized()) return uninitialized;
  if (out == nullptr || length == 0) return invalid_argument;
  DeviceNow now;
  for (std::size_t index = 0; index < devices_max; ++index) {
    const Return found = read_device(index, now.header, now.device);
    if (found != success) return found;
    if (pid == 0 || now.device.process.pid != pid) continue;
    return copy_text(ended(now.device.process.name).data(), out, length);
  }
  return not_found;
}

DROVER_NVML Return nvmlDeviceGetCount_v2(unsigned* count) { return count_devices(count); }
DROVER_NVML Return nvmlDeviceGetCount(unsigned* count) { return count_devices(count); }
DROVER_NVML Return nvmlDeviceGetHandleByIndex_v2(unsigned index, Handle* handle) {
  return handle_by_index(index, handle);
}
DROVER_NVML Return nvmlDeviceGetHandleByIndex(unsigned index, Handle* handle) {
  return handle_by_index(index, handle);
}
DROVER_NVML Return nvmlDeviceGetHandleByPciBusId_v2(const char* text, Handle* handle) {
  return handle_by_bus(text, handle);
}
DROVER_NVML Return nvmlDeviceGetHandleByPciBusId(const char* text, Handle* handle) {
  return handle_by_bus(text, handle);
}
DROVER_NVML Return nvmlDeviceGetHandleByUUID(const char* text, Handle* handle) {
  return find_handle(text != nullptr, handle, [&](const DeviceNow& now) {
    return strcasecmp(ended(now.device.uuid).data(), text) == 0;
  });
}
DROVER_NVML Return nvmlDeviceGetHandleByUUIDV(const Uuid* uuid, Handle* handle) {
  if (initialized() && uuid != nullptr) {
    if (uuid->version != version_of<Uuid>(1)) return argument_version_mismatch;
    if (uuid->type != 1) return not_supported;
  }
  return find_handle(uuid != nullptr, handle, [&](const DeviceNow& now) {
    return strncasecmp(ended(now.device.uuid).data(), uuid->text, sizeof uuid->text) == 0;
  });
}
DROVER_NVML Return nvmlDeviceGetHandleBySerial(const char* text, Handle* handle) {
  return find_handle(text != nullptr, handle, [&](const DeviceNow& now) {
    return std::strcmp(ended(now.device.serial).data(), text) == 0;
  });
}

DROVER_NVML Return nvmlUnitGetCount(unsigned* count) {
  if (!initialized()) return uninitialized;
  if (count == nullptr) return invalid_argument;
  *count = 0;
  return success;
}
DROVER_NVML Return nvmlGetExcludedDeviceCount(unsigned* count) { return nvmlUnitGetCount(count); }

}  // namespace drover::fake_nvml
