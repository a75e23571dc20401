// NVIDIA's management library, NVML, opened at run time.
//
// NVIDIA publishes the library's header under a licence of its own, so what is used of the binary
// interface is declared here, under our own names. The names of the symbols, the numbers and the
// layouts are those of NVIDIA's nvml.h for CUDA 12 and 13; drivers keep them for ever. A symbol
// that the installed driver lacks is a function that answers `function_not_found`.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "fleet/base/result.h"

namespace drover::agents::nvml {

/// What every function returns.
enum class Answer : int {
  ok = 0,
  uninitialized = 1,
  invalid_argument = 2,
  not_supported = 3,
  no_permission = 4,
  not_found = 6,
  insufficient_size = 7,
  driver_not_loaded = 9,
  timeout = 10,
  function_not_found = 13,
  gpu_is_lost = 15,
  version_mismatch = 18,  // of library and kernel module, after an update without a restart
  gpu_not_found = 28,
};

// Handles that the library gives out.
using Device = struct DeviceHandle*;
using EventSet = struct EventSetHandle*;
using GpmSample = struct GpmSampleHandle*;

// Arguments that choose what is asked.
enum Clock : unsigned { clock_sm = 1, clock_memory = 2 };
enum Sensor : unsigned { sensor_gpu = 0 };
enum TemperatureThreshold : unsigned { threshold_slowdown = 1 };
enum ErrorType : unsigned { errors_corrected = 0, errors_uncorrected = 1 };
enum ErrorCounter : unsigned { counter_volatile = 0 };  // since the driver was loaded
enum PcieDirection : unsigned { pcie_sent = 0, pcie_received = 1 };
enum Policy : unsigned { policy_power = 0, policy_thermal = 1, policy_board_limit = 3 };
inline constexpr std::uint64_t event_xid = 0x8;
enum LinkCounter : unsigned { link_replays = 0, link_recoveries, link_crc_flit, link_crc_data };
enum LinkEndType : unsigned { link_end_gpu = 0, link_end_processor = 1, link_end_switch = 2 };
/// The nearest common ancestor of two boards.
enum TopologyLevel : unsigned {
  level_board = 0,
  level_one_switch = 10,
  level_switches = 20,
  level_host_bridge = 30,
  level_numa_node = 40,
  level_system = 50,
};
enum FieldId : unsigned {
  field_memory_temperature = 82,  // C
  field_link_sent = 138,          // KiB, of the link `scope`
  field_link_received = 139,
  field_power_mean = 185,  // mW, over one second
  field_power_now = 186,   // mW
};
/// A field as well: MB/s of an active link in one direction; all links of a board have one rate.
inline constexpr unsigned field_link_rate = 90;
inline constexpr unsigned all_links = 0xFFFFFFFF;  // a scope: the sum over the links
// %: of the time something ran, and of the peaks of matrix units and memory.
enum GpmMetric : unsigned { gpm_busy = 1, gpm_tensor = 5, gpm_memory = 10 };

/// A value that is not known has all its bits set.
inline constexpr std::uint64_t not_available = ~std::uint64_t{0};

struct Utilization {
  unsigned gpu;     // % of time
  unsigned memory;  // % of time
};

struct Memory {  // bytes; `used` includes what the driver reserves
  std::uint64_t total;
  std::uint64_t free;
  std::uint64_t used;
};

struct MemoryVersion2 {
  unsigned version;
  std::uint64_t total;
  std::uint64_t reserved;
  std::uint64_t free;
  std::uint64_t used;
};
inline constexpr unsigned memory_tag_2 = sizeof(MemoryVersion2) | 2U << 24U;

struct PciAddress {
  char short_text[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned device_id;
  unsigned subsystem_id;
  char text[32];  // "00000000:3B:00.0"
};

struct ViolationTime {
  std::uint64_t reference_us;
  std::uint64_t violation_ns;
};

struct Process {
  unsigned pid;
  std::uint64_t memory_bytes;  // or not_available
  unsigned gpu_instance;       // of MIG, else all bits set
  unsigned compute_instance;
};

struct ProcessShare {
  unsigned pid;
  std::uint64_t taken_us;
  unsigned gpu;     // %
  unsigned memory;  // %
  unsigned encoder;
  unsigned decoder;
};

struct Event {
  Device device;
  std::uint64_t type;
  std::uint64_t data;  // the Xid
  unsigned gpu_instance;
  unsigned compute_instance;
};

enum class ValueType : unsigned {
  floating = 0,
  unsigned_int = 1,
  unsigned_long = 2,
  unsigned_long_long = 3,
  signed_long_long = 4,
  signed_int = 5,
  unsigned_short = 6,
};

struct FieldValue {
  unsigned field;
  unsigned scope;
  std::int64_t taken_us;
  std::int64_t latency_us;
  ValueType type;
  Answer answer;
  union {
    double floating;
    unsigned unsigned_int;
    std::uint64_t unsigned_long;
    std::int64_t signed_long;
    int signed_int;
    std::uint16_t unsigned_short;
  };
};
/// The value as a number, whatever its type.
double number_of(const FieldValue& value);

struct GpmSupport {
  unsigned version;  // 1
  unsigned supported;
};

struct GpmValue {
  unsigned metric;
  Answer answer;
  double value;
  const char* names[3];  // short name, long name, unit
};

struct GpmQuestion {
  unsigned version;  // 1
  unsigned count;
  GpmSample earlier;
  GpmSample later;
  std::array<GpmValue, 333> values;  // the library reads and writes `count` of them
};

static_assert(sizeof(Memory) == 24 && sizeof(MemoryVersion2) == 40 && sizeof(PciAddress) == 68);
static_assert(sizeof(Process) == 24 && sizeof(ProcessShare) == 32 && sizeof(Event) == 32);
static_assert(sizeof(FieldValue) == 40 && sizeof(GpmValue) == 40 && sizeof(ViolationTime) == 16);

/// The address of a symbol; null if the library has none of the two.
void* find_symbol(void* library, const char* symbol, const char* older);

/// A function of the library.
template <typename... Arguments>
class Function {
 public:
  /// `older`: what earlier drivers call it, with the same arguments.
  Function(void* library, const char* symbol, const char* older = nullptr)
      : symbol_(symbol),
        call_(reinterpret_cast<Answer (*)(Arguments...)>(find_symbol(library, symbol, older))) {}

