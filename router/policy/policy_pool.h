// Pools: devices that a policy treats alike, what they can run and what they cost.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fleet/base/version.h"
#include "fleet/messages.h"
#include "fleet/workload.h"
#include "router/roster/prices.h"

namespace drover::router {

struct PoolMatch {
  std::optional<DeviceClass> device_class;  // kind = "gpu" | "tpu"
  std::string model;                        // glob over device spec id and name; "" any
  std::string rack, host, site;             // globs; "" any
  std::map<std::string, std::string> labels;
  bool rest = false;  // of these, devices that are in no pool without this key
};

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
