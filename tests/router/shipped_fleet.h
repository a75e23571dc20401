// The policies of examples/policies on small fleets of each kind, with replicas and free devices.
#pragma once

#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/router/decision_fixture.h"

namespace drover::router {

inline constexpr std::array shipped_policies = {
    "balanced", "cost", "energy", "latency", "gpu-first", "tpu-first", "spot-with-floor"};

inline std::string file_text(const std::string& path) {
  std::ifstream file(std::string(DROVER_SOURCE_DIR "/") + path);
  DROVER_REQUIRE(file.good());
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::string shipped_text(const std::string& name) {
  return file_text("examples/policies/" + name + ".toml");
}

/// A host that says how it was had.
inline HostIndex add_priced_host(DecisionFixture& fleet, const std::string& name,
                                 const std::string& device, std::uint16_t count,
                                 const std::string& price) {
  Register said = DecisionFixture::registration(name, device, count);
  said.labels["price"] = price;
  const auto index = fleet.fleet_state.register_host(fleet.now, said);
  DROVER_REQUIRE(index.ok());
  assign_pools(fleet.policy, fleet.fleet_state);
  return *index;
}

inline Job trains(DecisionFixture& fleet, std::uint16_t devices,
                  std::vector<Precision> precisions = {}) {
  Job job = fleet.training(devices, "resnet-50");
  job.work.sequence = 1;
  job.work.precisions = std::move(precisions);
  return job;
}

enum class Devices : std::uint8_t { gpus, tpus, both, old_nvidia };
inline constexpr std::array all_devices = {Devices::gpus, Devices::tpus, Devices::both,
                                           Devices::old_nvidia};

/// Each kind has replicas of Llama 3.1 8B and free devices for gangs of 8; all but the old ones one
/// of Llama 3.1 70B.
struct ExamplePolicyFleet : DecisionFixture {
  ExamplePolicyFleet(const std::string& name, Devices devices)
      : DecisionFixture(shipped_text(name)) {
    if (devices == Devices::gpus || devices == Devices::both) add_gpus();
    if (devices == Devices::tpus || devices == Devices::both) add_tpus();
    if (devices == Devices::old_nvidia) add_old_nvidia();
  }

  void add_gpus() {
    const HostIndex h100 = add("h100-1", "h100-sxm", 8);
    add_replica(h100, 0, small, {0});
    add_replica(h100, 1, large, {4, 5, 6, 7});
    add("h100-2", "h100-sxm", 8);
    add_replica(add("a100-1", "a100-sxm-80gb", 8), 0, small, {0});
    add_replica(add("l4-1", "l4", 4), 0, small, {0});
  }
  void add_tpus() {
    add_replica(add("v5e-1", "tpu-v5e", 8), 0, small, {0, 1, 2, 3});
    add_replica(add("v5e-2", "tpu-v5e", 8), 0, large, {0, 1, 2, 3, 4, 5, 6, 7}, Precision::int8);
    add("v5e-3", "tpu-v5e", 8);
    add_replica(add("v6e-1", "tpu-v6e", 8), 0, small, {0});
  }
  void add_old_nvidia() {
    add("k80-1", "k80", 8);
    add("p100-1", "p100-pcie", 4);
    add_replica(add("v100-1", "v100-sxm2-16gb", 8), 0, small, {0, 1}, Precision::fp16);
    add("v100-2", "v100-sxm2-16gb", 8);
  }

  std::string device_of(const PlacementResult& result) const {
    return result.place ? fleet_state.groups()[result.place->group].group.device : "";
  }

  static constexpr const char* small = "llama-3.1-8b";
  static constexpr const char* large = "llama-3.1-70b";

 private:
  HostIndex add(const std::string& name, const std::string& device, std::uint16_t count) {
    return add_host(name, device, count, device.rfind("tpu-", 0) == 0 ? "2x4" : "");
  }
};

}  // namespace drover::router