  Answer operator()(Arguments... arguments) const {
    return call_ ? call_(arguments...) : Answer::function_not_found;
  }
  const char* symbol() const { return symbol_; }

 private:
  const char* symbol_;
  Answer (*call_)(Arguments...);
};

/// The functions that are used. A copy is as good as the original: the library is never closed,
/// because calls of other threads may still be in it.
class Library {
 private:
  void* library_;

 public:
  explicit Library(void* library) : library_(library) {}
  /// Loads it. The error names the file.
  static Result<Library> open(const std::string& path);

  Function<> initialize{library_, "nvmlInit_v2"};
  Function<> shut_down{library_, "nvmlShutdown"};
  Function<char*, unsigned> driver_version{library_, "nvmlSystemGetDriverVersion"};
  Function<unsigned*> device_count{library_, "nvmlDeviceGetCount_v2"};
  Function<unsigned, Device*> device_by_index{library_, "nvmlDeviceGetHandleByIndex_v2"};
  Function<Device, char*, unsigned> name{library_, "nvmlDeviceGetName"};
  Function<Device, char*, unsigned> uuid{library_, "nvmlDeviceGetUUID"};
  Function<Device, PciAddress*> pci_address{library_, "nvmlDeviceGetPciInfo_v3",
                                            "nvmlDeviceGetPciInfo_v2"};
  Function<Device, unsigned*> persistence_mode{library_, "nvmlDeviceGetPersistenceMode"};

  Function<Device, Utilization*> utilization{library_, "nvmlDeviceGetUtilizationRates"};
  Function<Device, MemoryVersion2*> memory_version_2{library_, "nvmlDeviceGetMemoryInfo_v2"};
  Function<Device, Memory*> memory{library_, "nvmlDeviceGetMemoryInfo"};
  Function<Device, unsigned*> power{library_, "nvmlDeviceGetPowerUsage"};
  Function<Device, std::uint64_t*> energy{library_, "nvmlDeviceGetTotalEnergyConsumption"};
  Function<Device, Sensor, unsigned*> temperature{library_, "nvmlDeviceGetTemperature"};
  Function<Device, Clock, unsigned*> clock{library_, "nvmlDeviceGetClockInfo"};
  Function<Device, std::uint64_t*> throttle{library_, "nvmlDeviceGetCurrentClocksEventReasons",
                                            "nvmlDeviceGetCurrentClocksThrottleReasons"};
  Function<Device, Policy, ViolationTime*> violation{library_, "nvmlDeviceGetViolationStatus"};
  Function<Device, ErrorType, ErrorCounter, std::uint64_t*> ecc_errors{
      library_, "nvmlDeviceGetTotalEccErrors"};
  Function<Device, PcieDirection, unsigned*> pcie_throughput{library_,
                                                             "nvmlDeviceGetPcieThroughput"};
  Function<Device, unsigned*> pcie_generation{library_, "nvmlDeviceGetCurrPcieLinkGeneration"};
  Function<Device, unsigned*> pcie_lanes{library_, "nvmlDeviceGetCurrPcieLinkWidth"};
  Function<Device, unsigned*> fan{library_, "nvmlDeviceGetFanSpeed"};
  Function<Device, unsigned*> power_cap{library_, "nvmlDeviceGetEnforcedPowerLimit"};
  Function<Device, int, FieldValue*> fields{library_, "nvmlDeviceGetFieldValues"};

