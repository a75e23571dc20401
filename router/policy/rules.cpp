// [[rule]] and [[rule.fallback]].
#include <algorithm>
#include <array>

#include "fleet/base/identity.h"
#include "fleet/base/text.h"
#include "router/policy/read.h"
#include "router/policy/values.h"

namespace drover::router {
namespace {

using toml_file::Table;

struct PickWord {
  std::string_view word;
  Pick pick;
};
constexpr std::array<PickWord, 3> pick_words = {
    {{"max", Pick::max}, {"p2c", Pick::p2c}, {"weighted", Pick::weighted}}};

struct OverHostsWord {
  std::string_view word;
  MultiHost over_hosts;
};
constexpr std::array<OverHostsWord, 3> over_hosts_words = {{{"never", MultiHost::never},
                                                            {"if_larger", MultiHost::if_larger},
                                                            {"if_full", MultiHost::if_full}}};

/// The row of this word; records an error and returns null if there is none.
template <typename Row, std::size_t count>
const Row* read_word(Table& table, const std::string& key, const std::array<Row, count>& words,
                     std::string_view usual, std::string_view expected) {
  const std::string text = table.text(key, std::string(usual));
  const auto* row =
      std::find_if(words.begin(), words.end(), [&](const Row& each) { return each.word == text; });
  if (row != words.end()) return row;
  table.add_problem(key, fmt::format("found \"{}\", expected {}", printable(text), expected));
  return nullptr;
}

void read_require(Table table, Rule& rule) {
  rule.precisions = read_precisions(table, "precision");
  rule.memory_headroom = read_share(table, "mem_headroom", 0);
  if (rule.memory_headroom >= 1) table.add_problem("mem_headroom", "expected less than 100%");
  if (table.has("rtt_ms")) rule.rtt_max_s = table.number_in("rtt_ms", 0.001, 1e6) / 1000;
  if (table.has("data_within")) rule.data_within = table.duration("data_within");
  rule.interconnects = table.texts("interconnect");
  for (const std::string& word : rule.interconnects) {
    if (word != "nvlink" && word != "ici") {
      table.add_problem("interconnect",
                        fmt::format("found \"{}\", expected nvlink or ici", printable(word)));
    }
  }
  const auto* over_hosts =
      read_word(table, "over_hosts", over_hosts_words, "if_larger", "never, if_larger or if_full");
  if (over_hosts != nullptr) rule.over_hosts = over_hosts->over_hosts;
  // All parts of a gang are in one pool.
  if (!table.boolean("same_pool", true)) {
    table.add_problem("same_pool", "false is not supported by this version");
  }
}

std::vector<std::string> known_scorers() {
  std::vector<std::string> names;
  for (int index = 0; index < scorer_count; ++index) {
    names.emplace_back(to_text(static_cast<Scorer>(index)));
  }
  return names;
}

void read_score(Table rule_table, Table table, Rule& rule) {
  rule.weights = {};
  double sum = 0;
  bool known = true;
  for (const std::string& name : table.keys()) {
    const auto scorer = parse_scorer(name);
    if (!scorer) {
      table.add_problem(name, fmt::format("no such scorer{}", suggestion(name, known_scorers())));
      known = false;
      continue;
    }
    const double weight = table.number_in(name, 0, 1000);
    rule.weights[static_cast<std::size_t>(*scorer)] += weight;
    sum += weight;
  }
  if (sum <= 0 && known)
    rule_table.add_problem("score", "all weights are zero, expected at least one above zero");
}

/// Weights of a rule without `score`, by the policy's objective.
std::array<double, scorer_count> objective_weights(const std::string& objective) {
  std::array<double, scorer_count> weights{};
  const auto set = [&](Scorer scorer, double weight) {
    weights[static_cast<std::size_t>(scorer)] = weight;
  };
  // assumed: half the weight on the objective, the rest on short queues.
  set(Scorer::queue, 0.25);
  set(Scorer::finish_time, 0.25);
  if (objective == "cost") set(Scorer::cost, 0.5);
  if (objective == "energy") set(Scorer::energy, 0.5);
  if (objective == "latency") set(Scorer::latency, 0.5);
  if (objective == "balanced") {
    set(Scorer::cost, 0.2);
    set(Scorer::energy, 0.1);
    set(Scorer::latency, 0.2);
  }
  return weights;
}

void read_slo(Table table, Rule& rule) {
  if (table.has("ttft_ms")) rule.slo_ttft_s = table.number_in("ttft_ms", 1, 1e9) / 1000;
  if (table.has("deadline_s")) rule.slo_deadline_s = table.number_in("deadline_s", 0.001, 1e9);
}

Rule read_rule(Table table, const Policy& policy) {
  Rule rule;
  rule.name = table.text("name");
  if (!is_name(rule.name))
    table.add_problem("name", "expected letters, digits, `.`, `_`, `:`, `-`");
  if (auto when = table.table("when")) read_when(*when, rule.when);
  if (auto require = table.table("require")) read_require(*require, rule);
  rule.pools = table.texts("pools");
  if (rule.pools.empty()) {
    // Without a list: all pools, lowest tier first, in the file's order within a tier.
    std::vector<const Pool*> pools;
    for (const Pool& pool : policy.pools) pools.push_back(&pool);
    std::stable_sort(pools.begin(), pools.end(),
                     [](const Pool* a, const Pool* b) { return a->tier < b->tier; });
    for (const Pool* pool : pools) rule.pools.push_back(pool->name);
  }
  rule.weights = objective_weights(policy.objective);
  if (auto score = table.table("score")) read_score(table, *score, rule);
  const auto* pick = read_word(table, "pick", pick_words, "max", "max, p2c or weighted");
  if (pick != nullptr) rule.pick = pick->pick;
  if (auto slo = table.table("slo")) read_slo(*slo, rule);
  if (auto spill = table.table("spill")) rule.spill = read_spill(*spill);
  for (const Table& fallback : table.tables("fallback")) {
    rule.fallbacks.push_back(read_fallback(fallback));
  }
  if (auto preempt = table.table("preempt")) rule.preempt = read_preempt(*preempt);
  return rule;
}

}  // namespace

void read_rules(Table file, Policy& policy) {
  for (const Table& table : file.tables("rule")) policy.rules.push_back(read_rule(table, policy));
  if (policy.rules.empty())
    file.add_problem("rule", "found nothing, expected at least one [[rule]]");
}

}  // namespace drover::router
