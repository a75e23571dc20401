// What a device is: names, numbers, PCI address, capabilities, its place beside the others.
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "agents/fake_nvml/library/calls.h"

namespace drover::fake_nvml {

namespace {

constexpr unsigned nvidia_vendor = 0x10de;  // the catalogue has no device ids

template <std::size_t size>
Return get_text(Handle handle, char* out, unsigned length,
                std::array<char, size> NvmlDevice::*text) {
  return with_device(handle, out != nullptr, [&](const DeviceNow& now) {
    return copy_text(ended(now.device.*text).data(), out, length);
  });
}

Return get_text(Handle handle, char* out, unsigned length, const char* text) {
  return with_device(handle, out != nullptr,
                     [&](const DeviceNow&) { return copy_text(text, out, length); });
}

PciInfo pci_info(std::size_t index) {
  PciInfo info{};
  info.domain = domain_of(index);
  info.bus = bus_of(index);
  info.pci_device_id = nvidia_vendor;
  std::snprintf(info.bus_id_legacy, sizeof info.bus_id_legacy, "%04X:%02X:00.0",
                info.domain & 0xffffU, info.bus & 0xffU);
  std::snprintf(info.bus_id, sizeof info.bus_id, "%08X:%02X:00.0", info.domain & 0xffffU,
                info.bus & 0xffU);
  return info;
}

Return get_pci_info(Handle handle, PciInfo* out, std::size_t bytes) {
  return with_device(handle, out != nullptr, [&](const DeviceNow& now) {
    const PciInfo info = pci_info(now.index);
    std::memcpy(static_cast<void*>(out), &info, bytes);
    return success;
  });
}

/// Sets a bit for each processor (or for the one memory node).
Return get_affinity(Handle handle, unsigned words, unsigned long* out, std::size_t bits) {
  return with_device(handle, out != nullptr && words > 0, [&](const DeviceNow&) {
    constexpr std::size_t word_bits = 8 * sizeof(unsigned long);
    std::fill(out, out + words, 0UL);
    for (std::size_t bit = 0; bit < std::min<std::size_t>(bits, words * word_bits); ++bit) {
      out[bit / word_bits] |= 1UL << bit % word_bits;
    }
    return success;
  });
}

std::size_t processors() {
  return static_cast<std::size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

/// Two devices: how `use(first, second)` sees them.
template <typename Use>
Return with_devices(Handle one, Handle other, bool arguments_given, const Use& use) {
  return with_device(one, arguments_given, [&](const DeviceNow& first) {
    return with_device(other, true, [&](const DeviceNow& second) { return use(first, second); });
  });
}

// nvmlGpuTopologyLevel_t
constexpr unsigned same_board = 0;
constexpr unsigned same_node = 40;

}  // namespace

DROVER_NVML Return nvmlDeviceGetName(Handle handle, char* out, unsigned length) {
  return get_text(handle, out, length, &NvmlDevice::name);
}
DROVER_NVML Return nvmlDeviceGetUUID(Handle handle, char* out, unsigned length) {
  return get_text(handle, out, length, &NvmlDevice::uuid);
}
DROVER_NVML Return nvmlDeviceGetSerial(Handle handle, char* out, unsigned length) {
  return get_text(handle, out, length, &NvmlDevice::serial);
}
DROVER_NVML Return nvmlDeviceGetVbiosVersion(Handle handle, char* out, unsigned length) {
  return get_text(handle, out, length, "00.00.00.00.00");
}
DROVER_NVML Return nvmlDeviceGetIndex(Handle handle, unsigned* out) {
  return with_device(handle, out != nullptr, [&](const DeviceNow& now) {
    *out = static_cast<unsigned>(now.index);
    return success;
  });
}
DROVER_NVML Return nvmlDeviceGetMinorNumber(Handle handle, unsigned* out) {
  return nvmlDeviceGetIndex(handle, out);
}
DROVER_NVML Return nvmlDeviceGetBoardId(Handle handle, unsigned* out) {
  return with_device(handle, out != nullptr, [&](const DeviceNow& now) {
    *out = domain_of(now.index) << 16U | bus_of(now.index) << 8U;
    return success;
  });
}
DROVER_NVML Return nvmlDeviceGetMultiGpuBoard(Handle handle, unsigned* out) {
  return get_constant(handle, out, 0U);
}
DROVER_NVML Return nvmlDeviceOnSameBoard(Handle one, Handle other, int* out) {
  return with_devices(one, other, out != nullptr, [&](const DeviceNow& a, const DeviceNow& b) {
    *out = a.index == b.index ? 1 : 0;
    return success;
  });
}
DROVER_NVML Return nvmlDeviceGetBrand(Handle handle, unsigned* out) {
  return get(handle, out, [](const NvmlDevice& one) { return one.brand; });
}
DROVER_NVML Return nvmlDeviceGetArchitecture(Handle handle, unsigned* out) {
  return get(handle, out, [](const NvmlDevice& one) { return one.architecture; });
}
DROVER_NVML Return nvmlDeviceGetCudaComputeCapability(Handle handle, int* major, int* minor) {
  return with_device(handle, major != nullptr && minor != nullptr, [&](const DeviceNow& now) {
    *major = static_cast<int>(now.device.compute_major);
    *minor = static_cast<int>(now.device.compute_minor);
    return success;
  });
}
DROVER_NVML Return nvmlDeviceGetBusType(Handle handle, unsigned* out) {
  return get_constant(handle, out, 2U);  // PCIe
}

DROVER_NVML Return nvmlDeviceGetPciInfo_v3(Handle handle, PciInfo* out) {
  return get_pci_info(handle, out, sizeof(PciInfo));
}
DROVER_NVML Return nvmlDeviceGetPciInfo_v2(Handle handle, PciInfo* out) {
  return get_pci_info(handle, out, offsetof(PciInfo, bus_id));
}
DROVER_NVML Return nvmlDeviceGetPciInfo(Handle handle, PciInfo* out) {
  return get_pci_info(handle, out, offsetof(PciInfo, bus_id));
}
DROVER_NVML Return nvmlDeviceGetPciInfoExt(Handle handle, PciInfoExt* out) {
  return with_device(handle, out != nullptr, [&](const DeviceNow& now) {
    if (out->version != version_of<PciInfoExt>(1)) return argument_version_mismatch;
    const PciInfo info = pci_info(now.index);
    *out = {out->version, info.domain, info.bus, 0, info.pci_device_id, 0, 3, 2, {}};  // class 3D
    std::memcpy(out->bus_id, info.bus_id, sizeof info.bus_id);
    return success;
  });
}

DROVER_NVML Return nvmlDeviceGetCpuAffinity(Handle handle, unsigned words, unsigned long* out) {
  return get_affinity(handle, words, out, processors());
}
DROVER_NVML Return nvmlDeviceGetCpuAffinityWithinScope(Handle handle, unsigned words,
                                                       unsigned long* out, unsigned) {
  return get_affinity(handle, words, out, processors());
}
DROVER_NVML Return nvmlDeviceGetMemoryAffinity(Handle handle, unsigned words, unsigned long* out,
                                               unsigned) {
  return get_affinity(handle, words, out, 1);
}

DROVER_NVML Return nvmlDeviceGetTopologyCommonAncestor(Handle one, Handle other, unsigned* out) {
  return with_devices(one, other, out != nullptr, [&](const DeviceNow& a, const DeviceNow& b) {
    *out = a.index == b.index ? same_board : same_node;
    return success;
  });
}

/// All devices of the host are in one node; none are nearer to each other.
DROVER_NVML Return nvmlDeviceGetTopologyNearestGpus(Handle handle, unsigned level, unsigned* count,
                                                    Handle* out) {
  return with_device(handle, count != nullptr, [&](const DeviceNow& now) {
    const unsigned others = level == same_node ? now.header.device_count - 1 : 0;
    const unsigned room = *count;
    *count = others;
    if (out == nullptr || others == 0) return success;
    if (room < others) return insufficient_size;
    for (std::size_t index = 0; index < now.header.device_count; ++index) {
      if (index != now.index) *out++ = handle_of(index);
    }
    return success;
  });
}

DROVER_NVML Return nvmlDeviceGetP2PStatus(Handle one, Handle other, unsigned capability,
                                          unsigned* out) {
  constexpr unsigned by_nvlink = 2;
  constexpr unsigned capabilities = 6;
  constexpr unsigned status_ok = 0;
  constexpr unsigned status_not_supported = 5;
  return with_devices(one, other, out != nullptr && capability < capabilities,
                      [&](const DeviceNow& a, const DeviceNow& b) {
                        const bool linked = a.device.nvlinks > 0 && b.device.nvlinks > 0;
                        *out = capability != by_nvlink || linked ? status_ok : status_not_supported;
                        return success;
                      });
}

}  // namespace drover::fake_nvml
