#include "tests/agents/drivers/fake_nvml.h"

#include <cstring>
#include <utility>

#include "tests/agents/drivers/fake_nvml_calls.h"

using namespace drover::agents;
using namespace drover::agents::nvml;
using namespace drover::agents::fake_nvml;

namespace drover::agents {
extern "C" FakeNvml* fake_nvml_state() { return &state; }
}  // namespace drover::agents

extern "C" {

Answer nvmlInit_v2() {
  const std::lock_guard lock(state.mutex);
  if (state.initialize_answer != 0) return static_cast<Answer>(state.initialize_answer);
  ++state.users;
  return Answer::ok;
}

Answer nvmlShutdown() {
  const std::lock_guard lock(state.mutex);
  if (state.users == 0) return Answer::uninitialized;
  --state.users;
  return Answer::ok;
}

const char* nvmlErrorString(Answer) { return "Unknown Error"; }

Answer nvmlSystemGetDriverVersion(char* out, unsigned size) {
  if (const auto refused = refusal(__func__)) return *refused;
  const std::lock_guard lock(state.mutex);
  return give_text(state.driver, out, size);
}

Answer nvmlDeviceGetCount_v2(unsigned* count) {
  if (const auto refused = refusal(__func__)) return *refused;
  const std::lock_guard lock(state.mutex);
  *count = static_cast<unsigned>(state.boards.size());
  return Answer::ok;
}

Answer nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  if (const auto refused = refusal(__func__, handle_of(index + 1))) return *refused;
  *device = handle_of(index + 1);
  return Answer::ok;
}

Answer nvmlDeviceGetName(Device device, char* out, unsigned size) {
  return about(__func__, device, [&](FakeBoard& board) {
    const FakePartition* partition = partition_of(device);
    return give_text(partition ? partition->name : board.name, out, size);
  });
}

Answer nvmlDeviceGetUUID(Device device, char* out, unsigned size) {
  return about(__func__, device, [&](FakeBoard& board) {
    const FakePartition* partition = partition_of(device);
    return give_text(partition ? partition->uuid : board.uuid, out, size);
  });
}

Answer nvmlDeviceGetPciInfo_v3(Device device, PciAddress* address) {
  return about(__func__, device, [&](FakeBoard& board) {
    address->bus = board.bus;
    return Answer::ok;
  });
}

Answer nvmlDeviceGetPersistenceMode(Device device, unsigned* mode) {
  return give(__func__, device, mode, &FakeBoard::persistence);
}

Answer nvmlDeviceGetUtilizationRates(Device device, Utilization* utilization) {
  return give(__func__, device, utilization, &FakeBoard::utilization);
}

Answer nvmlDeviceGetMemoryInfo(Device device, Memory* memory) {
  return about(__func__, device, [&](FakeBoard& board) {
    if (const FakePartition* partition = partition_of(device)) {
      *memory = partition->memory;
    } else {
      *memory = {board.memory.total, board.memory.free, board.memory.used + board.memory.reserved};
    }
    return Answer::ok;
  });
}

#ifndef FAKE_OLD_DRIVER
Answer nvmlDeviceGetMemoryInfo_v2(Device device, MemoryVersion2* memory) {
  return about(__func__, device, [&](FakeBoard& board) {
    if (memory->version != 0x02000028) return Answer::invalid_argument;
    *memory = board.memory;
    return Answer::ok;
  });
}

Answer nvmlDeviceGetTotalEnergyConsumption(Device device, std::uint64_t* energy) {
  return give(__func__, device, energy, &FakeBoard::energy_mj);
}

Answer nvmlDeviceGetCurrentClocksEventReasons(Device device, std::uint64_t* reasons) {
  return give(__func__, device, reasons, &FakeBoard::throttle);
}

Answer nvmlDeviceGetFieldValues(Device device, int count, FieldValue* values) {
  return about(__func__, device, [&](FakeBoard& board) {
    for (FieldValue* value = values; value != values + count; ++value) {
      const auto refused = board.answers.find("field " + std::to_string(value->field));
      const auto known = board.fields.find(value->field);
      value->answer = refused != board.answers.end() ? static_cast<Answer>(refused->second)
                      : known == board.fields.end()  ? Answer::invalid_argument
                                                     : Answer::ok;
      if (value->answer != Answer::ok) continue;
      value->type = ValueType::unsigned_long_long;
      value->unsigned_long = static_cast<std::uint64_t>(known->second);
    }
    return Answer::ok;
  });
}

Answer nvmlDeviceGetNvLinkState(Device device, unsigned link, unsigned* active) {
  return about(__func__, device, [&](FakeBoard& board) {
    if (board.links.empty()) return Answer::not_supported;
    if (link >= board.links.size()) return Answer::invalid_argument;
    if (!board.links[link].exists) return Answer::not_supported;
    *active = board.links[link].active ? 1 : 0;
    return Answer::ok;
  });
}

