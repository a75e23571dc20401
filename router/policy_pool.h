// Pools: devices that a policy treats alike, what they can run and what they cost.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fleet/messages.h"
#include "fleet/version.h"
#include "fleet/workload.h"

namespace drover::devices {
struct DeviceSpec;
}

namespace drover::router {

struct PoolMatch {
  std::optional<DeviceClass> device_class;  // kind = "gpu" | "tpu"
  std::string model;                        // glob over device spec id and name; "" any
  std::string rack, host, site;             // globs; "" any
  std::map<std::string, std::string> labels;
  bool rest = false;  // of these, devices that are in no pool without this key
};

/// What a device costs by the hour. A host says how it was had by its label `price` (on_demand,
/// spot, reserved); without one, the first that is given here counts, in this order. Where none is
/// given, the spec's prices count.
struct Prices {
  std::optional<double> on_demand_usd_per_h, reserved_usd_per_h, spot_usd_per_h;
  /// Owned: the purchase spread over the years, and the energy that its work takes at the wall.
  double purchase_usd = 0;
  double years = 0;
  double energy_usd_per_kwh = 0;
  double pue = 1;  // energy of the building over energy of the devices
  /// Spot: how often the owner takes one back, per hour; 0: never.
  double reclaim_per_h = 0;

  bool given() const {
    return on_demand_usd_per_h || reserved_usd_per_h || spot_usd_per_h || years > 0;
  }
};

/// Fixed dollars per hour of one device on a host with these labels; nothing: its price on demand.
/// `spec`: null: not known.
std::optional<double> usd_per_h(const Prices& prices,
                                const std::map<std::string, std::string>& labels,
                                const devices::DeviceSpec* spec);
/// The spec's spot price, where nothing else is said: the pool gives no prices, and the host was
/// had on spot.
std::optional<double> listed_spot_usd_per_h(const Prices& prices,
                                            const std::map<std::string, std::string>& labels,
                                            const devices::DeviceSpec* spec);
/// Whether this host's devices can be taken back.
bool is_spot(const Prices& prices, const std::map<std::string, std::string>& labels);

struct Pool {
  std::string name;
  PoolMatch match;
  int tier = 0;
  Prices prices;
  std::string capacity_unit = "devices";  // devices, tokens_per_s: how health and spill count
  double overprovision = 1;
  double max_share = 1;          // of the fleet's running jobs
  double concurrency = 0;        // requests or jobs at once on one device; 0: as the replica allows
  double warmup_compile_s = -1;  // -1: from the device spec
  // Capability: what the devices of this pool can run; empty lists: ask the spec.
  std::vector<Precision> precisions;
  std::vector<std::string> frameworks;
  std::vector<std::string> missing_ops;
  std::vector<int> slices;
  std::map<std::string, VersionRange> versions;  // that run there, by the software's name
  std::optional<bool> dynamic_shapes;            // false: jobs that need the operation are refused
  std::uint64_t context_max = 0;                 // tokens of one request; 0: as the model allows
};

}  // namespace drover::router
