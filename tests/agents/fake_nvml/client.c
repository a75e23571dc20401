/* A program that reads NVML, as other people write them: C99, declarations of its own, every
 * symbol looked up at run time, those that nvtop needs first and in its order.
 *
 *   client LIBRARY names          the symbols that it knows
 *   client LIBRARY all            calls each: without init, with null, bad and good arguments
 *   client LIBRARY values         "INDEX NAME VALUE" of each device; a code instead of a value:
 * "!15" client LIBRARY wait MS        one event: "DEVICE TYPE DATA" or "!CODE"; says "ready" before
 *   client LIBRARY watch MS       the code of one reading, whenever it changes
 *   client LIBRARY time N         microseconds of one call
 *   client LIBRARY threads N      N rounds of calls in each of four threads
 */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct nvmlDevice_st* nvmlDevice_t;
typedef struct nvmlEventSet_st* nvmlEventSet_t;
typedef struct nvmlGpmSample_st* nvmlGpmSample_t;
typedef int (*Function)(void*, void*, void*, void*, void*, void*);

/* What a symbol answers to null arguments after init. OF_START: those that need no init.
 * REFUSES: the code is for a good handle; a null one is an invalid argument. */
enum Kind { OF_START, OF_SYSTEM, ANSWERS, REFUSES };
static const struct Symbol {
  const char* name;
  enum Kind kind;
  int code;
} symbols[] = {
    {"nvmlDeviceClearAccountingPids", REFUSES, 4},
    {"nvmlDeviceClearCpuAffinity", REFUSES, 4},
    {"nvmlDeviceClearEccErrorCounts", REFUSES, 4},
    {"nvmlDeviceClearFieldValues", REFUSES, 4},
    {"nvmlDeviceCreateGpuInstance", REFUSES, 4},
    {"nvmlDeviceCreateGpuInstanceWithPlacement", REFUSES, 4},
    {"nvmlDeviceDiscoverGpus", OF_SYSTEM, 4},
    {"nvmlDeviceFreezeNvLinkUtilizationCounter", REFUSES, 4},
    {"nvmlDeviceGetAPIRestriction", REFUSES, 3},
    {"nvmlDeviceGetAccountingBufferSize", REFUSES, 3},
    {"nvmlDeviceGetAccountingMode", ANSWERS, 2},
    {"nvmlDeviceGetAccountingPids", REFUSES, 3},
    {"nvmlDeviceGetAccountingStats", REFUSES, 3},
    {"nvmlDeviceGetAdaptiveClockInfoStatus", REFUSES, 3},
    {"nvmlDeviceGetAddressingMode", REFUSES, 3},
    {"nvmlDeviceGetApplicationsClock", ANSWERS, 2},
    {"nvmlDeviceGetArchitecture", ANSWERS, 2},
    {"nvmlDeviceGetAttributes", REFUSES, 3},
    {"nvmlDeviceGetAttributes_v2", REFUSES, 3},
    {"nvmlDeviceGetAutoBoostedClocksEnabled", REFUSES, 3},
    {"nvmlDeviceGetBAR1MemoryInfo", ANSWERS, 2},
    {"nvmlDeviceGetBoardId", ANSWERS, 2},
    {"nvmlDeviceGetBoardPartNumber", REFUSES, 3},
    {"nvmlDeviceGetBrand", ANSWERS, 2},
    {"nvmlDeviceGetBridgeChipInfo", REFUSES, 3},
    {"nvmlDeviceGetBusType", ANSWERS, 2},
    {"nvmlDeviceGetC2cModeInfoV", REFUSES, 3},
    {"nvmlDeviceGetCapabilities", REFUSES, 3},
    {"nvmlDeviceGetClkMonStatus", REFUSES, 3},
    {"nvmlDeviceGetClock", ANSWERS, 2},
    {"nvmlDeviceGetClockInfo", ANSWERS, 2},
    {"nvmlDeviceGetClockOffsets", REFUSES, 3},
    {"nvmlDeviceGetComputeInstanceId", REFUSES, 3},
    {"nvmlDeviceGetComputeMode", ANSWERS, 2},
    {"nvmlDeviceGetComputeRunningProcesses", ANSWERS, 2},
    {"nvmlDeviceGetComputeRunningProcesses_v2", ANSWERS, 2},
    {"nvmlDeviceGetComputeRunningProcesses_v3", ANSWERS, 2},
    {"nvmlDeviceGetConfComputeMemSizeInfo", REFUSES, 3},
    {"nvmlDeviceGetCoolerInfo", REFUSES, 3},
    {"nvmlDeviceGetCount", OF_SYSTEM, 2},
    {"nvmlDeviceGetCount_v2", OF_SYSTEM, 2},
    {"nvmlDeviceGetCpuAffinity", ANSWERS, 2},
    {"nvmlDeviceGetCpuAffinityWithinScope", ANSWERS, 2},
    {"nvmlDeviceGetCudaComputeCapability", ANSWERS, 2},
    {"nvmlDeviceGetCurrPcieLinkGeneration", ANSWERS, 2},
    {"nvmlDeviceGetCurrPcieLinkWidth", ANSWERS, 2},
    {"nvmlDeviceGetCurrentClockFreqs", REFUSES, 3},
    {"nvmlDeviceGetCurrentClocksEventReasons", ANSWERS, 2},
    {"nvmlDeviceGetCurrentClocksThrottleReasons", ANSWERS, 2},
    {"nvmlDeviceGetDecoderUtilization", ANSWERS, 2},
    {"nvmlDeviceGetDefaultApplicationsClock", ANSWERS, 2},
    {"nvmlDeviceGetDefaultEccMode", ANSWERS, 2},
    {"nvmlDeviceGetDetailedEccErrors", ANSWERS, 2},
    {"nvmlDeviceGetDeviceHandleFromMigDeviceHandle", REFUSES, 3},
    {"nvmlDeviceGetDisplayActive", ANSWERS, 2},
    {"nvmlDeviceGetDisplayMode", ANSWERS, 2},
    {"nvmlDeviceGetDramEncryptionMode", REFUSES, 3},
    {"nvmlDeviceGetDriverModel", REFUSES, 3},
    {"nvmlDeviceGetDynamicPstatesInfo", REFUSES, 3},
    {"nvmlDeviceGetEccMode", ANSWERS, 2},
    {"nvmlDeviceGetEncoderCapacity", REFUSES, 3},
    {"nvmlDeviceGetEncoderSessions", REFUSES, 3},
    {"nvmlDeviceGetEncoderStats", REFUSES, 3},
    {"nvmlDeviceGetEncoderUtilization", ANSWERS, 2},
    {"nvmlDeviceGetEnforcedPowerLimit", ANSWERS, 2},
    {"nvmlDeviceGetFBCSessions", REFUSES, 3},
    {"nvmlDeviceGetFBCStats", REFUSES, 3},
    {"nvmlDeviceGetFanControlPolicy_v2", REFUSES, 3},
    {"nvmlDeviceGetFanSpeed", REFUSES, 3},
    {"nvmlDeviceGetFanSpeedRPM", REFUSES, 3},
    {"nvmlDeviceGetFanSpeed_v2", REFUSES, 3},
    {"nvmlDeviceGetFieldValues", ANSWERS, 2},
    {"nvmlDeviceGetGpcClkMinMaxVfOffset", REFUSES, 3},
    {"nvmlDeviceGetGpcClkVfOffset", REFUSES, 3},
    {"nvmlDeviceGetGpuFabricInfo", REFUSES, 3},
    {"nvmlDeviceGetGpuFabricInfoV", REFUSES, 3},
    {"nvmlDeviceGetGpuInstanceById", REFUSES, 3},
    {"nvmlDeviceGetGpuInstanceId", REFUSES, 3},
    {"nvmlDeviceGetGpuInstancePossiblePlacements", REFUSES, 3},
    {"nvmlDeviceGetGpuInstancePossiblePlacements_v2", REFUSES, 3},
    {"nvmlDeviceGetGpuInstanceProfileInfo", REFUSES, 3},
    {"nvmlDeviceGetGpuInstanceProfileInfoV", REFUSES, 3},
    {"nvmlDeviceGetGpuInstanceRemainingCapacity", REFUSES, 3},
    {"nvmlDeviceGetGpuInstances", REFUSES, 3},
    {"nvmlDeviceGetGpuMaxPcieLinkGeneration", ANSWERS, 2},
    {"nvmlDeviceGetGpuOperationMode", REFUSES, 3},
    {"nvmlDeviceGetGraphicsRunningProcesses", ANSWERS, 2},
    {"nvmlDeviceGetGraphicsRunningProcesses_v2", ANSWERS, 2},
    {"nvmlDeviceGetGraphicsRunningProcesses_v3", ANSWERS, 2},
    {"nvmlDeviceGetGridLicensableFeatures", REFUSES, 3},
    {"nvmlDeviceGetGridLicensableFeatures_v2", REFUSES, 3},
    {"nvmlDeviceGetGridLicensableFeatures_v3", REFUSES, 3},
    {"nvmlDeviceGetGridLicensableFeatures_v4", REFUSES, 3},
    {"nvmlDeviceGetGspFirmwareMode", REFUSES, 3},
    {"nvmlDeviceGetGspFirmwareVersion", REFUSES, 3},
    {"nvmlDeviceGetHandleByIndex", OF_SYSTEM, 2},
    {"nvmlDeviceGetHandleByIndex_v2", OF_SYSTEM, 2},
    {"nvmlDeviceGetHandleByPciBusId", OF_SYSTEM, 2},
    {"nvmlDeviceGetHandleByPciBusId_v2", OF_SYSTEM, 2},
    {"nvmlDeviceGetHandleBySerial", OF_SYSTEM, 2},
    {"nvmlDeviceGetHandleByUUID", OF_SYSTEM, 2},
    {"nvmlDeviceGetHandleByUUIDV", OF_SYSTEM, 2},
    {"nvmlDeviceGetHostVgpuMode", REFUSES, 3},
    {"nvmlDeviceGetIndex", ANSWERS, 2},
    {"nvmlDeviceGetInforomConfigurationChecksum", REFUSES, 3},
    {"nvmlDeviceGetInforomImageVersion", REFUSES, 3},
    {"nvmlDeviceGetInforomVersion", REFUSES, 3},
    {"nvmlDeviceGetIrqNum", REFUSES, 3},
    {"nvmlDeviceGetJpgUtilization", REFUSES, 3},
    {"nvmlDeviceGetLastBBXFlushTime", REFUSES, 3},
    {"nvmlDeviceGetMPSComputeRunningProcesses", ANSWERS, 2},
    {"nvmlDeviceGetMPSComputeRunningProcesses_v2", ANSWERS, 2},
    {"nvmlDeviceGetMPSComputeRunningProcesses_v3", ANSWERS, 2},
    {"nvmlDeviceGetMarginTemperature", REFUSES, 3},
    {"nvmlDeviceGetMaxClockInfo", ANSWERS, 2},
    {"nvmlDeviceGetMaxCustomerBoostClock", ANSWERS, 2},
    {"nvmlDeviceGetMaxMigDeviceCount", ANSWERS, 2},
    {"nvmlDeviceGetMaxPcieLinkGeneration", ANSWERS, 2},
    {"nvmlDeviceGetMaxPcieLinkWidth", ANSWERS, 2},
    {"nvmlDeviceGetMemClkMinMaxVfOffset", REFUSES, 3},
    {"nvmlDeviceGetMemClkVfOffset", REFUSES, 3},
    {"nvmlDeviceGetMemoryAffinity", ANSWERS, 2},
    {"nvmlDeviceGetMemoryBusWidth", REFUSES, 3},
    {"nvmlDeviceGetMemoryErrorCounter", ANSWERS, 2},
    {"nvmlDeviceGetMemoryInfo", ANSWERS, 2},
    {"nvmlDeviceGetMemoryInfo_v2", ANSWERS, 2},
    {"nvmlDeviceGetMigDeviceHandleByIndex", REFUSES, 3},
    {"nvmlDeviceGetMigMode", REFUSES, 3},
    {"nvmlDeviceGetMinMaxClockOfPState", REFUSES, 3},
    {"nvmlDeviceGetMinMaxFanSpeed", REFUSES, 3},
    {"nvmlDeviceGetMinorNumber", ANSWERS, 2},
    {"nvmlDeviceGetModuleId", REFUSES, 3},
    {"nvmlDeviceGetMultiGpuBoard", ANSWERS, 2},
    {"nvmlDeviceGetName", ANSWERS, 2},
    {"nvmlDeviceGetNumFans", ANSWERS, 2},
    {"nvmlDeviceGetNumGpuCores", REFUSES, 3},
    {"nvmlDeviceGetNumaNodeId", REFUSES, 3},
    {"nvmlDeviceGetNvLinkCapability", ANSWERS, 2},
    {"nvmlDeviceGetNvLinkErrorCounter", ANSWERS, 2},
    {"nvmlDeviceGetNvLinkInfo", REFUSES, 3},
    {"nvmlDeviceGetNvLinkRemoteDeviceType", REFUSES, 3},
    {"nvmlDeviceGetNvLinkRemotePciInfo", REFUSES, 3},
    {"nvmlDeviceGetNvLinkRemotePciInfo_v2", REFUSES, 3},
    {"nvmlDeviceGetNvLinkState", ANSWERS, 2},
    {"nvmlDeviceGetNvLinkUtilizationControl", REFUSES, 3},
    {"nvmlDeviceGetNvLinkUtilizationCounter", REFUSES, 3},
    {"nvmlDeviceGetNvLinkVersion", ANSWERS, 2},
    {"nvmlDeviceGetNvlinkBwMode", REFUSES, 3},
    {"nvmlDeviceGetOfaUtilization", REFUSES, 3},
    {"nvmlDeviceGetP2PStatus", ANSWERS, 2},
    {"nvmlDeviceGetPciInfo", ANSWERS, 2},
    {"nvmlDeviceGetPciInfoExt", ANSWERS, 2},
    {"nvmlDeviceGetPciInfo_v2", ANSWERS, 2},
    {"nvmlDeviceGetPciInfo_v3", ANSWERS, 2},
    {"nvmlDeviceGetPcieLinkMaxSpeed", REFUSES, 3},
    {"nvmlDeviceGetPcieReplayCounter", ANSWERS, 2},
    {"nvmlDeviceGetPcieSpeed", ANSWERS, 2},
    {"nvmlDeviceGetPcieThroughput", REFUSES, 3},
    {"nvmlDeviceGetPdi", REFUSES, 3},
    {"nvmlDeviceGetPerformanceModes", REFUSES, 3},
    {"nvmlDeviceGetPerformanceState", ANSWERS, 2},
    {"nvmlDeviceGetPersistenceMode", ANSWERS, 2},
    {"nvmlDeviceGetPgpuMetadataString", REFUSES, 3},
    {"nvmlDeviceGetPlatformInfo", REFUSES, 3},
    {"nvmlDeviceGetPowerManagementDefaultLimit", ANSWERS, 2},
    {"nvmlDeviceGetPowerManagementLimit", ANSWERS, 2},
    {"nvmlDeviceGetPowerManagementLimitConstraints", ANSWERS, 2},
    {"nvmlDeviceGetPowerManagementMode", ANSWERS, 2},
    {"nvmlDeviceGetPowerMizerMode_v1", REFUSES, 3},
    {"nvmlDeviceGetPowerMode", REFUSES, 3},
    {"nvmlDeviceGetPowerSource", REFUSES, 3},
    {"nvmlDeviceGetPowerState", ANSWERS, 2},
    {"nvmlDeviceGetPowerUsage", ANSWERS, 2},
    {"nvmlDeviceGetProcessUtilization", ANSWERS, 2},
    {"nvmlDeviceGetProcessesUtilizationInfo", REFUSES, 3},
    {"nvmlDeviceGetRemappedRows", ANSWERS, 2},
    {"nvmlDeviceGetRepairStatus", REFUSES, 3},
    {"nvmlDeviceGetRetiredPages", REFUSES, 3},
    {"nvmlDeviceGetRetiredPagesPendingStatus", REFUSES, 3},
    {"nvmlDeviceGetRetiredPages_v2", REFUSES, 3},
    {"nvmlDeviceGetRowRemapperHistogram", REFUSES, 3},
    {"nvmlDeviceGetRunningProcessDetailList", ANSWERS, 2},
    {"nvmlDeviceGetSamples", ANSWERS, 2},
    {"nvmlDeviceGetSerial", ANSWERS, 2},
    {"nvmlDeviceGetSramEccErrorStatus", REFUSES, 3},
    {"nvmlDeviceGetSupportedClocksEventReasons", ANSWERS, 2},
    {"nvmlDeviceGetSupportedClocksThrottleReasons", ANSWERS, 2},
    {"nvmlDeviceGetSupportedEventTypes", ANSWERS, 2},
    {"nvmlDeviceGetSupportedGraphicsClocks", REFUSES, 3},
    {"nvmlDeviceGetSupportedMemoryClocks", REFUSES, 3},
    {"nvmlDeviceGetSupportedPerformanceStates", REFUSES, 3},
    {"nvmlDeviceGetSupportedPowerModes", REFUSES, 3},
    {"nvmlDeviceGetTargetFanSpeed", REFUSES, 3},
    {"nvmlDeviceGetTemperature", ANSWERS, 2},
    {"nvmlDeviceGetTemperatureThreshold", ANSWERS, 2},
    {"nvmlDeviceGetTemperatureV", ANSWERS, 2},
    {"nvmlDeviceGetThermalSettings", REFUSES, 3},
    {"nvmlDeviceGetTopologyCommonAncestor", ANSWERS, 2},
    {"nvmlDeviceGetTopologyNearestGpus", ANSWERS, 2},
    {"nvmlDeviceGetTotalEccErrors", ANSWERS, 2},
    {"nvmlDeviceGetTotalEnergyConsumption", ANSWERS, 2},
    {"nvmlDeviceGetUUID", ANSWERS, 2},
    {"nvmlDeviceGetUtilizationRates", ANSWERS, 2},
    {"nvmlDeviceGetVbiosVersion", ANSWERS, 2},
    {"nvmlDeviceGetVgpuCapabilities", REFUSES, 3},
    {"nvmlDeviceGetViolationStatus", ANSWERS, 2},
    {"nvmlDeviceGetVirtualizationMode", ANSWERS, 2},
    {"nvmlDeviceIsMigDeviceHandle", ANSWERS, 2},
    {"nvmlDeviceOnSameBoard", ANSWERS, 2},
    {"nvmlDeviceRegisterEvents", ANSWERS, 2},
    {"nvmlDeviceRemoveGpu", OF_SYSTEM, 4},
    {"nvmlDeviceRemoveGpu_v2", OF_SYSTEM, 4},
    {"nvmlDeviceResetApplicationsClocks", REFUSES, 4},
    {"nvmlDeviceResetGpuLockedClocks", REFUSES, 4},
    {"nvmlDeviceResetMemoryLockedClocks", REFUSES, 4},
    {"nvmlDeviceResetNvLinkErrorCounters", REFUSES, 4},
    {"nvmlDeviceResetNvLinkUtilizationCounter", REFUSES, 4},
    {"nvmlDeviceSetAPIRestriction", REFUSES, 4},
    {"nvmlDeviceSetAccountingMode", REFUSES, 4},
    {"nvmlDeviceSetApplicationsClocks", REFUSES, 4},
    {"nvmlDeviceSetAutoBoostedClocksEnabled", REFUSES, 4},
    {"nvmlDeviceSetComputeMode", REFUSES, 4},
    {"nvmlDeviceSetCpuAffinity", REFUSES, 4},
    {"nvmlDeviceSetDefaultAutoBoostedClocksEnabled", REFUSES, 4},
    {"nvmlDeviceSetDefaultFanSpeed_v2", REFUSES, 4},
    {"nvmlDeviceSetDriverModel", REFUSES, 4},
    {"nvmlDeviceSetEccMode", REFUSES, 4},
    {"nvmlDeviceSetFanSpeed_v2", REFUSES, 4},
    {"nvmlDeviceSetGpcClkVfOffset", REFUSES, 4},
    {"nvmlDeviceSetGpuLockedClocks", REFUSES, 4},
    {"nvmlDeviceSetGpuOperationMode", REFUSES, 4},
    {"nvmlDeviceSetMemClkVfOffset", REFUSES, 4},
    {"nvmlDeviceSetMemoryLockedClocks", REFUSES, 4},
    {"nvmlDeviceSetMigMode", REFUSES, 4},
    {"nvmlDeviceSetNvLinkUtilizationControl", REFUSES, 4},
    {"nvmlDeviceSetPersistenceMode", REFUSES, 4},
    {"nvmlDeviceSetPowerManagementLimit", REFUSES, 4},
    {"nvmlDeviceSetPowerManagementLimit_v2", REFUSES, 4},
    {"nvmlDeviceSetPowerMode", REFUSES, 4},
    {"nvmlDeviceSetTemperatureThreshold", REFUSES, 4},
    {"nvmlDeviceSetVirtualizationMode", REFUSES, 4},
    {"nvmlDeviceValidateInforom", REFUSES, 4},
    {"nvmlDeviceWorkloadPowerProfileGetCurrentProfiles", REFUSES, 3},
    {"nvmlDeviceWorkloadPowerProfileGetProfilesInfo", REFUSES, 3},
    {"nvmlErrorString", OF_START, 0},
    {"nvmlEventSetCreate", OF_SYSTEM, 2},
    {"nvmlEventSetFree", OF_SYSTEM, 2},
    {"nvmlEventSetWait", OF_SYSTEM, 2},
    {"nvmlEventSetWait_v2", OF_SYSTEM, 2},
    {"nvmlGetExcludedDeviceCount", OF_SYSTEM, 2},
    {"nvmlGetExcludedDeviceInfoByIndex", OF_SYSTEM, 2},
    {"nvmlGpmMetricsGet", OF_SYSTEM, 2},
    {"nvmlGpmMigSampleGet", REFUSES, 3},
    {"nvmlGpmQueryDeviceSupport", ANSWERS, 2},
    {"nvmlGpmQueryIfStreamingEnabled", REFUSES, 3},
    {"nvmlGpmSampleAlloc", OF_SYSTEM, 2},
    {"nvmlGpmSampleFree", OF_SYSTEM, 2},
    {"nvmlGpmSampleGet", ANSWERS, 2},
    {"nvmlGpmSetStreamingEnabled", REFUSES, 4},
    {"nvmlInit", OF_START, 0},
    {"nvmlInitWithFlags", OF_START, 0},
    {"nvmlInit_v2", OF_START, 0},
    {"nvmlShutdown", OF_START, 0},
    {"nvmlSystemGetConfComputeCapabilities", OF_SYSTEM, 3},
    {"nvmlSystemGetConfComputeSettings", OF_SYSTEM, 3},
    {"nvmlSystemGetConfComputeState", OF_SYSTEM, 3},
    {"nvmlSystemGetCudaDriverVersion", OF_START, 0},
    {"nvmlSystemGetCudaDriverVersion_v2", OF_START, 0},
    {"nvmlSystemGetDriverVersion", OF_SYSTEM, 2},
    {"nvmlSystemGetHicVersion", OF_SYSTEM, 3},
    {"nvmlSystemGetNVMLVersion", OF_SYSTEM, 2},
    {"nvmlSystemGetProcessName", OF_SYSTEM, 2},
    {"nvmlSystemGetTopologyGpuSet", OF_SYSTEM, 3},
    {"nvmlUnitGetCount", OF_SYSTEM, 2},
    {"nvmlUnitGetHandleByIndex", OF_SYSTEM, 2},
};
enum { symbol_count = sizeof symbols / sizeof symbols[0] };

