// Faults that come by themselves, at the rates that fleets have published.
//
// Each row of the table is one kind of event: what happens, to what, how often per device-hour, how
// long it lasts, and where the rate comes from. Events of a row on a device (or a host) form a
// Poisson process with a stream of its own: a device more, or a row more, shifts no other's.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "agents/execution/faults.h"
#include "fleet/base/dice.h"
#include "fleet/base/time.h"
#include "fleet/messages.h"

namespace drover::agents {

enum class FaultSubject : std::uint8_t { gpu, tpu, host };

struct FaultRate {
  std::string_view name;  // names its stream
  FaultSubject subject = FaultSubject::gpu;
  std::string_view fault;   // as `drover inject` takes it
  double per_hour = 0;      // of one device, or of one host
  double lasts_s = 0;       // until it is repaired
  std::string_view source;  // tagged published, derived or assumed
};

std::span<const FaultRate> published_fault_rates();

/// The faults of one host in the order in which they come.
class FaultStream {
 public:
  /// `multiple` of the published rates; with 0 nothing ever comes.
  FaultStream(const std::vector<FaultBook::Device>& devices, double multiple, const Dice& dice,
              Instant start);

  Instant next() const;
  /// Those due at `now`, in the order of devices and rows. REQUIRES now <= next().
  std::vector<ApplyFault> take(Instant now);

 private:
  struct Source {
    const FaultRate* rate = nullptr;
    std::uint16_t device = 0;  // of a host: not used
    double mean_s = 0;
    Dice dice;
    Instant next;
  };
  ApplyFault happening(const Source& source) const;
  static void draw(Source& source);
  void add(const FaultRate& rate, std::uint16_t device, const Dice& dice, Instant start);

  double multiple_;
  std::uint16_t devices_ = 0;
  std::vector<Source> sources_;
};

}  // namespace drover::agents