Answer nvmlDeviceGetNvLinkRemoteDeviceType(Device device, unsigned link, unsigned* type) {
  return about(__func__, device, [&](FakeBoard& board) {
    *type = board.links.at(link).end;
    return Answer::ok;
  });
}

Answer nvmlDeviceGetNvLinkRemotePciInfo_v2(Device device, unsigned link, PciAddress* peer) {
  return about(__func__, device, [&](FakeBoard& board) {
    if (!board.links.at(link).peer_known) return Answer::not_supported;
    *peer = {};
    peer->bus = board.links.at(link).peer_bus;
    return Answer::ok;
  });
}

Answer nvmlDeviceGetNvLinkErrorCounter(Device device, unsigned link, LinkCounter counter,
                                       std::uint64_t* count) {
  return about(__func__, device, [&](FakeBoard& board) {
    const auto refused = board.answers.find("link counter " + std::to_string(counter));
    if (refused != board.answers.end()) return static_cast<Answer>(refused->second);
    *count = board.links.at(link).errors;
    return Answer::ok;
  });
}

Answer nvmlDeviceGetTopologyCommonAncestor(Device device, Device, unsigned* level) {
  return give(__func__, device, level, &FakeBoard::nearest_ancestor);
}

Answer nvmlGpmQueryDeviceSupport(Device device, GpmSupport* support) {
  return about(__func__, device, [&](FakeBoard& board) {
    support->supported = board.counts_activity ? 1 : 0;
    return Answer::ok;
  });
}

Answer nvmlGpmSampleAlloc(GpmSample* sample) {
  *sample = reinterpret_cast<GpmSample>(new int(0));
  return Answer::ok;
}

Answer nvmlGpmSampleFree(GpmSample sample) {
  delete reinterpret_cast<int*>(sample);
  return Answer::ok;
}

Answer nvmlGpmSampleGet(Device device, GpmSample sample) {
  return about(__func__, device, [&](FakeBoard&) {
    static int taken = 0;
    // A sample knows its order and its board.
    *reinterpret_cast<int*>(sample) = ++taken * 1000 + static_cast<int>(number_of(device));
    return Answer::ok;
  });
}

Answer nvmlGpmMetricsGet(GpmQuestion* question) {
  const std::lock_guard lock(state.mutex);
  const int earlier = *reinterpret_cast<int*>(question->earlier);
  const int later = *reinterpret_cast<int*>(question->later);
  const std::size_t index = static_cast<std::size_t>(later % 1000 - 1);
  if (question->version != 1 || earlier == 0 || earlier >= later || index >= state.boards.size())
    return Answer::invalid_argument;
  const FakeBoard& board = state.boards[index];
  for (unsigned row = 0; row < question->count; ++row) {
    GpmValue& value = question->values[row];
    value.answer = Answer::ok;
    value.value = value.metric == 5    ? board.tensor_percent
                  : value.metric == 10 ? board.memory_percent
                                       : board.busy_percent;
  }
  return Answer::ok;
}
#endif

Answer nvmlDeviceGetPowerUsage(Device device, unsigned* power) {
  return give(__func__, device, power, &FakeBoard::power_mw);
}

Answer nvmlDeviceGetTemperature(Device device, unsigned, unsigned* temperature) {
  return give(__func__, device, temperature, &FakeBoard::temperature_c);
}

Answer nvmlDeviceGetClockInfo(Device device, unsigned type, unsigned* clock) {
  return about(__func__, device, [&](FakeBoard& board) {
    *clock = type == 1 ? board.clock_mhz : board.memory_clock_mhz;
    return Answer::ok;
  });
}

Answer nvmlDeviceGetCurrentClocksThrottleReasons(Device device, std::uint64_t* reasons) {
  return give(__func__, device, reasons, &FakeBoard::throttle);
}

Answer nvmlDeviceGetViolationStatus(Device device, unsigned policy, ViolationTime* time) {
  return about(__func__, device, [&](FakeBoard& board) {
    time->violation_ns = board.violations_ns[policy];
    return Answer::ok;
  });
}

Answer nvmlDeviceGetTotalEccErrors(Device device, unsigned type, unsigned, std::uint64_t* count) {
  return about(__func__, device, [&](FakeBoard& board) {
    *count = board.ecc_errors[type];
    return Answer::ok;
  });
}

Answer nvmlDeviceGetPcieThroughput(Device device, unsigned direction, unsigned* value) {
  return about(__func__, device, [&](FakeBoard& board) {
    *value = board.pcie_kb_per_s[direction];
    return Answer::ok;
  });
}

Answer constant(const char* symbol, Device device, unsigned* out, unsigned value) {
  return about(symbol, device, [&](FakeBoard&) {
    *out = value;
    return Answer::ok;
  });
}