static void* library;
static int failures;

static Function find(const char* name) {
  Function function;
  void* symbol = dlsym(library, name);
  memcpy(&function, &symbol, sizeof function);
  return function;
}

static int call(const char* name, void* a, void* b, void* c, void* d, void* e) {
  const Function function = find(name);
  return function == NULL ? 13 : function(a, b, c, d, e, NULL);
}

static void* number(unsigned long value) { return (void*)value; }

static void expect(const char* what, const char* name, int found, int expected) {
  if (found == expected) return;
  ++failures;
  printf("%s %s: %d, expected %d\n", name, what, found, expected);
}

/* The symbols without which nvtop does not start, in its order. */
static const char* const needed_by_nvtop[] = {"nvmlInit_v2",
                                              "nvmlShutdown",
                                              "nvmlDeviceGetCount_v2",
                                              "nvmlDeviceGetHandleByIndex_v2",
                                              "nvmlErrorString",
                                              "nvmlDeviceGetName",
                                              "nvmlDeviceGetArchitecture",
                                              "nvmlDeviceGetPciInfo_v3",
                                              "nvmlDeviceGetMaxPcieLinkGeneration",
                                              "nvmlDeviceGetMaxPcieLinkWidth",
                                              "nvmlDeviceGetTemperatureThreshold",
                                              "nvmlDeviceGetClockInfo",
                                              "nvmlDeviceGetMaxClockInfo",
                                              "nvmlDeviceGetUtilizationRates",
                                              "nvmlDeviceGetMemoryInfo_v2",
                                              "nvmlDeviceGetMemoryInfo",
                                              "nvmlDeviceGetCurrPcieLinkGeneration",
                                              "nvmlDeviceGetCurrPcieLinkWidth",
                                              "nvmlDeviceGetBusType",
                                              "nvmlDeviceGetPcieThroughput",
                                              "nvmlDeviceGetFanSpeed",
                                              "nvmlDeviceGetTemperature",
                                              "nvmlDeviceGetPowerUsage",
                                              "nvmlDeviceGetEnforcedPowerLimit",
                                              "nvmlDeviceGetEncoderUtilization",
                                              "nvmlDeviceGetDecoderUtilization",
                                              "nvmlDeviceGetGraphicsRunningProcesses_v3",
                                              "nvmlDeviceGetGraphicsRunningProcesses_v2",
                                              "nvmlDeviceGetGraphicsRunningProcesses",
                                              "nvmlDeviceGetComputeRunningProcesses_v3",
                                              "nvmlDeviceGetComputeRunningProcesses_v2",
                                              "nvmlDeviceGetComputeRunningProcesses",
                                              "nvmlDeviceGetMPSComputeRunningProcesses_v3",
                                              "nvmlDeviceGetMPSComputeRunningProcesses_v2",
                                              "nvmlDeviceGetMPSComputeRunningProcesses",
                                              "nvmlDeviceGetTotalEccErrors",
                                              "nvmlDeviceGetProcessUtilization",
                                              "nvmlDeviceGetMigMode",
                                              "nvmlDeviceGetNvLinkState",
                                              "nvmlDeviceGetNvLinkVersion",
                                              "nvmlDeviceGetFieldValues"};

