#include "router/policy/policy.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "router/lint/policy_file.h"
#include "router/policy/read.h"
#include "tests/router/shipped_fleet.h"

namespace drover::router {
namespace {

TEST(Policy, TheExampleHasTheRulesOfTheBuiltInOne) {
  const Policy& built_in = builtin_policy();
  EXPECT_EQ(built_in.name, "balanced");
  const auto example = parse_policy(shipped_text("balanced"), "balanced.toml");
  ASSERT_TRUE(example.ok()) << example.error().message;
  for (const Pool& pool : built_in.pools) {
    const Pool* same = example->find_pool(pool.name);
    ASSERT_NE(same, nullptr) << pool.name;
    EXPECT_EQ(same->match.model, pool.match.model);
  }
  ASSERT_EQ(example->rules.size(), built_in.rules.size());
  for (std::size_t index = 0; index < built_in.rules.size(); ++index) {
    const Rule& left = example->rules[index];
    const Rule& right = built_in.rules[index];
    EXPECT_EQ(left.name, right.name);
    // The example names more kinds, and has no pool for all else; what both name stands in the same
    // order.
    const auto of_both = [&](const std::vector<std::string>& pools) {
      std::vector<std::string> names;
      for (const std::string& pool : pools) {
        const bool named =
            example->find_pool(pool) != nullptr && built_in.find_pool(pool) != nullptr;
        if (named && pool != "gpu" && pool != "tpu") names.push_back(pool);
      }
      return names;
    };
    // The last ones of the built-in policy are fallbacks of the example.
    const auto first = of_both(left.pools), all = of_both(right.pools);
    ASSERT_LE(first.size(), all.size()) << right.name;
    EXPECT_TRUE(std::equal(first.begin(), first.end(), all.begin())) << right.name;
    EXPECT_FALSE(first.empty()) << right.name;
    EXPECT_EQ(left.weights, right.weights);
    EXPECT_EQ(left.pick, right.pick);
    EXPECT_EQ(left.slo_ttft_s, right.slo_ttft_s);
    EXPECT_GE(left.fallbacks.size(), right.fallbacks.size());
  }
  EXPECT_EQ(example->retry.attempts_max, built_in.retry.attempts_max);
  EXPECT_EQ(example->retry.backoff_s, built_in.retry.backoff_s);
  EXPECT_EQ(example->eject.consecutive, built_in.eject.consecutive);
  EXPECT_EQ(example->eject.max_percent, built_in.eject.max_percent);
  EXPECT_EQ(example->slow_start.window_s, built_in.slow_start.window_s);
  EXPECT_EQ(example->panic.below, built_in.panic.below);
  EXPECT_EQ(example->impossible_after_s, built_in.impossible_after_s);
  EXPECT_EQ(example->replicas.start_after, built_in.replicas.start_after);
}

/// The keys of the language, each with an effect that can be read off.
constexpr const char* full = R"([policy]
version = 7
objective = "cost"
default_action = "reject"
seed = 9
stale_after_s = 2
[pool.h100]
match = { kind = "gpu", model = "H100*", rack = "r*", host = "h*", site = "s*", label = ["spot", "tier=gold"] }
tier = 1
price_per_hour = 2.90
overprovision = 1.2
max_share = 0.30
[pool.v5e]
match = { kind = "tpu", model = "v5e" }
warmup = { compile_s = 90, per = "model+shape" }
[capability.v5e]
precisions = ["bf16", "int8"]
frameworks = ["jax", "torch_xla"]
missing_ops = ["custom_cuda"]
slices = [16, 1, 4, 8]
[[rule]]
name = "chat"
when = { kind = ["inference", "batch"], model_family = "llama*", prompt_tokens = "<=8192", output_tokens = ">1", batch = "1..4", gang = "1", priority = ">=-5", tenant = "prod*" }
require = { precision = ["bf16", "fp8"], mem_headroom = "10%", interconnect = "nvlink", same_pool = true }
pools = ["h100"]
score = { queue = 0.35, cost_per_epoch = 0.30 }
pick = "p2c"
slo = { ttft_ms = 500, deadline_s = 30 }
  [[rule.fallback]]
  on = ["capacity", "queue_slo"]
  to = "v5e"
  change = { precision = "int8" }
  guard = { est_finish = "< primary * 1.5", extra_cost = "<= 40%", extra_energy = "< 0.2" }
  [[rule.fallback]]
  on = "*"
  action = "queue"
  max_wait_s = 20
[[rule]]
name = "rest"
[limits]
queue_max = 5000
power_cap_w = { site = 40000, "pool.h100" = 22000 }
budget_usd_per_h = 120
[retry]
max = 1
budget = { percent = 10, min = 4 }
[replicas]
manage = false
start_after = 7
retire_after = "1h"
starting_max = 5
[explain]
top_k = 2
)";

TEST(Policy, ReadsPoolsAndCapabilities) {
  const auto policy = parse_policy(full, "full.toml");
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  EXPECT_EQ(policy->version, 7);
  EXPECT_EQ(policy->default_action, FallbackAction::reject);
  EXPECT_EQ(policy->seed, 9U);
  EXPECT_EQ(policy->stale_after_s, 2);
  const Pool& h100 = policy->pools.at(0);
  EXPECT_EQ(h100.match.device_class, DeviceClass::gpu);
  EXPECT_EQ(h100.match.labels,
            (std::map<std::string, std::string>{{"spot", "*"}, {"tier", "gold"}}));
  EXPECT_EQ(h100.prices.on_demand_usd_per_h, 2.90);
  EXPECT_EQ(h100.max_share, 0.3);
  EXPECT_EQ(h100.overprovision, 1.2);
  const Pool& v5e = policy->pools.at(1);
  EXPECT_EQ(v5e.warmup_compile_s, 90);
  EXPECT_EQ(v5e.slices, (std::vector<int>{1, 4, 8, 16}));
  EXPECT_EQ(v5e.precisions, (std::vector<Precision>{Precision::bf16, Precision::int8}));
  EXPECT_EQ(policy->pool_index("v5e"), 1U);
  EXPECT_EQ(policy->find_pool("none"), nullptr);
}

TEST(Policy, ReadsRulesAndFallbacks) {
  const auto policy = parse_policy(full, "full.toml");
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  const Rule& chat = policy->rules.at(0);
  EXPECT_EQ(chat.when.kinds, (std::vector<WorkKind>{WorkKind::serve, WorkKind::batch}));
  EXPECT_TRUE(chat.when.input_tokens.holds(8192));
  EXPECT_FALSE(chat.when.input_tokens.holds(8193));
  EXPECT_FALSE(chat.when.output_tokens.holds(1));
  EXPECT_TRUE(chat.when.priority.holds(-5));
  EXPECT_EQ(chat.memory_headroom, 0.1);
  EXPECT_EQ(chat.pick, Pick::p2c);
  EXPECT_EQ(chat.slo_ttft_s, 0.5);
  EXPECT_EQ(chat.weights[static_cast<std::size_t>(Scorer::cost)], 0.3);
  ASSERT_EQ(chat.fallbacks.size(), 2U);
  EXPECT_EQ(chat.fallbacks[0].on, (std::vector<Reason>{Reason::capacity, Reason::queue_slo}));
  EXPECT_EQ(chat.fallbacks[0].change_precision, Precision::int8);
  EXPECT_EQ(chat.fallbacks[0].guard.finish_ratio_max, 1.5);
  EXPECT_EQ(chat.fallbacks[0].guard.extra_cost_max, 0.4);
  EXPECT_EQ(chat.fallbacks[0].guard.extra_energy_max, 0.2);
  EXPECT_TRUE(chat.fallbacks[1].on.empty());
  EXPECT_EQ(chat.fallbacks[1].max_wait, std::chrono::seconds(20));
  // Without `pools`: all, lowest tier first. Without `score`: by the objective.
  EXPECT_EQ(policy->rules.at(1).pools, (std::vector<std::string>{"v5e", "h100"}));
  EXPECT_EQ(policy->rules.at(1).weights[static_cast<std::size_t>(Scorer::cost)], 0.5);
}

TEST(Policy, ReadsLimitsRetryReplicasAndExplain) {
  const auto policy = parse_policy(full, "full.toml");
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  EXPECT_EQ(policy->limits.queue_max, 5000U);
  EXPECT_EQ(policy->limits.site_power_cap_w, 40000);
  EXPECT_EQ(policy->limits.pool_power_cap_w.at("h100"), 22000);
  EXPECT_EQ(policy->limits.budget_usd_per_h, 120);
  EXPECT_EQ(policy->retry.attempts_max, 2U);
  EXPECT_EQ(policy->retry.budget.min, 4U);
  EXPECT_FALSE(policy->replicas.manage);
  EXPECT_EQ(policy->replicas.start_after, std::chrono::seconds(7));
  EXPECT_EQ(policy->replicas.retire_after, std::chrono::hours(1));
  EXPECT_EQ(policy->top_k, 2U);
}

constexpr const char* head = R"([pool.a]
match = { kind = "gpu" }
[pool.b]
match = { kind = "tpu" }
[[rule]]
name = "r"
pools = ["a"]
)";

