#include <gtest/gtest.h>

#include "router/lint/outcomes.h"
#include "router/lint/policy_file.h"

namespace drover::router {
namespace {

TEST(OutcomeTable, ShowsWhatHappensPerCaseAndReason) {
  const auto policy = parse_policy(R"([policy]
default_action = "reject"
[pool.a]
match = { kind = "gpu" }
[pool.b]
match = { kind = "tpu" }
[capability.b]
max_context = 4096
[class.chat]
when = { kind = "inference" }
mix = [{ input = 100, output = 50 }, { input = 8000, output = 200 }]
[class.nightly]
when = { kind = "training", tenant = "night*" }
[[rule]]
name = "requests"
when = { kind = "inference", model = "llama*" }
pools = ["a", "b"]
slo = { ttft_ms = 500 }
  [[rule.fallback]]
  on = ["capacity", "queue_slo"]
  to = "a"
  change = { precision = "int8" }
  guard = { extra_cost = "<= 40%" }
  [[rule.fallback]]
  on = "*"
  action = "queue"
  max_wait_s = 20
[[rule]]
name = "training"
when = { kind = "training", gang = ">1" }
pools = ["b"]
  [[rule.fallback]]
  on = ["precision", "memory"]
  action = "shed"
)",
                                   "p.toml");
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  EXPECT_EQ(outcome_table(*policy), R"(rule requests (model llama*)
  class chat of 100+50 tokens: a, b
    memory, precision, op_unsupported, framework, context, deadline, unhealthy, cooldown, drain, power_cap, thermal, stale_telemetry, data: b; else it waits 20s, then fails
    capacity: b, a as int8 if the guard passes; else it waits 20s, then fails
    queue_slo: b, a as int8 if the guard passes; else it is placed, ignoring the slo
  class chat of 8000+200 tokens: a, b (never: context)
    memory, precision, op_unsupported, framework, context, deadline, unhealthy, cooldown, drain, power_cap, thermal, stale_telemetry, data: waits 20s, then fails
    capacity: a as int8 if the guard passes; else it waits 20s, then fails
    queue_slo: a as int8 if the guard passes; else it is placed, ignoring the slo
rule training (gang from 2)
  class nightly: b
    memory, precision: is shed
    op_unsupported, framework, topology, capacity, deadline, unhealthy, cooldown, drain, power_cap, thermal, stale_telemetry, data: is rejected (default_action)
  training: b
    memory, precision: is shed
    op_unsupported, framework, topology, capacity, deadline, unhealthy, cooldown, drain, power_cap, thermal, stale_telemetry, data: is rejected (default_action)
no rule
  class chat: inference, models that no rule names
  class nightly: training, gang 0 to 1, tenant night*
  training, gang 0 to 1
  batch
)");
}

}  // namespace
}  // namespace drover::router
