// A small fleet on a stage, and a client that acts on it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "router/lint/policy_file.h"
#include "tests/router/router_fixture.h"

namespace drover::router {

inline constexpr std::uint64_t client = 9;

inline InjectFault inject(const std::string& target, const std::string& fault,
                          Duration duration = std::chrono::seconds(60)) {
  InjectFault inject;
  inject.target = target;
  inject.fault = parse_fault(fault).value();
  inject.fault.duration = duration;
  return inject;
}

/// Two hosts of H100s and one TPU slice, in two racks.
struct ActionHarness : RouterHarness {
  explicit ActionHarness(RouterSettings with = {}, Policy under = builtin_policy())
      : RouterHarness(std::move(with), std::move(under)) {
    join_all();
  }
  void join_all() {
    add_host(1, "h100-1");
    add_host(2, "h100-2");
    receive(3, Join{Role::agent, "v5e-1", "drover test"});
    Register tpu = registration("v5e-1", 1, "tpu-v5e", 8);
    tpu.rack = "rack-2";
    receive(3, tpu);
    receive_samples("v5e-1", 1, idle_samples(8));
    receive(client, Join{Role::client, "ann", "drover test"});
    tick();
    commit();
    forget();
  }
  ActionReply ask(Message action) {
    forget();
    receive(client, std::move(action));
    tick();
    commit();
    const auto replies = told<ActionReply>(client);
    DROVER_REQUIRE(replies.size() == 1);
    return replies[0];
  }
  std::size_t faults_told() const {
    return told<ApplyFault>(1).size() + told<ApplyFault>(2).size() + told<ApplyFault>(3).size();
  }
};

inline const std::vector<std::pair<std::uint64_t, std::string>> all_hosts{
    {1, "h100-1"}, {2, "h100-2"}, {3, "v5e-1"}};

}  // namespace drover::router