Answer nvmlDeviceGetCurrPcieLinkGeneration(Device device, unsigned* value) {
  return constant(__func__, device, value, 4);
}
Answer nvmlDeviceGetCurrPcieLinkWidth(Device device, unsigned* value) {
  return constant(__func__, device, value, 8);
}
Answer nvmlDeviceGetMaxPcieLinkGeneration(Device device, unsigned* value) {
  return constant(__func__, device, value, 5);
}
Answer nvmlDeviceGetMaxPcieLinkWidth(Device device, unsigned* value) {
  return constant(__func__, device, value, 16);
}
Answer nvmlDeviceGetFanSpeed(Device device, unsigned* value) {
  return give(__func__, device, value, &FakeBoard::fan_percent);
}
Answer nvmlDeviceGetTemperatureThreshold(Device device, unsigned, unsigned* value) {
  return constant(__func__, device, value, 87);
}
Answer nvmlDeviceGetMaxClockInfo(Device device, unsigned, unsigned* value) {
  return constant(__func__, device, value, 1980);
}
Answer nvmlDeviceGetPowerManagementDefaultLimit(Device device, unsigned* value) {
  return constant(__func__, device, value, 700'000);
}

Answer nvmlDeviceGetEnforcedPowerLimit(Device device, unsigned* cap) {
  return give(__func__, device, cap, &FakeBoard::cap_mw);
}

Answer nvmlDeviceGetPowerManagementLimitConstraints(Device device, unsigned* low, unsigned* high) {
  return about(__func__, device, [&](FakeBoard& board) {
    *low = board.cap_range_mw[0];
    *high = board.cap_range_mw[1];
    return Answer::ok;
  });
}

Answer nvmlDeviceSetPowerManagementLimit(Device device, unsigned cap) {
  return about(__func__, device, [&](FakeBoard& board) {
    board.cap_mw = cap;
    return Answer::ok;
  });
}

Answer nvmlDeviceGetComputeRunningProcesses_v2(Device device, unsigned* count, Process* out) {
  return about(__func__, device,
               [&](FakeBoard& board) { return give_rows(board.compute, out, count); });
}

Answer nvmlDeviceGetGraphicsRunningProcesses_v2(Device device, unsigned* count, Process* out) {
  return about(__func__, device,
               [&](FakeBoard& board) { return give_rows(board.graphics, out, count); });
}

Answer nvmlDeviceGetProcessUtilization(Device device, ProcessShare* out, unsigned* count,
                                       std::uint64_t since_us) {
  return about(__func__, device, [&](FakeBoard& board) {
    std::vector<ProcessShare> newer;
    for (const ProcessShare& share : board.shares)
      if (share.taken_us > since_us) newer.push_back(share);
    return newer.empty() ? Answer::not_found : give_rows(newer, out, count);
  });
}

Answer nvmlEventSetCreate(EventSet* set) {
  *set = reinterpret_cast<EventSet>(new Device(nullptr));
  return Answer::ok;
}

Answer nvmlDeviceRegisterEvents(Device device, std::uint64_t types, EventSet set) {
  return about(__func__, device, [&](FakeBoard&) {
    if (types != 0x8) return Answer::invalid_argument;
    *reinterpret_cast<Device*>(set) = device;
    return Answer::ok;
  });
}

// Also for a lost board: its last words are kept.
Answer nvmlEventSetWait_v2(EventSet set, Event* event, unsigned timeout_ms) {
  const std::lock_guard lock(state.mutex);
  ++state.calls[__func__];
  FakeBoard* board = board_of(*reinterpret_cast<Device*>(set));
  if (!board) return Answer::gpu_not_found;
  if (board->xids.empty() || std::exchange(board->late_xids, false))
    return timeout_ms == 0 && !board->lost ? Answer::timeout : Answer::gpu_is_lost;
  *event = {*reinterpret_cast<Device*>(set), 0x8, board->xids.front(), 0, 0};
  board->xids.erase(board->xids.begin());
  return Answer::ok;
}

Answer nvmlEventSetFree(EventSet set) {
  delete reinterpret_cast<Device*>(set);
  return Answer::ok;
}

Answer nvmlDeviceGetMigMode(Device device, unsigned* now, unsigned* after_reset) {
  return about(__func__, device, [&](FakeBoard& board) {
    *now = *after_reset = board.partitioned ? 1 : 0;
    return Answer::ok;
  });
}

Answer nvmlDeviceGetMaxMigDeviceCount(Device device, unsigned* count) {
  return constant(__func__, device, count, 7);
}

Answer nvmlDeviceGetMigDeviceHandleByIndex(Device device, unsigned row, Device* out) {
  return about(__func__, device, [&](FakeBoard& board) {
    if (row >= board.partitions.size()) return Answer::not_found;
    *out = handle_of(number_of(device) + (row + 1) * 1000);
    return Answer::ok;
  });
}

Answer nvmlDeviceGetGpuInstanceId(Device device, unsigned* number) {
  return about(__func__, device, [&](FakeBoard&) {
    *number = partition_of(device)->number;
    return Answer::ok;
  });
}

}  // extern "C"
