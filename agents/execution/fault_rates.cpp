#include "agents/execution/fault_rates.h"

#include <algorithm>
#include <array>

namespace drover::agents {
namespace {

/// Llama 3 (arXiv:2407.21783, table 5): counts of 54 days on 16,384 H100.
constexpr double llama_h = 16384.0 * 54 * 24;
/// Delta (arXiv:2503.11901): an A100 has a third of the memory errors of an H100; here both GPU
/// classes get the rate of the H100.
constexpr double minute = 60, hour = 3600;

constexpr std::array<FaultRate, 15> table{{
    {"gpu faulty", FaultSubject::gpu, "xid=79", 148 / llama_h, 2 * hour,
     "published: Llama 3, 148 faulty GPUs; repair assumed"},
    {"memory, uncorrectable", FaultSubject::gpu, "xid=48", 0.5 * 72 / llama_h, 30 * minute,
     "published: Llama 3, 72 of HBM3; halves to double-bit and contained errors assumed"},
    {"memory, contained", FaultSubject::gpu, "xid=94", 0.5 * 72 / llama_h, 1,
     "published: Llama 3, 72 of HBM3; halves assumed"},
    {"row remap", FaultSubject::gpu, "xid=63", 5 * 72 / llama_h, 1,
     "assumed: five rows are remapped for each memory error that ends a job"},
    {"row remap failed", FaultSubject::gpu, "xid=64", 0.05 * 72 / llama_h, 24 * hour,
     "assumed: one memory error of twenty finds no spare row; the board is replaced"},
    {"single-bit storm", FaultSubject::gpu, "xid=92", 72 / llama_h, 1,
     "assumed: as often as memory errors that end a job"},
    {"sram", FaultSubject::gpu, "xid=95", 19 / llama_h, 30 * minute,
     "published: Llama 3, 19 of GPU SRAM; reset assumed"},
    {"system processor", FaultSubject::gpu, "xid=119", 17 / llama_h, 30 * minute,
     "published: Llama 3, 17 of the GPU system processor; reset assumed"},
    {"thermal or sensor", FaultSubject::gpu, "throttle=0.5", 6 / llama_h, 30 * minute,
     "published: Llama 3, 6 of thermal interface and sensor"},
    {"link flap", FaultSubject::gpu, "slow-link=0.1", 35 / llama_h, 30,
     "published: Llama 3, 35 of switch and cable; as a flap of 30 s assumed"},
    {"hang", FaultSubject::gpu, "hang", 7 / llama_h, 10 * minute,
     "published: Llama 3, 7 of the NCCL watchdog; until somebody looks assumed"},
    {"slice lost", FaultSubject::tpu, "lose", 2e-4 / (10.0 / 60), 10 * minute,
     "derived: TPU v4 (NSDI 2024), availability 99.98 %, with 10 min to swap assumed"},
    {"host lost", FaultSubject::host, "lose", 8 * (32 + 17) / llama_h, 30 * minute,
     "published: Llama 3, 32 of host maintenance, 17 of NIC, PSU, chassis, board, CPU, memory"},
    {"fans", FaultSubject::host, "fan=0.6", 8 * 2 / llama_h, 4 * hour,
     "published: Llama 3, 2 of chassis; that they are fans assumed"},
    {"power brake", FaultSubject::host, "throttle=0.5", 8 * 3 / llama_h, minute,
     "published: Llama 3, 3 of power supplies; that boards brake for a minute assumed"},
}};

FaultSubject subject_of(const FaultState::Device& device) {
  return device.device_class == DeviceClass::tpu ? FaultSubject::tpu : FaultSubject::gpu;
}

}  // namespace

std::span<const FaultRate> published_fault_rates() { return table; }

FaultStream::FaultStream(const std::vector<FaultState::Device>& devices, double multiple,
                         const RandomStream& random, Instant start)
    : multiple_(multiple), devices_(static_cast<std::uint16_t>(devices.size())) {
  if (multiple <= 0) return;
  for (const FaultRate& rate : table) {
    const RandomStream purpose = random.child(rate.name);
    if (rate.subject == FaultSubject::host) {
      add(rate, 0, purpose, start);
      continue;
    }
    for (std::size_t at = 0; at < devices.size(); ++at) {
      if (subject_of(devices[at]) != rate.subject) continue;
      add(rate, static_cast<std::uint16_t>(at), purpose.child(at), start);
    }
  }
}

void FaultStream::add(const FaultRate& rate, std::uint16_t device, const RandomStream& random,
                      Instant start) {
  sources_.push_back({&rate, device, hour / (rate.per_hour * multiple_), random, start});
  draw(sources_.back());
}

void FaultStream::draw(Source& source) {
  const double gap_s = source.random.exponential(source.mean_s);
  // A gap of centuries counts as never.
  source.next = gap_s < 1e9 ? saturating_add(source.next, from_seconds(gap_s)) : never;
}

/// A fault of a host affects the host itself, or all of its devices.
ApplyFault FaultStream::fault_of(const Source& source) const {
  ApplyFault apply;
  apply.fault = *parse_fault(source.rate->fault);
  apply.fault.duration = from_seconds(source.rate->lasts_s);
  const FaultKind kind = apply.fault.kind;
  if (source.rate->subject != FaultSubject::host) {
    apply.devices = {source.device};
  } else if (kind == FaultKind::lose || kind == FaultKind::inlet || kind == FaultKind::fan) {
    apply.host = true;
  } else {
    for (std::uint16_t device = 0; device < devices_; ++device) apply.devices.push_back(device);
  }
  return apply;
}

Instant FaultStream::next() const {
  Instant next = never;
  for (const Source& source : sources_) next = std::min(next, source.next);
  return next;
}

std::vector<ApplyFault> FaultStream::take(Instant now) {
  std::vector<ApplyFault> due;
  for (Source& source : sources_) {
    if (source.next > now) continue;
    due.push_back(fault_of(source));
    draw(source);
  }
  return due;
}

}  // namespace drover::agents
