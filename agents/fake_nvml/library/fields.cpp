// Values by number (nvmlDeviceGetFieldValues), the newest samples of a reading, and NVLink.
#include <cstdint>

#include "agents/fake_nvml/library/calls.h"

namespace drover::fake_nvml {

namespace {

using Found = std::optional<std::uint64_t>;

std::uint64_t one_if(bool condition) { return condition ? 1 : 0; }

Found ecc(const NvmlDevice& one, std::uint64_t count) {
  return one.has_ecc != 0 ? Found(count) : std::nullopt;
}
Found of_links(const NvmlDevice& one, std::uint64_t value) {
  return one.nvlinks > 0 ? Found(value) : std::nullopt;
}
Found limit(const NvmlDevice& one, std::uint64_t milliwatts) {
  return one.power_limit_max_mw > 0 ? Found(milliwatts) : std::nullopt;
}
Found corrected(const NvmlDevice& one, unsigned) { return ecc(one, one.ecc_corrected); }
Found uncorrected(const NvmlDevice& one, unsigned) { return ecc(one, one.ecc_uncorrected); }
Found ecc_on(const NvmlDevice& one, unsigned) { return ecc(one, 1); }
Found no_link_errors(const NvmlDevice& one, unsigned) { return of_links(one, 0); }
Found remapped(const NvmlDevice& one, unsigned) {
  constexpr std::uint32_t ampere = 7;
  return one.architecture >= ampere ? ecc(one, 0) : std::nullopt;
}
Found energy(const NvmlDevice& one, unsigned) {
  constexpr std::uint32_t volta = 5;
  return one.architecture >= volta ? Found(one.energy_mj) : std::nullopt;
}
Found memory_temperature(const NvmlDevice& one, unsigned) {
  const auto celsius = known(one.memory_temperature_c);
  return celsius ? Found(*celsius) : std::nullopt;
}
Found power(const NvmlDevice& one, unsigned scope) {
  return scope == 0 ? Found(one.power_mw) : std::nullopt;  // 1: a module with its CPU
}
Found current_limit(const NvmlDevice& one, unsigned) { return one.power_limit_mw; }
Found none(const NvmlDevice&, unsigned) { return 0; }
Found link_state(const NvmlDevice& one, unsigned link) {
  return of_links(one, one_if(link < one.nvlinks));
}

/// The scope of fields 164 to 166 is a link.
struct Field {
  unsigned number;  // NVML_FI_..
  ValueType type;
  Found (*value)(const NvmlDevice&, unsigned scope);
};
constexpr Field field_table[] = {
    {1, number_value, ecc_on},
    {2, number_value, ecc_on},
    {3, long_number_value, corrected},    // single-bit, volatile
    {4, long_number_value, uncorrected},  // double-bit, volatile
    {5, long_number_value, corrected},    // aggregate
    {6, long_number_value, uncorrected},
    {11, long_number_value, corrected},  // in the device's memory
    {12, long_number_value, uncorrected},
    {22, long_number_value, corrected},
    {23, long_number_value, uncorrected},
    {38, long_number_value, no_link_errors},  // CRC of flits, of data; replays; recoveries
    {45, long_number_value, no_link_errors},
    {52, long_number_value, no_link_errors},
    {59, long_number_value, no_link_errors},
    {74, long_number_value,
     [](const NvmlDevice& one, unsigned) -> Found { return one.power_violation_ns; }},
    {75, long_number_value,
     [](const NvmlDevice& one, unsigned) -> Found { return one.thermal_violation_ns; }},
    {77, long_number_value,
     [](const NvmlDevice& one, unsigned) -> Found { return one.board_limit_violation_ns; }},
    {82, number_value, memory_temperature},
    {83, long_number_value, energy},
    {90, number_value,
     [](const NvmlDevice& one, unsigned) { return of_links(one, one.nvlink_mb_s); }},
    {91, number_value, [](const NvmlDevice& one, unsigned) -> Found { return one.nvlinks; }},
    {94, number_value, none},  // PCIe replays
    {142, number_value, remapped},
    {143, number_value, remapped},
    {144, number_value, remapped},
    {145, number_value, remapped},
    {160, long_number_value, no_link_errors},
    {164, number_value,
     [](const NvmlDevice& one, unsigned link) {
       return link < one.nvlinks ? of_links(one, one.nvlink_mb_s) : std::nullopt;
     }},
    {165, number_value, link_state},
    {166, number_value,
     [](const NvmlDevice& one, unsigned link) {
       return link < one.nvlinks ? of_links(one, one.nvlink_version) : std::nullopt;
     }},
    {185, number_value, power},  // mean and newest: the sensor publishes one of them
    {186, number_value, power},
    {187, number_value,
     [](const NvmlDevice& one, unsigned) { return limit(one, one.power_limit_min_mw); }},
    {188, number_value,
     [](const NvmlDevice& one, unsigned) { return limit(one, one.power_limit_max_mw); }},
    {189, number_value,
     [](const NvmlDevice& one, unsigned) { return limit(one, one.power_limit_max_mw); }},
    {190, number_value, current_limit},
    {191, long_number_value, energy},
    {192, number_value, current_limit},
};

void answer(const DeviceNow& now, FieldValue& wanted) {
  wanted.timestamp_us = static_cast<long long>(now.header.published_us);
  wanted.latency_us = 0;
  wanted.result = not_supported;
  wanted.value.long_number = 0;
  for (const Field& field : field_table) {
    if (field.number != wanted.field) continue;
    const Found value = field.value(now.device, wanted.scope);
    if (!value) return;
    wanted.type = field.type;
    wanted.result = success;
    if (field.type == number_value) {
      wanted.value.number = static_cast<unsigned>(*value);
    } else {
      wanted.value.long_number = *value;
    }
  }
}

constexpr unsigned links_max = 18;

/// The value of one link of the device. invalid_argument: it has no link of this number.
Return get_link(Handle handle, unsigned link, unsigned* out, std::uint32_t value,
                std::uint32_t NvmlDevice::*own = nullptr) {
  return with_device(handle, out != nullptr && link < links_max, [&](const DeviceNow& now) {
    if (now.device.nvlinks == 0) return not_supported;
    if (link >= now.device.nvlinks) return invalid_argument;
    *out = own == nullptr ? value : now.device.*own;
    return success;
  });
}

}  // namespace

DROVER_NVML Return nvmlDeviceGetFieldValues(Handle handle, int count, FieldValue* values) {
  return with_device(handle, values != nullptr && count > 0, [&](const DeviceNow& now) {
    for (int at = 0; at < count; ++at) answer(now, values[at]);
    return success;
  });
}

/// One sample, the newest. not_found: it is not newer than `last_seen`.
DROVER_NVML Return nvmlDeviceGetSamples(Handle handle, unsigned type, unsigned long long last_seen,
                                        unsigned* value_type, unsigned* count, Sample* out) {
  constexpr unsigned sampling_types = 7;
  const bool given = value_type != nullptr && count != nullptr && type < sampling_types;
  return with_device(handle, given, [&](const DeviceNow& now) {
    const NvmlDevice& one = now.device;
    Sample sample{now.header.published_us, {}};
    switch (type) {
      case 0:
        sample.value.number = one.power_mw;
        break;
      case 1:
        sample.value.number = percent(one.utilization);
        break;
      case 2:
        sample.value.number = percent(one.memory_activity);
        break;
      case 5:
        sample.value.number = one.clock_mhz;
        break;
      default:
        return not_supported;
    }
    const unsigned room = *count;
    *value_type = number_value;
    *count = 1;
    if (out == nullptr) return success;
    if (room == 0) return insufficient_size;
    if (now.header.published_us <= last_seen) return not_found;
    *out = sample;
    return success;
  });
}

DROVER_NVML Return nvmlDeviceGetNvLinkState(Handle handle, unsigned link, unsigned* out) {
  return get_link(handle, link, out, 1);
}
DROVER_NVML Return nvmlDeviceGetNvLinkVersion(Handle handle, unsigned link, unsigned* out) {
  return get_link(handle, link, out, 0, &NvmlDevice::nvlink_version);
}
DROVER_NVML Return nvmlDeviceGetNvLinkCapability(Handle handle, unsigned link, unsigned capability,
                                                 unsigned* out) {
  constexpr unsigned sli_bridge = 4;
  constexpr unsigned capabilities = 6;
  return get_link(handle, link, capability < capabilities ? out : nullptr,
                  capability == sli_bridge ? 0 : 1);
}
DROVER_NVML Return nvmlDeviceGetNvLinkErrorCounter(Handle handle, unsigned link, unsigned counter,
                                                   unsigned long long* out) {
  constexpr unsigned counters = 5;
  unsigned value = 0;
  const bool given = out != nullptr && counter < counters;
  const Return found = get_link(handle, link, given ? &value : nullptr, 0);
  if (found == success) *out = 0;
  return found;
}

}  // namespace drover::fake_nvml
