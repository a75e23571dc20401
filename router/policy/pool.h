// Pools: devices that a policy treats alike, what they can run and what they cost.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fleet/base/version.h"
#include "fleet/messages.h"
#include "fleet/workload.h"
#include "router/fleet_state/prices.h"

namespace drover::router {

struct PoolMatch {
  std::optional<DeviceClass> device_class;  // kind = "gpu" | "tpu"
  std::string model;                        // glob over device spec id and name; "" any
  std::string rack, host, site;             // globs; "" any
  std::map<std::string, std::string> labels;
  bool rest = false;  // of these, only devices in no pool without this key
};

struct Pool {
  std::string name;
  PoolMatch match;
  int tier = 0;
  Prices prices;
  std::string capacity_unit = "devices";  // devices or tokens_per_s: unit of health
  double overprovision = 1;
  double max_share = 1;          // largest share of the fleet's running jobs
  double concurrency = 0;        // requests or jobs at once per device; 0: the replica's limit
  double warmup_compile_s = -1;  // -1: from the device spec
  // Capabilities of the pool's devices; empty lists: those of the device spec.
  std::vector<Precision> precisions;
  std::vector<std::string> frameworks;
  std::vector<std::string> missing_ops;
  std::vector<int> slices;
  std::map<std::string, VersionRange> versions;  // supported versions, by software name
  std::optional<bool> dynamic_shapes;  // false: jobs that need dynamic shapes are rejected
  std::uint64_t context_max = 0;       // tokens of one request; 0: the model's limit
};

}  // namespace drover::router