TEST(Policy, ErrorsNameFileLineAndKey) {
  struct Case {
    const char* text;  // after `head`, whose last line is line 7
    const char* message;
  };
  const Case cases[] = {
      {"preempt = {}\n",
       "p.toml:8: rule[1].preempt.may: found nothing, expected training or names of classes"},
      {"preempt = { may = [\"batch\"] }\n",
       "p.toml:8: rule[1].preempt.may: found \"batch\": only training can be preempted, expected "
       "training or names of classes"},
      {"preempt = { may = [\"training\"], mode = \"suspend\" }\n",
       "p.toml:8: rule[1].preempt.mode: found \"suspend\", expected requeue"},
      {"preempt = { may = [\"nightly\"] }\n",
       "p.toml:8: rule[1].preempt.may: no [class.nightly], and no kind of work has that name"},
      {"[limits]\nper_tenant = { a = { share = 0 } }\n",
       "p.toml:9: limits.per_tenant.a.share: expected more than 0"},
      {"[limits]\npower_cap_w = { \"pool.c\" = 5 }\n",
       "p.toml:9: limits.power_cap_w.\"pool.c\": expected \"site\" or \"pool.NAME\" of a pool of "
       "this "
       "policy"},
      {"[capability.c]\n", "p.toml:8: capability.c: no such pool; known: a, b"},
      {"score = { queu = 1 }\n",
       "p.toml:8: rule[1].score.queu: no such scorer; did you mean queue?"},
      {"score = { queue = 0 }\n",
       "p.toml:8: rule[1].score: all weights are zero, expected at least one above zero"},
      {"pick = \"best\"\n",
       "p.toml:8: rule[1].pick: found \"best\", expected max, p2c or weighted"},
      {"when = { kind = \"chat\" }\n",
       "p.toml:8: rule[1].when.kind: found \"chat\", expected inference, training or batch"},
      {"when = { prompt_tokens = \"~5\" }\n",
       "p.toml:8: rule[1].when.prompt_tokens: found \"~5\", expected a range such as \"<=8192\", "
       "\">1\", \"100..200\" or a number"},
      {"require = { precision = \"bf17\" }\n",
       "p.toml:8: rule[1].require.precision: no such precision \"bf17\"; did you mean bf16?"},
      {"require = { over_hosts = \"always\" }\n",
       "p.toml:8: rule[1].require.over_hosts: found \"always\", expected never, if_larger or "
       "if_full"},
      {"require = { same_pool = false }\n",
       "p.toml:8: rule[1].require.same_pool: false is not supported by this version"},
      {"[[rule.fallback]]\non = [\"capacty\"]\nto = \"b\"\n",
       "p.toml:9: rule[1].fallback[1].on: no such reason \"capacty\"; did you mean capacity?"},
      {"[[rule.fallback]]\non = \"*\"\nto = \"c\"\n",
       "p.toml:10: rule[1].fallback[1].to: no such pool \"c\"; known: a, b"},
      {"[[rule.fallback]]\non = \"*\"\nto = \"a\"\n",
       "p.toml:10: rule[1].fallback[1].to: pool \"a\" is one of the rule's own pools"},
      {"[[rule.fallback]]\non = \"*\"\nto = \"b\"\naction = \"queue\"\n",
       "p.toml:10: rule[1].fallback[1].to: expected exactly one of `to` and `action`"},
      {"[[rule.fallback]]\non = \"*\"\naction = \"wait\"\n",
       "p.toml:10: rule[1].fallback[1].action: found \"wait\", expected queue, reject or shed"},
      {"[[rule.fallback]]\non = \"*\"\naction = \"queue\"\n[[rule.fallback]]\non = \"memory\"\nto "
       "= "
       "\"b\"\n",
       "p.toml:12: rule[1].fallback[2].on: never reached: fallback 1 of the rule catches every "
       "reason"},
      {"[[rule.fallback]]\non = \"*\"\nto = \"b\"\nguard = { est_finish = \"soon\" }\n",
       "p.toml:11: rule[1].fallback[1].guard.est_finish: found \"soon\", expected a guard such as "
       "\"< "
       "primary * 1.5\""},
      {"[[rule.fallback]]\non = \"*\"\naction = \"queue\"\nfailback = { after_s = 60, probe = -1 "
       "}\n",
       "p.toml:11: rule[1].fallback[1].failback.probe: found -1, expected a whole number "
       "0..1000000"},
      {"[[rule]]\nname = \"late\"\npools = [\"b\"]\n",
       "p.toml:9: rule[2].name: rule \"late\" is never reached: rule \"r\" before it always "
       "matches"},
      {"when = { gang = \">1\" }\n[[rule]]\nname = \"r\"\npools = [\"b\"]\n",
       "p.toml:10: rule[2].name: rule \"r\" is given twice"},
      {"[policy]\nobjective = \"speed\"\n",
       "p.toml:9: policy.objective: found \"speed\", expected cost, energy, latency or balanced"},
      {"weight = 5\n", nullptr},  // the unknown-key message is the reader's own
  };
  for (const Case& each : cases) {
    const auto policy = parse_policy(std::string(head) + each.text, "p.toml");
    ASSERT_FALSE(policy.ok()) << each.text;
    if (each.message != nullptr) {
      EXPECT_EQ(policy.error().message, each.message);
    } else {
      EXPECT_EQ(policy.error().message.rfind("p.toml:8: rule[1].weight: ", 0), 0U)
          << policy.error().message;
    }
  }
}

