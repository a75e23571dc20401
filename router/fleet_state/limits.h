// Bounds on what the router keeps of a fleet.
#pragma once

#include <cstddef>

#include "fleet/base/identity.h"

namespace drover::router {

/// `register_host` rejects a Register that would exceed one of these limits.
inline constexpr std::size_t hosts_max = 20'000;  // forgotten hosts are replaced first
/// Device rows, free ones included. A host whose devices change keeps its rows. When it needs
/// more, it gets twice as many, and its old rows become free, as the rows of a forgotten host do.
inline constexpr std::size_t device_rows_max = 2'000'000;
/// Distinct device specs in the fleet; specs that differ only in comments count once. At the
/// limit, specs that no host uses are freed.
inline constexpr std::size_t specs_max = 1024;
/// Specs of one host, so that no host can fill the table: real hosts have one to four. It takes 64
/// hosts with the most specs to fill it.
inline constexpr std::size_t specs_per_host_max = 16;
/// Replica entries kept per host, gone ones included.
inline constexpr std::size_t replicas_known_per_host = 2 * replicas_per_host_max;

/// Limits of the whole fleet; tests use smaller ones.
struct FleetStateLimits {
  std::size_t hosts = hosts_max;
  std::size_t devices = device_rows_max;
  /// Power caps may be set on real devices whose agents allow it. Else they count as devices that
  /// take none.
  bool real_power_caps = false;
};

}  // namespace drover::router