static void every_symbol_with_bad_arguments(nvmlDevice_t good, int started) {
  char elsewhere[64] = {0};
  for (size_t at = 0; at < symbol_count; ++at) {
    const struct Symbol* one = &symbols[at];
    if (find(one->name) == NULL) {
      expect("is missing", one->name, 13, 0);
      continue;
    }
    if (one->kind == OF_START) continue;
    const int nothing = call(one->name, NULL, NULL, NULL, NULL, NULL);
    if (!started) {
      expect("before init", one->name, nothing, 1);
      continue;
    }
    if (one->kind == OF_SYSTEM) {
      expect("with nulls", one->name, nothing, one->code);
      continue;
    }
    expect("without a handle", one->name, nothing, 2);
    const int bad = call(one->name, elsewhere, NULL, NULL, NULL, NULL);
    expect("with a bad handle", one->name, bad, 2);
    const int null_out = call(one->name, good, NULL, NULL, NULL, NULL);
    expect("with a good handle and nulls", one->name, null_out, one->code);
  }
}

static const char* error_text(int code) {
  const char* (*function)(int);
  void* symbol = dlsym(library, "nvmlErrorString");
  memcpy(&function, &symbol, sizeof function);
  return function(code);
}

struct Memory {
  unsigned long long total, free, used;
};
struct Memory2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
struct Pci {
  char legacy[16];
  unsigned domain, bus, device, id, subsystem;
  char bus_id[32];
};
struct Process {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};
struct Field {
  unsigned id, scope;
  long long timestamp, latency;
  unsigned type;
  int result;
  union {
    double real;
    unsigned number;
    unsigned long long large;
  } value;
};
struct Event {
  nvmlDevice_t device;
  unsigned long long type, data;
  unsigned gpu_instance, compute_instance;
};
struct GpmMetric {
  unsigned id;
  int result;
  double value;
  char *short_name, *long_name, *unit;
};
struct GpmMetrics {
  unsigned version, count;
  nvmlGpmSample_t first, second;
  struct GpmMetric metrics[333];
};

