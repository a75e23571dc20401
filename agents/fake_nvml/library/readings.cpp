// What a device does: utilization, memory, power, temperatures, clocks, errors, its PCIe link, and
// its settings, none of which can be changed.
#include <ctime>

#include "agents/fake_nvml/library/calls.h"

namespace drover::fake_nvml {

namespace {

// nvmlClockType_t. The emulated boards have no clock of memory and video.
constexpr unsigned graphics_clock = 0;
constexpr unsigned multiprocessor_clock = 1;
constexpr unsigned clock_types = 4;

/// A clock of graphics or multiprocessors, which are the same.
Return get_clock(Handle handle, unsigned type, unsigned* out, std::uint32_t NvmlDevice::*clock) {
  return with_device(handle, out != nullptr && type < clock_types, [&](const DeviceNow& now) {
    if (type != graphics_clock && type != multiprocessor_clock) return not_supported;
    *out = now.device.*clock;
    return success;
  });
}

constexpr unsigned error_types = 2;    // corrected, uncorrected
constexpr unsigned counter_types = 2;  // volatile, aggregate: the same here

/// The errors that the driver counts are all in the device's memory.
Return get_ecc(Handle handle, unsigned type, unsigned counter, unsigned long long* out) {
  const bool valid = type < error_types && counter < counter_types;
  return with_device(handle, out != nullptr && valid, [&](const DeviceNow& now) {
    if (now.device.has_ecc == 0) return not_supported;
    *out = type == 0 ? now.device.ecc_corrected : now.device.ecc_uncorrected;
    return success;
  });
}

Return get_two(Handle handle, unsigned* first, unsigned* second, unsigned a, unsigned b) {
  return with_device(handle, first != nullptr && second != nullptr, [&](const DeviceNow&) {
    *first = a;
    *second = b;
    return success;
  });
}

bool takes_limit(const NvmlDevice& one) { return one.power_limit_max_mw > 0; }

/// A power brake is the only reason besides the ones that Drover's throttle bits have.
constexpr unsigned long long supported_reasons = 0x1 | 0x4 | 0x8 | 0x20 | 0x40 | 0x80;

std::optional<unsigned> pcie(std::uint32_t value) {
  return value == 0 ? std::nullopt : std::optional<unsigned>(value);
}

}  // namespace

DROVER_NVML Return nvmlDeviceGetUtilizationRates(Handle handle, Utilization* out) {
  return with_device(handle, out != nullptr, [&](const DeviceNow& now) {
    *out = {percent(now.device.utilization), percent(now.device.memory_activity)};
    return success;
  });
}
DROVER_NVML Return nvmlDeviceGetEncoderUtilization(Handle handle, unsigned* out, unsigned* period) {
  return get_two(handle, out, period, 0, 1'000'000);
}
DROVER_NVML Return nvmlDeviceGetDecoderUtilization(Handle handle, unsigned* out, unsigned* period) {
  return get_two(handle, out, period, 0, 1'000'000);
}

DROVER_NVML Return nvmlDeviceGetMemoryInfo(Handle handle, Memory* out) {
  return with_device(handle, out != nullptr, [&](const DeviceNow& now) {
    const NvmlDevice& one = now.device;
    *out = {one.memory_total, one.memory_total - one.memory_used, one.memory_used};
    return success;
  });
}
DROVER_NVML Return nvmlDeviceGetMemoryInfo_v2(Handle handle, MemoryV2* out) {
  return with_device(handle, out != nullptr, [&](const DeviceNow& now) {
    if (out->version != version_of<MemoryV2>(2)) return argument_version_mismatch;
    const NvmlDevice& one = now.device;
    *out = {out->version, one.memory_total, 0, one.memory_total - one.memory_used, one.memory_used};
    return success;
  });
}
/// A window on the whole memory, whose size is a power of two.
DROVER_NVML Return nvmlDeviceGetBAR1MemoryInfo(Handle handle, Memory* out) {
  return with_device(handle, out != nullptr, [&](const DeviceNow& now) {
    unsigned long long total = 1;
    while (total < now.device.memory_total && total < 1ULL << 62U) total *= 2;
    *out = {total, total, 0};
    return success;
  });
}

DROVER_NVML Return nvmlDeviceGetPowerUsage(Handle handle, unsigned* out) {
  return get(handle, out, [](const NvmlDevice& one) { return one.power_mw; });
}
DROVER_NVML Return nvmlDeviceGetEnforcedPowerLimit(Handle handle, unsigned* out) {
  return get(handle, out, [](const NvmlDevice& one) { return one.power_limit_mw; });
}
DROVER_NVML Return nvmlDeviceGetPowerManagementLimit(Handle handle, unsigned* out) {
  return get(handle, out, [](const NvmlDevice& one) { return one.power_limit_mw; });
}
DROVER_NVML Return nvmlDeviceGetPowerManagementDefaultLimit(Handle handle, unsigned* out) {
  return get(handle, out, [](const NvmlDevice& one) {
    return takes_limit(one) ? one.power_limit_max_mw : one.power_limit_mw;
  });
}
DROVER_NVML Return nvmlDeviceGetPowerManagementLimitConstraints(Handle handle, unsigned* low,
                                                                unsigned* high) {
  return with_device(handle, low != nullptr && high != nullptr, [&](const DeviceNow& now) {
    if (!takes_limit(now.device)) return not_supported;
    *low = now.device.power_limit_min_mw;
    *high = now.device.power_limit_max_mw;
    return success;
  });
}
DROVER_NVML Return nvmlDeviceGetPowerManagementMode(Handle handle, unsigned* out) {
  return get_constant(handle, out, 1U);
}
DROVER_NVML Return nvmlDeviceGetTotalEnergyConsumption(Handle handle, unsigned long long* out) {
  constexpr std::uint32_t volta = 5;
  return get(handle, out, [](const NvmlDevice& one) {
    return one.architecture >= volta ? std::optional(one.energy_mj) : std::nullopt;
  });
}

DROVER_NVML Return nvmlDeviceGetTemperature(Handle handle, unsigned sensor, unsigned* out) {
  return get(handle, sensor == 0 ? out : nullptr,
             [](const NvmlDevice& one) { return known(one.temperature_c); });
}
DROVER_NVML Return nvmlDeviceGetTemperatureV(Handle handle, Temperature* out) {
  return with_device(handle, out != nullptr, [&](const DeviceNow& now) {
    if (out->version != version_of<Temperature>(1)) return argument_version_mismatch;
    if (out->sensor != 0) return invalid_argument;
    if (now.device.temperature_c == not_known) return not_supported;
    out->celsius = now.device.temperature_c;
    return success;
  });
}
DROVER_NVML Return nvmlDeviceGetTemperatureThreshold(Handle handle, unsigned type, unsigned* out) {
  constexpr unsigned threshold_types = 7;  // the last three are of fans
  return get(handle, type < threshold_types ? out : nullptr, [&](const NvmlDevice& one) {
    const std::int32_t limits[] = {one.shutdown_c, one.slowdown_c, one.memory_max_c, one.gpu_max_c,
                                   not_known,      not_known,      not_known};
    return known(limits[type]);
  });
}
DROVER_NVML Return nvmlDeviceGetNumFans(Handle handle, unsigned* out) {
  return get_constant(handle, out, 0U);
}

DROVER_NVML Return nvmlDeviceGetClockInfo(Handle handle, unsigned type, unsigned* out) {
  return get_clock(handle, type, out, &NvmlDevice::clock_mhz);
}
DROVER_NVML Return nvmlDeviceGetMaxClockInfo(Handle handle, unsigned type, unsigned* out) {
  return get_clock(handle, type, out, &NvmlDevice::clock_max_mhz);
}
DROVER_NVML Return nvmlDeviceGetMaxCustomerBoostClock(Handle handle, unsigned type, unsigned* out) {
  return get_clock(handle, type, out, &NvmlDevice::clock_max_mhz);
}
DROVER_NVML Return nvmlDeviceGetApplicationsClock(Handle handle, unsigned type, unsigned* out) {
  return get_clock(handle, type, out, &NvmlDevice::clock_max_mhz);
}
DROVER_NVML Return nvmlDeviceGetDefaultApplicationsClock(Handle handle, unsigned type,
                                                         unsigned* out) {
  return get_clock(handle, type, out, &NvmlDevice::clock_max_mhz);
}
DROVER_NVML Return nvmlDeviceGetClock(Handle handle, unsigned type, unsigned id, unsigned* out) {
  constexpr unsigned clock_ids = 4;  // now, target, default, largest boost
  return get_clock(handle, type, id < clock_ids ? out : nullptr,
                   id == 0 ? &NvmlDevice::clock_mhz : &NvmlDevice::clock_max_mhz);
}
DROVER_NVML Return nvmlDeviceGetPerformanceState(Handle handle, unsigned* out) {
  return get_constant(handle, out, 0U);  // P0: data centre boards have no other
}
DROVER_NVML Return nvmlDeviceGetPowerState(Handle handle, unsigned* out) {
  return get_constant(handle, out, 0U);
}

DROVER_NVML Return nvmlDeviceGetCurrentClocksEventReasons(Handle handle, unsigned long long* out) {
  return get(handle, out, [](const NvmlDevice& one) { return one.clock_event_reasons; });
}
DROVER_NVML Return nvmlDeviceGetCurrentClocksThrottleReasons(Handle handle,
                                                             unsigned long long* out) {
  return nvmlDeviceGetCurrentClocksEventReasons(handle, out);
}
DROVER_NVML Return nvmlDeviceGetSupportedClocksEventReasons(Handle handle,
                                                            unsigned long long* out) {
  return get_constant(handle, out, supported_reasons);
}
DROVER_NVML Return nvmlDeviceGetSupportedClocksThrottleReasons(Handle handle,
                                                               unsigned long long* out) {
  return get_constant(handle, out, supported_reasons);
}
DROVER_NVML Return nvmlDeviceGetViolationStatus(Handle handle, unsigned policy,
                                                ViolationTime* out) {
  constexpr unsigned policies = 12;
  return with_device(handle, out != nullptr && policy < policies, [&](const DeviceNow& now) {
    std::uint64_t violation = 0;
    switch (policy) {
      case 0:
        violation = now.device.power_violation_ns;
        break;
      case 1:
        violation = now.device.thermal_violation_ns;
        break;
      case 3:
        violation = now.device.board_limit_violation_ns;
        break;
      default:
        return not_supported;
    }
    *out = {now.header.published_us, violation};
    return success;
  });
}

DROVER_NVML Return nvmlDeviceGetEccMode(Handle handle, unsigned* current, unsigned* pending) {
  return with_device(handle, current != nullptr && pending != nullptr, [&](const DeviceNow& now) {
    if (now.device.has_ecc == 0) return not_supported;
    *current = *pending = 1;
    return success;
  });
}
DROVER_NVML Return nvmlDeviceGetDefaultEccMode(Handle handle, unsigned* out) {
  return get(handle, out, [](const NvmlDevice& one) {
    return one.has_ecc != 0 ? std::optional(1U) : std::nullopt;
  });
}
DROVER_NVML Return nvmlDeviceGetTotalEccErrors(Handle handle, unsigned type, unsigned counter,
                                               unsigned long long* out) {
  return get_ecc(handle, type, counter, out);
}
DROVER_NVML Return nvmlDeviceGetMemoryErrorCounter(Handle handle, unsigned type, unsigned counter,
                                                   unsigned location, unsigned long long* out) {
  constexpr unsigned locations = 8;
  constexpr unsigned device_memory = 2;
  if (location >= locations) out = nullptr;
  const Return found = get_ecc(handle, type, counter, out);
  if (found == success && location != device_memory) *out = 0;
  return found;
}
DROVER_NVML Return nvmlDeviceGetDetailedEccErrors(Handle handle, unsigned type, unsigned counter,
                                                  EccErrorCounts* out) {
  if (out == nullptr) return initialized() ? invalid_argument : uninitialized;
  EccErrorCounts counts{};
  const Return found = get_ecc(handle, type, counter, &counts.device_memory);
  if (found == success) *out = counts;
  return found;
}
/// Rows are remapped by a reset, which the emulated fleet does not do.
DROVER_NVML Return nvmlDeviceGetRemappedRows(Handle handle, unsigned* corrected,
                                             unsigned* uncorrected, unsigned* pending,
                                             unsigned* failed) {
  const bool given = corrected != nullptr && uncorrected != nullptr && pending != nullptr;
  constexpr std::uint32_t ampere = 7;
  return with_device(handle, given && failed != nullptr, [&](const DeviceNow& now) {
    if (now.device.has_ecc == 0 || now.device.architecture < ampere) return not_supported;
    *corrected = *uncorrected = *pending = *failed = 0;
    return success;
  });
}

DROVER_NVML Return nvmlDeviceGetMaxPcieLinkGeneration(Handle handle, unsigned* out) {
  return get(handle, out, [](const NvmlDevice& one) { return pcie(one.pcie_generation); });
}
DROVER_NVML Return nvmlDeviceGetCurrPcieLinkGeneration(Handle handle, unsigned* out) {
  return nvmlDeviceGetMaxPcieLinkGeneration(handle, out);
}
DROVER_NVML Return nvmlDeviceGetGpuMaxPcieLinkGeneration(Handle handle, unsigned* out) {
  return nvmlDeviceGetMaxPcieLinkGeneration(handle, out);
}
DROVER_NVML Return nvmlDeviceGetMaxPcieLinkWidth(Handle handle, unsigned* out) {
  return get(handle, out, [](const NvmlDevice& one) { return pcie(one.pcie_lanes); });
}
DROVER_NVML Return nvmlDeviceGetCurrPcieLinkWidth(Handle handle, unsigned* out) {
  return nvmlDeviceGetMaxPcieLinkWidth(handle, out);
}
/// MT/s: 2500, 5000, 8000, 16000, ..
DROVER_NVML Return nvmlDeviceGetPcieSpeed(Handle handle, unsigned* out) {
  return get(handle, out, [](const NvmlDevice& one) -> std::optional<unsigned> {
    constexpr unsigned third = 8000;
    if (one.pcie_generation == 0 || one.pcie_generation > 6) return std::nullopt;
    if (one.pcie_generation < 3) return 2500 * one.pcie_generation;
    return third << (one.pcie_generation - 3);
  });
}
DROVER_NVML Return nvmlDeviceGetPcieReplayCounter(Handle handle, unsigned* out) {
  return get_constant(handle, out, 0U);
}

// Settings.

DROVER_NVML Return nvmlDeviceGetPersistenceMode(Handle handle, unsigned* out) {
  return get_constant(handle, out, 1U);
}
DROVER_NVML Return nvmlDeviceGetComputeMode(Handle handle, unsigned* out) {
  return get_constant(handle, out, 0U);  // shared by any number of processes
}
DROVER_NVML Return nvmlDeviceGetDisplayMode(Handle handle, unsigned* out) {
  return get_constant(handle, out, 0U);
}
DROVER_NVML Return nvmlDeviceGetDisplayActive(Handle handle, unsigned* out) {
  return get_constant(handle, out, 0U);
}
DROVER_NVML Return nvmlDeviceGetAccountingMode(Handle handle, unsigned* out) {
  return get_constant(handle, out, 0U);
}
DROVER_NVML Return nvmlDeviceGetVirtualizationMode(Handle handle, unsigned* out) {
  return get_constant(handle, out, 0U);
}
DROVER_NVML Return nvmlDeviceIsMigDeviceHandle(Handle handle, unsigned* out) {
  return get_constant(handle, out, 0U);
}
DROVER_NVML Return nvmlDeviceGetMaxMigDeviceCount(Handle handle, unsigned* out) {
  return get_constant(handle, out, 0U);
}

}  // namespace drover::fake_nvml
