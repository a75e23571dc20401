// The types of NVIDIA's public interface that this library answers: sizes, order of members and
// numbers are those of nvml.h (CUDA 12), declared here by hand because Debian has no such header.
// Functions have the names and arguments of the interface.
#pragma once

#include <cstddef>

/// Everything else stays invisible to the program that loads the library.
#define DROVER_NVML extern "C" __attribute__((visibility("default")))

namespace drover::fake_nvml {

enum Return : int {
  success = 0,
  uninitialized = 1,
  invalid_argument = 2,
  not_supported = 3,
  no_permission = 4,
  not_found = 6,
  insufficient_size = 7,
  driver_not_loaded = 9,
  timeout = 10,
  gpu_is_lost = 15,
  no_memory = 20,
  argument_version_mismatch = 25,
  unknown_error = 999,
};

/// A device, opaque to callers. Its address says which; nothing is stored there.
struct DeviceSlot {
  char unused;
};
using Handle = const DeviceSlot*;

/// The version of a struct that has one as its first member.
template <typename Struct>
constexpr unsigned version_of(unsigned number) {
  return static_cast<unsigned>(sizeof(Struct)) | number << 24U;
}

struct PciInfo {
  char bus_id_legacy[16];  // "0000:1b:00.0"
  unsigned domain, bus, device;
  unsigned pci_device_id;     // device << 16 | vendor
  unsigned pci_subsystem_id;  // the older struct ends here
  char bus_id[32];            // "00000000:1b:00.0"
};
struct PciInfoExt {
  unsigned version;
  unsigned domain, bus, device;
  unsigned pci_device_id, pci_subsystem_id;
  unsigned base_class, sub_class;
  char bus_id[32];
};
struct Uuid {
  unsigned version;
  unsigned type;  // 1: text
  char text[41];
};
struct Utilization {
  unsigned gpu, memory;  // %
};
struct Memory {
  unsigned long long total, free, used;
};
struct MemoryV2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
struct Temperature {
  unsigned version;
  unsigned sensor;
  int celsius;
};
struct ViolationTime {
  unsigned long long reference_us, violation_ns;
};
struct EccErrorCounts {
  unsigned long long l1_cache, l2_cache, device_memory, register_file;
};
struct ProcessInfoV1 {
  unsigned pid;
  unsigned long long memory;
};
struct ProcessInfo {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};
struct ProcessDetail {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
  unsigned long long protected_memory;
};
struct ProcessDetailList {
  unsigned version;
  unsigned mode;  // 0: compute
  unsigned count;
  ProcessDetail* processes;
};
struct ProcessUtilization {
  unsigned pid;
  unsigned long long timestamp_us;
  unsigned multiprocessors, memory, encoder, decoder;  // %
};
union Value {
  double real;
  unsigned number;
  unsigned long long long_number;
};
enum ValueType : unsigned { real_value = 0, number_value = 1, long_number_value = 3 };
struct Sample {
  unsigned long long timestamp_us;
  Value value;
};
struct FieldValue {
  unsigned field;
  unsigned scope;
  long long timestamp_us;
  long long latency_us;
  ValueType type;
  Return result;
  Value value;
};
struct EventData {
  Handle device;
  unsigned long long type;
  unsigned long long data;
  unsigned gpu_instance, compute_instance;  // the older struct ends before these
};
struct GpmMetric {
  unsigned metric;
  Return result;
  double value;
  const char *short_name, *long_name, *unit;
};
struct GpmSupport {
  unsigned version;
  unsigned supported;
};

inline constexpr unsigned no_instance = 0xffffffffU;

static_assert(sizeof(PciInfo) == 68 && offsetof(PciInfo, bus_id) == 36);
static_assert(sizeof(PciInfoExt) == 64 && sizeof(Uuid) == 52 && sizeof(MemoryV2) == 40);
static_assert(sizeof(ProcessInfoV1) == 16 && sizeof(ProcessInfo) == 24);
static_assert(sizeof(ProcessDetail) == 32 && sizeof(ProcessDetailList) == 24);
static_assert(sizeof(ProcessUtilization) == 32 && sizeof(Sample) == 16);
static_assert(sizeof(FieldValue) == 40 && sizeof(EventData) == 32 && sizeof(GpmMetric) == 40);

}  // namespace drover::fake_nvml