/* Texts: whole, without room, and the ways back from them to the handle. */
static void good_texts(nvmlDevice_t device) {
  static const char* const texts[] = {"nvmlDeviceGetName", "nvmlDeviceGetUUID",
                                      "nvmlDeviceGetSerial", "nvmlDeviceGetVbiosVersion"};
  char text[96];
  nvmlDevice_t again = NULL;
  struct Pci pci;
  for (size_t at = 0; at < sizeof texts / sizeof texts[0]; ++at) {
    expect("", texts[at], call(texts[at], device, text, number(sizeof text), NULL, NULL), 0);
    expect("without room", texts[at], call(texts[at], device, text, number(3), NULL, NULL), 7);
  }
  call("nvmlDeviceGetUUID", device, text, number(sizeof text), NULL, NULL);
  expect("", "HandleByUUID", call("nvmlDeviceGetHandleByUUID", text, &again, NULL, NULL, NULL), 0);
  expect("finds the device", "HandleByUUID", again == device, 1);
  expect("of nothing", "HandleByUUID",
         call("nvmlDeviceGetHandleByUUID", "GPU-0", &again, NULL, NULL, NULL), 6);
  call("nvmlDeviceGetSerial", device, text, number(sizeof text), NULL, NULL);
  expect("", "HandleBySerial", call("nvmlDeviceGetHandleBySerial", text, &again, NULL, NULL, NULL),
         0);
  again = NULL;
  expect("", "PciInfo_v3", call("nvmlDeviceGetPciInfo_v3", device, &pci, NULL, NULL, NULL), 0);
  expect("", "HandleByPciBusId_v2",
         call("nvmlDeviceGetHandleByPciBusId_v2", pci.bus_id, &again, NULL, NULL, NULL), 0);
  expect("finds the device", "HandleByPciBusId_v2", again == device, 1);
  expect("of the short form", "HandleByPciBusId",
         call("nvmlDeviceGetHandleByPciBusId", pci.legacy, &again, NULL, NULL, NULL), 0);
  memset(&pci, 'x', sizeof pci);
  expect("", "PciInfo_v2", call("nvmlDeviceGetPciInfo_v2", device, &pci, NULL, NULL, NULL), 0);
  expect("writes the older struct only", "PciInfo_v2", pci.bus_id[0], 'x');
}

