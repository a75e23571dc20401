// Event sets: a call that waits for Xids and memory errors. It reads the file again and again; the
// library has no thread of its own. Sets come from a table, so that a handle can be checked.
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "agents/fake_nvml/library/calls.h"

namespace drover::fake_nvml {

namespace {

constexpr unsigned long long double_bit_ecc_event = 0x2;
constexpr unsigned long long xid_event = 0x8;
constexpr unsigned long long supported_events = double_bit_ecc_event | xid_event;

constexpr std::size_t event_sets_max = 64;
constexpr long long pause_ns = 10'000'000;

struct EventSet {
  std::atomic<bool> used{false};
  std::atomic<std::uint64_t> generation{0};  // of the file whose errors it has seen
  std::atomic<std::uint64_t> next{0};        // number of the next error
  std::array<std::atomic<unsigned long long>, devices_max> types{};  // by device
};
std::array<EventSet, event_sets_max> event_sets;

EventSet* checked(EventSet* set) {
  for (EventSet& one : event_sets) {
    if (&one == set && one.used) return set;
  }
  return nullptr;
}

long long monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

/// The next error that the set has asked for. Each error is given out once, even if several
/// threads wait for the set.
bool take_event(EventSet& set, const Published& published, EventData& event) {
  // An agent that was restarted counts from 0.
  if (set.generation.exchange(published.header.generation) != published.header.generation) {
    set.next = 0;
  }
  const std::uint64_t total = published.header.errors_total;
  const std::uint64_t oldest = total > errors_kept ? total - errors_kept : 0;
  for (std::uint64_t number = set.next; number < total; number = set.next) {
    if (!set.next.compare_exchange_weak(number, std::max(number, oldest) + 1)) continue;
    const NvmlError& error = published.errors[std::max(number, oldest) % errors_kept];
    if (error.device >= devices_max) continue;
    const unsigned long long type = error.xid == 0 ? double_bit_ecc_event : xid_event;
    if ((set.types[error.device] & type) == 0) continue;
    event = {handle_of(error.device), type, error.xid, no_instance, no_instance};
    return true;
  }
  return false;
}

/// gpu_is_lost: at the end of the time no agent lives. An agent that comes back is found.
Return wait(EventSet* set, void* out, std::size_t bytes, unsigned timeout_ms) {
  if (!initialized()) return uninitialized;
  if (checked(set) == nullptr || out == nullptr) return invalid_argument;
  const long long end = monotonic_ns() + timeout_ms * 1'000'000LL;
  for (;;) {
    Published published;
    const Return found = read_errors(published);
    EventData event{};
    if (found == success && take_event(*set, published, event)) {
      std::memcpy(out, &event, bytes);
      return success;
    }
    const long long left = end - monotonic_ns();
    if (left <= 0) return found == success ? timeout : gpu_is_lost;
    const timespec pause{0, std::min(left, pause_ns)};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace

DROVER_NVML Return nvmlEventSetCreate(EventSet** out) {
  if (!initialized()) return uninitialized;
  if (out == nullptr) return invalid_argument;
  Published published;
  const Return found = read_errors(published);
  if (found != success) return found;
  for (EventSet& set : event_sets) {
    if (set.used.exchange(true)) continue;
    for (auto& types : set.types) types = 0;
    set.generation = published.header.generation;
    set.next = published.header.errors_total;
    *out = &set;
    return success;
  }
  return no_memory;
}

DROVER_NVML Return nvmlEventSetFree(EventSet* set) {
  if (!initialized()) return uninitialized;
  if (checked(set) == nullptr) return invalid_argument;
  set->used = false;
  return success;
}

DROVER_NVML Return nvmlDeviceGetSupportedEventTypes(Handle handle, unsigned long long* out) {
  return get_constant(handle, out, supported_events);
}

DROVER_NVML Return nvmlDeviceRegisterEvents(Handle handle, unsigned long long types,
                                            EventSet* set) {
  return with_device(handle, true, [&](const DeviceNow& now) {
    if (checked(set) == nullptr) return invalid_argument;
    if ((types & ~supported_events) != 0) return not_supported;
    set->types[now.index] |= types;
    return success;
  });
}

DROVER_NVML Return nvmlEventSetWait_v2(EventSet* set, EventData* out, unsigned timeout_ms) {
  return wait(set, out, sizeof(EventData), timeout_ms);
}
DROVER_NVML Return nvmlEventSetWait(EventSet* set, EventData* out, unsigned timeout_ms) {
  return wait(set, out, offsetof(EventData, gpu_instance), timeout_ms);
}

}  // namespace drover::fake_nvml