TEST(Policy, ErrorsInPoolsAndListsAreReported) {
  struct Case {
    const char* text;
    const char* message;
  };
  const Case cases[] = {
      {"", "p.toml:1: pool: found nothing, expected at least one [pool.NAME]"},
      {"[pool.a]\nmatch = { kind = \"fpga\" }\n",
       "p.toml:2: pool.a.match.kind: found \"fpga\", expected gpu or tpu"},
      {"[pool.a]\nmatch = {}\nwarmup = { compile_s = 3, per = \"model\" }\n",
       "p.toml:3: pool.a.warmup.per: \"model\" is not supported by this version, expected "
       "\"model+shape\""},
      {"[pool.a]\nmatch = {}\n", "p.toml:1: rule: found nothing, expected at least one [[rule]]"},
      {"[pool.a]\nmatch = {}\n[[rule]]\nname = \"r\"\npools = [\"a\", \"a\"]\n",
       "p.toml:5: rule[1].pools: pool \"a\" is given twice"},
      {"[pool.a]\nmatch = {}\n[[rule]]\nname = \"r\"\npools = [\"x\"]\n",
       "p.toml:5: rule[1].pools: no such pool \"x\"; known: a"},
  };
  for (const Case& each : cases) {
    const auto policy = parse_policy(each.text, "p.toml");
    ASSERT_FALSE(policy.ok()) << each.text;
    EXPECT_EQ(policy.error().message, each.message);
  }
}