/* Functions with one or two numbers after the handle. */
static void good_numbers(nvmlDevice_t device) {
  static const char* const plain[] = {"nvmlDeviceGetIndex",
                                      "nvmlDeviceGetMinorNumber",
                                      "nvmlDeviceGetBrand",
                                      "nvmlDeviceGetArchitecture",
                                      "nvmlDeviceGetBusType",
                                      "nvmlDeviceGetPowerUsage",
                                      "nvmlDeviceGetEnforcedPowerLimit",
                                      "nvmlDeviceGetPowerManagementLimit",
                                      "nvmlDeviceGetPowerManagementDefaultLimit",
                                      "nvmlDeviceGetPowerManagementMode",
                                      "nvmlDeviceGetTotalEnergyConsumption",
                                      "nvmlDeviceGetPerformanceState",
                                      "nvmlDeviceGetPowerState",
                                      "nvmlDeviceGetCurrentClocksThrottleReasons",
                                      "nvmlDeviceGetCurrentClocksEventReasons",
                                      "nvmlDeviceGetSupportedClocksThrottleReasons",
                                      "nvmlDeviceGetSupportedClocksEventReasons",
                                      "nvmlDeviceGetMaxPcieLinkGeneration",
                                      "nvmlDeviceGetCurrPcieLinkGeneration",
                                      "nvmlDeviceGetMaxPcieLinkWidth",
                                      "nvmlDeviceGetCurrPcieLinkWidth",
                                      "nvmlDeviceGetPcieSpeed",
                                      "nvmlDeviceGetPcieReplayCounter",
                                      "nvmlDeviceGetPersistenceMode",
                                      "nvmlDeviceGetComputeMode",
                                      "nvmlDeviceGetDisplayMode",
                                      "nvmlDeviceGetDisplayActive",
                                      "nvmlDeviceGetAccountingMode",
                                      "nvmlDeviceGetNumFans",
                                      "nvmlDeviceGetVirtualizationMode",
                                      "nvmlDeviceIsMigDeviceHandle",
                                      "nvmlDeviceGetMaxMigDeviceCount",
                                      "nvmlDeviceGetBoardId",
                                      "nvmlDeviceGetMultiGpuBoard",
                                      "nvmlDeviceGetDefaultEccMode",
                                      "nvmlDeviceGetSupportedEventTypes",
                                      "nvmlDeviceGetUtilizationRates",
                                      "nvmlDeviceGetMemoryInfo",
                                      "nvmlDeviceGetBAR1MemoryInfo"};
  static const char* const pairs[] = {"nvmlDeviceGetCudaComputeCapability", "nvmlDeviceGetEccMode",
                                      "nvmlDeviceGetPowerManagementLimitConstraints",
                                      "nvmlDeviceGetEncoderUtilization",
                                      "nvmlDeviceGetDecoderUtilization"};
  unsigned long long out[8];
  for (size_t at = 0; at < sizeof plain / sizeof plain[0]; ++at) {
    expect("", plain[at], call(plain[at], device, out, NULL, NULL, NULL), 0);
  }
  for (size_t at = 0; at < sizeof pairs / sizeof pairs[0]; ++at) {
    expect("", pairs[at], call(pairs[at], device, &out[0], &out[1], NULL, NULL), 0);
    expect("with one null", pairs[at], call(pairs[at], device, &out[0], NULL, NULL, NULL), 2);
  }
  expect("", "RemappedRows",
         call("nvmlDeviceGetRemappedRows", device, &out[0], &out[1], &out[2], &out[3]), 0);
}

/* Functions that select one of several values by a number. */
static void good_choices(nvmlDevice_t device) {
  static const struct {
    const char* name;
    unsigned choice;
    int code;
  } choices[] = {{"nvmlDeviceGetTemperature", 0, 0},
                 {"nvmlDeviceGetTemperature", 1, 2},
                 {"nvmlDeviceGetTemperatureThreshold", 0, 0},
                 {"nvmlDeviceGetTemperatureThreshold", 1, 0},
                 {"nvmlDeviceGetTemperatureThreshold", 3, 0},
                 {"nvmlDeviceGetTemperatureThreshold", 4, 3},
                 {"nvmlDeviceGetTemperatureThreshold", 7, 2},
                 {"nvmlDeviceGetClockInfo", 0, 0},
                 {"nvmlDeviceGetClockInfo", 1, 0},
                 {"nvmlDeviceGetClockInfo", 2, 3},
                 {"nvmlDeviceGetClockInfo", 4, 2},
                 {"nvmlDeviceGetMaxClockInfo", 1, 0},
                 {"nvmlDeviceGetMaxCustomerBoostClock", 0, 0},
                 {"nvmlDeviceGetApplicationsClock", 0, 0},
                 {"nvmlDeviceGetDefaultApplicationsClock", 0, 0},
                 {"nvmlDeviceGetViolationStatus", 0, 0},
                 {"nvmlDeviceGetViolationStatus", 1, 0},
                 {"nvmlDeviceGetViolationStatus", 2, 3},
                 {"nvmlDeviceGetViolationStatus", 99, 2},
                 {"nvmlDeviceGetNvLinkState", 0, 0},
                 {"nvmlDeviceGetNvLinkState", 18, 2},
                 {"nvmlDeviceGetNvLinkVersion", 17, 0},
                 {"nvmlDeviceGetPcieThroughput", 0, 3}};
  unsigned long long out[4];
  for (size_t at = 0; at < sizeof choices / sizeof choices[0]; ++at) {
    expect("", choices[at].name,
           call(choices[at].name, device, number(choices[at].choice), out, NULL, NULL),
           choices[at].code);
  }
  expect("", "Clock", call("nvmlDeviceGetClock", device, number(0), number(0), out, NULL), 0);
  expect("", "NvLinkCapability",
         call("nvmlDeviceGetNvLinkCapability", device, number(0), number(0), out, NULL), 0);
  expect("", "NvLinkErrorCounter",
         call("nvmlDeviceGetNvLinkErrorCounter", device, number(0), number(4), out, NULL), 0);
  expect("", "TotalEccErrors",
         call("nvmlDeviceGetTotalEccErrors", device, number(1), number(0), out, NULL), 0);
  expect("of a third kind", "TotalEccErrors",
         call("nvmlDeviceGetTotalEccErrors", device, number(2), number(0), out, NULL), 2);
  expect("", "DetailedEccErrors",
         call("nvmlDeviceGetDetailedEccErrors", device, number(0), number(1), out, NULL), 0);
  expect("", "MemoryErrorCounter",
         call("nvmlDeviceGetMemoryErrorCounter", device, number(0), number(0), number(2), out), 0);
}