  Function<Device, unsigned, unsigned*> link_state{library_, "nvmlDeviceGetNvLinkState"};
  Function<Device, unsigned, PciAddress*> link_peer{library_,
                                                    "nvmlDeviceGetNvLinkRemotePciInfo_v2"};
  Function<Device, unsigned, unsigned*> link_end{library_, "nvmlDeviceGetNvLinkRemoteDeviceType"};
  Function<Device, unsigned, LinkCounter, std::uint64_t*> link_errors{
      library_, "nvmlDeviceGetNvLinkErrorCounter"};
  Function<Device, Device, unsigned*> common_ancestor{library_,
                                                      "nvmlDeviceGetTopologyCommonAncestor"};

  Function<Device, TemperatureThreshold, unsigned*> temperature_threshold{
      library_, "nvmlDeviceGetTemperatureThreshold"};
  Function<Device, Clock, unsigned*> clock_max{library_, "nvmlDeviceGetMaxClockInfo"};
  Function<Device, unsigned*> pcie_generation_max{library_, "nvmlDeviceGetMaxPcieLinkGeneration"};
  Function<Device, unsigned*> pcie_lanes_max{library_, "nvmlDeviceGetMaxPcieLinkWidth"};
  Function<Device, unsigned*, unsigned*> power_cap_range{
      library_, "nvmlDeviceGetPowerManagementLimitConstraints"};
  Function<Device, unsigned*> power_cap_default{library_,
                                                "nvmlDeviceGetPowerManagementDefaultLimit"};
  Function<Device, unsigned> set_power_cap{library_, "nvmlDeviceSetPowerManagementLimit"};

  // Version 2 first: in some drivers of the series 535, version 3 has longer elements.
  Function<Device, unsigned*, Process*> compute_processes{
      library_, "nvmlDeviceGetComputeRunningProcesses_v2",
      "nvmlDeviceGetComputeRunningProcesses_v3"};
  Function<Device, unsigned*, Process*> graphics_processes{
      library_, "nvmlDeviceGetGraphicsRunningProcesses_v2",
      "nvmlDeviceGetGraphicsRunningProcesses_v3"};
  Function<Device, ProcessShare*, unsigned*, std::uint64_t> process_shares{
      library_, "nvmlDeviceGetProcessUtilization"};

  Function<EventSet*> make_event_set{library_, "nvmlEventSetCreate"};
  Function<Device, std::uint64_t, EventSet> register_events{library_, "nvmlDeviceRegisterEvents"};
  Function<EventSet, Event*, unsigned> wait_for_event{library_, "nvmlEventSetWait_v2",
                                                      "nvmlEventSetWait"};
  Function<EventSet> free_event_set{library_, "nvmlEventSetFree"};

  Function<Device, unsigned*, unsigned*> mig_mode{library_, "nvmlDeviceGetMigMode"};
  Function<Device, unsigned*> mig_count_max{library_, "nvmlDeviceGetMaxMigDeviceCount"};
  Function<Device, unsigned, Device*> mig_device{library_, "nvmlDeviceGetMigDeviceHandleByIndex"};
  Function<Device, unsigned*> gpu_instance{library_, "nvmlDeviceGetGpuInstanceId"};

  Function<Device, GpmSupport*> gpm_support{library_, "nvmlGpmQueryDeviceSupport"};
  Function<GpmSample*> make_gpm_sample{library_, "nvmlGpmSampleAlloc"};
  Function<GpmSample> free_gpm_sample{library_, "nvmlGpmSampleFree"};
  Function<Device, GpmSample> take_gpm_sample{library_, "nvmlGpmSampleGet"};
  Function<GpmQuestion*> gpm_values{library_, "nvmlGpmMetricsGet"};

  /// "not supported", "no permission", "Unknown Error".
  std::string text_of(Answer answer) const;
};

}  // namespace drover::agents::nvml