TEST(Policy, RangesContainWhatTheySay) {
  struct Case {
    const char* text;
    double inside;
    double outside;
  };
  const Case cases[] = {{"<=8192", 8192, 8193}, {"<8", 7, 8}, {">1", 2, 1},    {">=4", 4, 3},
                        {"100..200", 200, 201}, {"8", 8, 9},  {" < 0 ", -3, 0}};
  for (const Case& each : cases) {
    const auto range = parse_range(each.text);
    ASSERT_TRUE(range.ok()) << each.text;
    EXPECT_TRUE(range->holds(each.inside)) << each.text;
    EXPECT_FALSE(range->holds(each.outside)) << each.text;
  }
  for (const char* text : {"", "<", "9..1", "a..b", "=5", "<= x"}) {
    EXPECT_FALSE(parse_range(text).ok()) << text;
  }
}

TEST(Policy, PoolsMatchByClassModelLocationAndLabel) {
  Register host;
  host.host = "node-1";
  host.rack = "rack-7";
  host.site = "here";
  host.labels = {{"spot", "true"}, {"tier", "gold"}};
  Group group;
  group.device = "tpu-v5e";
  const auto holds = [&](const PoolMatch& match) {
    return matches(match, host, group, "Google TPU v5e", DeviceClass::tpu);
  };
  PoolMatch match;
  EXPECT_TRUE(holds(match));
  for (const char* model : {"v5e", "V5E", "tpu-v5*", "Google*"}) {
    match.model = model;
    EXPECT_TRUE(holds(match)) << model;
  }
  match.model = "v5p";
  EXPECT_FALSE(holds(match));
  match = {};
  match.device_class = DeviceClass::gpu;
  EXPECT_FALSE(holds(match));
  match = {};
  match.rack = "rack-?";
  match.host = "node*";
  match.labels = {{"spot", "*"}, {"tier", "gold"}};
  EXPECT_TRUE(holds(match));
  match.labels = {{"tier", "silver"}};
  EXPECT_FALSE(holds(match));
  match.labels = {{"absent", "*"}};
  EXPECT_FALSE(holds(match));
  match.labels = {{"absent", ""}};
  EXPECT_TRUE(holds(match));
  match.labels = {{"spot", ""}};
  EXPECT_FALSE(holds(match));
}

}  // namespace
}  // namespace drover::router