/* Structs that begin with their size and version. */
static void good_versions(nvmlDevice_t device) {
  struct Memory2 memory = {2, 0, 0, 0, 0};
  struct {
    unsigned version, sensor;
    int celsius;
  } temperature = {12 | 1U << 24U, 0, 0};
  struct {
    unsigned version, numbers[7];
    char bus_id[32];
  } pci = {64 | 1U << 24U, {0}, {0}};
  struct {
    unsigned version, supported;
  } support = {1, 0};
  expect("without the size", "MemoryInfo_v2",
         call("nvmlDeviceGetMemoryInfo_v2", device, &memory, NULL, NULL, NULL), 25);
  memory.version = sizeof memory | 2U << 24U;
  expect("", "MemoryInfo_v2", call("nvmlDeviceGetMemoryInfo_v2", device, &memory, NULL, NULL, NULL),
         0);
  expect("adds up", "MemoryInfo_v2", memory.total == memory.free + memory.used + memory.reserved,
         1);
  expect("", "TemperatureV",
         call("nvmlDeviceGetTemperatureV", device, &temperature, NULL, NULL, NULL), 0);
  expect("", "PciInfoExt", call("nvmlDeviceGetPciInfoExt", device, &pci, NULL, NULL, NULL), 0);
  expect("", "GpmQueryDeviceSupport",
         call("nvmlGpmQueryDeviceSupport", device, &support, NULL, NULL, NULL), 0);
  expect("of Hopper", "GpmQueryDeviceSupport", (int)support.supported, 1);
}

/* Lists: how many, too little room, then the entries. */
static void good_lists(nvmlDevice_t device) {
  static const char* const lists[] = {"nvmlDeviceGetComputeRunningProcesses_v3",
                                      "nvmlDeviceGetComputeRunningProcesses_v2",
                                      "nvmlDeviceGetComputeRunningProcesses"};
  struct Process processes[4];
  unsigned count = 0;
  char name[96];
  unsigned utilization[16];
  struct {
    unsigned version, mode, count;
    void* processes;
  } details = {24 | 1U << 24U, 0, 0, NULL};
  for (size_t at = 0; at < sizeof lists / sizeof lists[0]; ++at) {
    count = 0;
    expect("without room", lists[at], call(lists[at], device, &count, NULL, NULL, NULL), 7);
    expect("counts", lists[at], (int)count, 1);
    count = 4;
    expect("", lists[at], call(lists[at], device, &count, processes, NULL, NULL), 0);
  }
  expect("", "ProcessName",
         call("nvmlSystemGetProcessName", number(processes[0].pid), name, number(sizeof name), NULL,
              NULL),
         0);
  expect("of no process", "ProcessName",
         call("nvmlSystemGetProcessName", number(1), name, number(sizeof name), NULL, NULL), 6);
  count = 4;
  expect("", "GraphicsRunningProcesses_v3",
         call("nvmlDeviceGetGraphicsRunningProcesses_v3", device, &count, processes, NULL, NULL),
         0);
  expect("is empty", "GraphicsRunningProcesses_v3", (int)count, 0);
  expect("without room", "RunningProcessDetailList",
         call("nvmlDeviceGetRunningProcessDetailList", device, &details, NULL, NULL, NULL), 7);
  count = 0;
  expect("without room", "ProcessUtilization",
         call("nvmlDeviceGetProcessUtilization", device, NULL, &count, number(0), NULL), 7);
  expect("", "ProcessUtilization",
         call("nvmlDeviceGetProcessUtilization", device, utilization, &count, number(0), NULL), 0);
  expect("of the future", "ProcessUtilization",
         call("nvmlDeviceGetProcessUtilization", device, utilization, &count, number(-1UL), NULL),
         6);
}

static void good_fields(nvmlDevice_t device) {
  struct Field fields[6] = {{82, 0, 0, 0, 0, 0, {0}},  {138, 0, 0, 0, 0, 0, {0}},
                            {185, 0, 0, 0, 0, 0, {0}}, {186, 0, 0, 0, 0, 0, {0}},
                            {91, 0, 0, 0, 0, 0, {0}},  {9999, 0, 0, 0, 0, 0, {0}}};
  static const int results[6] = {0, 3, 0, 0, 0, 3};
  unsigned type = 0;
  unsigned count = 1;
  unsigned long long sample[2];
  expect("", "FieldValues", call("nvmlDeviceGetFieldValues", device, number(6), fields, NULL, NULL),
         0);
  for (int at = 0; at < 6; ++at)
    expect("of a field", "FieldValues", fields[at].result, results[at]);
  expect("has 18 links", "FieldValues", (int)fields[4].value.number, 18);
  expect("of none", "FieldValues",
         call("nvmlDeviceGetFieldValues", device, number(0), fields, NULL, NULL), 2);
  const Function samples = find("nvmlDeviceGetSamples");
  expect("", "Samples", samples(device, number(0), number(0), &type, &count, sample), 0);
  expect("counts", "Samples", samples(device, number(1), number(0), &type, &count, NULL), 0);
  expect("of the future", "Samples",
         samples(device, number(1), number(-1UL), &type, &count, sample), 6);
}

static void good_relations(nvmlDevice_t one, nvmlDevice_t other) {
  unsigned out = 0;
  unsigned count = 0;
  nvmlDevice_t near[8];
  unsigned long processors[16];
  expect("", "CommonAncestor",
         call("nvmlDeviceGetTopologyCommonAncestor", one, other, &out, NULL, NULL), 0);
  expect("", "P2PStatus", call("nvmlDeviceGetP2PStatus", one, other, number(2), &out, NULL), 0);
  expect("", "OnSameBoard", call("nvmlDeviceOnSameBoard", one, other, &out, NULL, NULL), 0);
  expect("counts", "NearestGpus",
         call("nvmlDeviceGetTopologyNearestGpus", one, number(40), &count, NULL, NULL), 0);
  expect("", "NearestGpus",
         call("nvmlDeviceGetTopologyNearestGpus", one, number(40), &count, near, NULL), 0);
  expect("", "CpuAffinity",
         call("nvmlDeviceGetCpuAffinity", one, number(16), processors, NULL, NULL), 0);
  expect("", "CpuAffinityWithinScope",
         call("nvmlDeviceGetCpuAffinityWithinScope", one, number(16), processors, number(0), NULL),
         0);
  expect("", "MemoryAffinity",
         call("nvmlDeviceGetMemoryAffinity", one, number(16), processors, number(0), NULL), 0);
}

