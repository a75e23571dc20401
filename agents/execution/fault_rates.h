// Spontaneous faults at the published rates of real fleets.
//
// Each row of the table is one kind of event: what happens, to what, how often per device-hour,
// how long it lasts, and the source of the rate. Events of a row on a device (or a host) form a
// Poisson process with its own random stream: adding a device or a row does not shift the others.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "agents/execution/fault_state.h"
#include "fleet/base/random_stream.h"
#include "fleet/base/time.h"
#include "fleet/messages.h"

namespace drover::agents {

enum class FaultSubject : std::uint8_t { gpu, tpu, host };

struct FaultRate {
  std::string_view name;  // names its random stream
  FaultSubject subject = FaultSubject::gpu;
  std::string_view fault;   // in the syntax of `drover inject`
  double per_hour = 0;      // per device or per host
  double lasts_s = 0;       // until it is repaired
  std::string_view source;  // tagged published, derived or assumed
};

std::span<const FaultRate> published_fault_rates();

/// The faults of one host in order of time.
class FaultStream {
 public:
  /// `multiple` of the published rates; 0: no faults.
  FaultStream(const std::vector<FaultState::Device>& devices, double multiple,
              const RandomStream& random, Instant start);

  Instant next() const;
  /// Faults due at `now`, in order of devices and rows. REQUIRES now <= next().
  std::vector<ApplyFault> take(Instant now);

 private:
  struct Source {
    const FaultRate* rate = nullptr;
    std::uint16_t device = 0;  // unused for a host
    double mean_s = 0;
    RandomStream random;
    Instant next;
  };
  ApplyFault fault_of(const Source& source) const;
  static void draw(Source& source);
  void add(const FaultRate& rate, std::uint16_t device, const RandomStream& random, Instant start);

  double multiple_;
  std::uint16_t devices_ = 0;
  std::vector<Source> sources_;
};

}  // namespace drover::agents