static void good_handles(nvmlDevice_t device) {
  nvmlEventSet_t set = NULL;
  nvmlGpmSample_t first = NULL;
  nvmlGpmSample_t second = NULL;
  struct Event event;
  static struct GpmMetrics metrics;
  expect("", "EventSetCreate", call("nvmlEventSetCreate", &set, NULL, NULL, NULL, NULL), 0);
  expect("", "RegisterEvents", call("nvmlDeviceRegisterEvents", device, number(8), set, NULL, NULL),
         0);
  expect("of a kind that is not reported", "RegisterEvents",
         call("nvmlDeviceRegisterEvents", device, number(4), set, NULL, NULL), 3);
  expect("", "EventSetWait_v2", call("nvmlEventSetWait_v2", set, &event, number(20), NULL, NULL),
         10);
  expect("", "EventSetWait", call("nvmlEventSetWait", set, &event, number(0), NULL, NULL), 10);
  expect("", "EventSetFree", call("nvmlEventSetFree", set, NULL, NULL, NULL, NULL), 0);
  expect("twice", "EventSetFree", call("nvmlEventSetFree", set, NULL, NULL, NULL, NULL), 2);
  expect("", "GpmSampleAlloc", call("nvmlGpmSampleAlloc", &first, NULL, NULL, NULL, NULL), 0);
  expect("", "GpmSampleAlloc", call("nvmlGpmSampleAlloc", &second, NULL, NULL, NULL, NULL), 0);
  metrics.version = 1;
  metrics.count = 3;
  metrics.first = first;
  metrics.second = second;
  metrics.metrics[0].id = 2;
  metrics.metrics[1].id = 10;
  metrics.metrics[2].id = 3;
  expect("of empty samples", "GpmMetricsGet",
         call("nvmlGpmMetricsGet", &metrics, NULL, NULL, NULL, NULL), 2);
  expect("", "GpmSampleGet", call("nvmlGpmSampleGet", device, first, NULL, NULL, NULL), 0);
  expect("", "GpmSampleGet", call("nvmlGpmSampleGet", device, second, NULL, NULL, NULL), 0);
  expect("", "GpmMetricsGet", call("nvmlGpmMetricsGet", &metrics, NULL, NULL, NULL, NULL), 0);
  expect("of a known metric", "GpmMetricsGet", metrics.metrics[1].result, 0);
  expect("of an unknown metric", "GpmMetricsGet", metrics.metrics[2].result, 3);
  expect("", "GpmSampleFree", call("nvmlGpmSampleFree", first, NULL, NULL, NULL, NULL), 0);
  expect("", "GpmSampleFree", call("nvmlGpmSampleFree", second, NULL, NULL, NULL, NULL), 0);
}

static void good_system(void) {
  static const char* const texts[] = {"nvmlSystemGetDriverVersion", "nvmlSystemGetNVMLVersion"};
  char text[80];
  int version = 0;
  for (int at = 0; at < 2; ++at) {
    expect("", texts[at], call(texts[at], text, number(sizeof text), NULL, NULL, NULL), 0);
    expect("without room", texts[at], call(texts[at], text, number(2), NULL, NULL, NULL), 7);
  }
  expect("", "CudaDriverVersion",
         call("nvmlSystemGetCudaDriverVersion_v2", &version, NULL, NULL, NULL, NULL), 0);
  expect("with null", "CudaDriverVersion",
         call("nvmlSystemGetCudaDriverVersion", NULL, NULL, NULL, NULL, NULL), 2);
  expect("has a text", "ErrorString", strcmp(error_text(15), "GPU is lost"), 0);
  expect("has a text for anything", "ErrorString", error_text(-7) == NULL, 0);
}

static nvmlDevice_t device_at(unsigned index) {
  nvmlDevice_t device = NULL;
  expect("", "HandleByIndex_v2",
         call("nvmlDeviceGetHandleByIndex_v2", number(index), &device, NULL, NULL, NULL), 0);
  return device;
}

static int start(void) { return call("nvmlInit_v2", NULL, NULL, NULL, NULL, NULL); }

static int all(void) {
  unsigned count = 0;
  nvmlDevice_t device = NULL;
  for (size_t at = 0; at < sizeof needed_by_nvtop / sizeof needed_by_nvtop[0]; ++at) {
    if (find(needed_by_nvtop[at]) == NULL) expect("is missing", needed_by_nvtop[at], 13, 0);
  }
  every_symbol_with_bad_arguments(NULL, 0);
  expect("before init", "nvmlShutdown", call("nvmlShutdown", NULL, NULL, NULL, NULL, NULL), 1);
  expect("", "nvmlInit_v2", start(), 0);
  expect("", "nvmlInit", call("nvmlInit", NULL, NULL, NULL, NULL, NULL), 0);
  expect("", "nvmlInitWithFlags", call("nvmlInitWithFlags", number(1), NULL, NULL, NULL, NULL), 0);
  expect("", "Count_v2", call("nvmlDeviceGetCount_v2", &count, NULL, NULL, NULL, NULL), 0);
  expect("beyond the last", "HandleByIndex_v2",
         call("nvmlDeviceGetHandleByIndex_v2", number(count), &device, NULL, NULL, NULL), 2);
  device = device_at(0);
  every_symbol_with_bad_arguments(device, 1);
  good_system();
  good_texts(device);
  good_numbers(device);
  good_choices(device);
  good_versions(device);
  good_lists(device);
  good_fields(device);
  good_relations(device, device_at(count - 1));
  good_handles(device);
  for (int at = 0; at < 3; ++at) {
    expect("", "nvmlShutdown", call("nvmlShutdown", NULL, NULL, NULL, NULL, NULL), 0);
  }
  expect("more often than init", "nvmlShutdown", call("nvmlShutdown", NULL, NULL, NULL, NULL, NULL),
         1);
  printf("%d failures\n", failures);
  return failures > 0;
}

static void show(unsigned index, const char* name, int code, unsigned long long value) {
  if (code == 0) {
    printf("%u %s %llu\n", index, name, value);
  } else {
    printf("%u %s !%d\n", index, name, code);
  }
}

static int values(void) {
  static const char* const plain[][2] = {{"power_mw", "nvmlDeviceGetPowerUsage"},
                                         {"limit_mw", "nvmlDeviceGetEnforcedPowerLimit"},
                                         {"energy_mj", "nvmlDeviceGetTotalEnergyConsumption"},
                                         {"reasons", "nvmlDeviceGetCurrentClocksThrottleReasons"}};
  static const struct {
    const char *shown, *name;
    unsigned long choice, second;
  } chosen[] = {{"temperature_c", "nvmlDeviceGetTemperature", 0, 0},
                {"clock_mhz", "nvmlDeviceGetClockInfo", 1, 0},
                {"ecc_corrected", "nvmlDeviceGetTotalEccErrors", 0, 1},
                {"ecc_uncorrected", "nvmlDeviceGetTotalEccErrors", 1, 1}};
  unsigned count = 0;
  const int started = start();
  if (started != 0) return printf("!%d %s\n", started, error_text(started)), 1;
  call("nvmlDeviceGetCount_v2", &count, NULL, NULL, NULL, NULL);
  for (unsigned index = 0; index < count; ++index) {
    nvmlDevice_t device = NULL;
    char text[96] = "";
    unsigned utilization[2] = {0, 0};
    struct Memory memory = {0, 0, 0};
    struct Process process = {0, 0, 0, 0};
    unsigned processes = 1;
    int code = call("nvmlDeviceGetHandleByIndex_v2", number(index), &device, NULL, NULL, NULL);
    show(index, "handle", code, 0);
    if (code != 0) continue;
    call("nvmlDeviceGetName", device, text, number(sizeof text), NULL, NULL);
    printf("%u name %s\n", index, text);
    call("nvmlDeviceGetUUID", device, text, number(sizeof text), NULL, NULL);
    printf("%u uuid %s\n", index, text);
    code = call("nvmlDeviceGetUtilizationRates", device, utilization, NULL, NULL, NULL);
    show(index, "utilization", code, utilization[0]);
    code = call("nvmlDeviceGetMemoryInfo", device, &memory, NULL, NULL, NULL);
    show(index, "memory_used", code, memory.used);
    show(index, "memory_total", code, memory.total);
    for (size_t at = 0; at < sizeof plain / sizeof plain[0]; ++at) {
      unsigned long long value = 0;
      code = call(plain[at][1], device, &value, NULL, NULL, NULL);
      show(index, plain[at][0], code, value);
    }
    for (size_t at = 0; at < sizeof chosen / sizeof chosen[0]; ++at) {
      unsigned long long value = 0;
      const int ecc = at >= 2;
      code = call(chosen[at].name, device, number(chosen[at].choice), ecc ? NULL : (void*)&value,
                  ecc ? (void*)&value : NULL, NULL);
      show(index, chosen[at].shown, code, value);
    }
    code =
        call("nvmlDeviceGetComputeRunningProcesses_v3", device, &processes, &process, NULL, NULL);
    show(index, "processes", code, processes);
    if (code != 0 || processes == 0) continue;
    show(index, "process_memory", code, process.memory);
    text[0] = '\0';
    call("nvmlSystemGetProcessName", number(process.pid), text, number(sizeof text), NULL, NULL);
    printf("%u process %s\n", index, text);
  }
  return 0;
}

static int wait_for_event(unsigned long timeout_ms) {
  nvmlEventSet_t set = NULL;
  unsigned count = 0;
  unsigned index = 0;
  struct Event event;
  if (start() != 0) return 1;
  call("nvmlDeviceGetCount_v2", &count, NULL, NULL, NULL, NULL);
  call("nvmlEventSetCreate", &set, NULL, NULL, NULL, NULL);
  for (unsigned at = 0; at < count; ++at) {
    call("nvmlDeviceRegisterEvents", device_at(at), number(2 | 8), set, NULL, NULL);
  }
  printf("ready\n");
  fflush(stdout);
  const int code = call("nvmlEventSetWait_v2", set, &event, number(timeout_ms), NULL, NULL);
  if (code != 0) return printf("!%d\n", code), 0;
  while (index < count && device_at(index) != event.device && failures == 0) ++index;
  printf("%u %llu %llu\n", index, event.type, event.data);
  return 0;
}

static double milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int watch(double for_ms) {
  const struct timespec pause = {0, 20000000};
  const double end = milliseconds() + for_ms;
  int last = -1;
  nvmlDevice_t device = NULL;
  if (start() != 0) return 1;
  device = device_at(0);
  while (milliseconds() < end) {
    unsigned power = 0;
    const int code = call("nvmlDeviceGetPowerUsage", device, &power, NULL, NULL, NULL);
    if (code != last) printf("code %d\n", code);
    fflush(stdout);
    last = code;
    nanosleep(&pause, NULL);
  }
  return 0;
}

static int time_calls(int calls) {
  nvmlDevice_t device = NULL;
  unsigned power = 0;
  const Function function = find("nvmlDeviceGetPowerUsage");
  if (start() != 0) return 1;
  device = device_at(0);
  const double begin = milliseconds();
  for (int at = 0; at < calls; ++at) function(device, &power, NULL, NULL, NULL, NULL);
  printf("%.2f us\n", (milliseconds() - begin) * 1e3 / calls);
  return 0;
}

static int rounds;

/* Start, one reading, an event set, a GPM sample, end: whatever the other threads do meanwhile. */
static void* work(void* wrong_answers) {
  long* wrong = wrong_answers;
  for (int at = 0; at < rounds; ++at) {
    nvmlDevice_t device = NULL;
    nvmlEventSet_t set = NULL;
    nvmlGpmSample_t sample = NULL;
    unsigned power = 0;
    struct Event event;
    *wrong += start();
    *wrong += call("nvmlDeviceGetHandleByIndex_v2", number(0), &device, NULL, NULL, NULL);
    *wrong += call("nvmlDeviceGetPowerUsage", device, &power, NULL, NULL, NULL);
    *wrong += call("nvmlEventSetCreate", &set, NULL, NULL, NULL, NULL);
    *wrong += call("nvmlDeviceRegisterEvents", device, number(8), set, NULL, NULL);
    *wrong += call("nvmlEventSetWait_v2", set, &event, number(0), NULL, NULL) != 10;
    *wrong += call("nvmlEventSetFree", set, NULL, NULL, NULL, NULL);
    *wrong += call("nvmlGpmSampleAlloc", &sample, NULL, NULL, NULL, NULL);
    *wrong += call("nvmlGpmSampleGet", device, sample, NULL, NULL, NULL);
    *wrong += call("nvmlGpmSampleFree", sample, NULL, NULL, NULL, NULL);
    *wrong += call("nvmlShutdown", NULL, NULL, NULL, NULL, NULL);
  }
  return NULL;
}

static int in_threads(void) {
  pthread_t threads[4];
  long wrong[4] = {0, 0, 0, 0};
  for (int at = 0; at < 4; ++at) pthread_create(&threads[at], NULL, work, &wrong[at]);
  for (int at = 0; at < 4; ++at) pthread_join(threads[at], NULL);
  for (int at = 0; at < 4; ++at) expect("of a thread", "answers", (int)wrong[at], 0);
  expect("is balanced", "nvmlShutdown", call("nvmlShutdown", NULL, NULL, NULL, NULL, NULL), 1);
  return failures > 0;
}

int main(int count, char** words) {
  const char* mode = count > 2 ? words[2] : "";
  const int amount = count > 3 ? atoi(words[3]) : 0;
  library = count > 1 ? dlopen(words[1], RTLD_LAZY) : NULL;
  if (library == NULL) return fprintf(stderr, "%s\n", count > 1 ? dlerror() : "no library"), 2;
  if (strcmp(mode, "names") == 0) {
    for (size_t at = 0; at < symbol_count; ++at) printf("%s\n", symbols[at].name);
    return 0;
  }
  if (strcmp(mode, "all") == 0) return all();
  if (strcmp(mode, "values") == 0) return values();
  if (strcmp(mode, "wait") == 0) return wait_for_event((unsigned long)amount);
  if (strcmp(mode, "watch") == 0) return watch(amount);
  if (strcmp(mode, "time") == 0) return time_calls(amount);
  rounds = amount;
  if (strcmp(mode, "threads") == 0) return in_threads();
  return 2;
}
