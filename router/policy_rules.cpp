// [[rule]] and [[rule.fallback]].
#include <algorithm>
#include <array>

#include "fleet/identity.h"
#include "fleet/text.h"
#include "router/policy_read.h"
#include "router/policy_values.h"

namespace drover::router {
namespace {

using toml_file::Table;

struct KindWord {
  std::string_view word;
  WorkKind kind;
};
constexpr std::array<KindWord, 5> kind_words = {{
    {"inference", WorkKind::serve},
    {"serve", WorkKind::serve},
    {"training", WorkKind::train},
    {"train", WorkKind::train},
    {"batch", WorkKind::batch},
}};

struct RangeKey {
  std::string_view key;
  Range When::*range;
};
constexpr std::array<RangeKey, 6> range_keys = {{
    {"prompt_tokens", &When::input_tokens},
    {"input_tokens", &When::input_tokens},
    {"output_tokens", &When::output_tokens},
    {"batch", &When::batch},
    {"gang", &When::gang},
    {"priority", &When::priority},
}};

struct PickWord {
  std::string_view word;
  Pick pick;
};
constexpr std::array<PickWord, 3> pick_words = {
    {{"max", Pick::max}, {"p2c", Pick::p2c}, {"weighted", Pick::weighted}}};

void read_kinds(Table table, When& when) {
  for (const std::string& word : table.texts("kind")) {
    const auto* found = std::find_if(kind_words.begin(), kind_words.end(),
                                     [&](const KindWord& row) { return row.word == word; });
    if (found == kind_words.end()) {
      table.complain("kind", fmt::format("found \"{}\", expected inference, training or batch",
                                         printable(word)));
      return;
    }
    when.kinds.push_back(found->kind);
  }
}

void read_when(Table table, When& when) {
  read_kinds(table, when);
  if (table.has("model") && table.has("model_family")) {
    table.complain("model_family", "stands beside `model`, expected one of them");
  }
  when.model = table.text("model", table.text("model_family", "*"));
  when.tenant = table.text("tenant", "*");
  if (table.has("prompt_tokens") && table.has("input_tokens")) {
    table.complain("input_tokens", "stands beside `prompt_tokens`, expected one of them");
  }
  for (const RangeKey& row : range_keys) {
    if (!table.has(row.key)) continue;
    const auto range = parse_range(table.text(row.key));
    if (!range) table.complain(row.key, range.error().message);
    if (range) when.*row.range = *range;
  }
}

void read_require(Table table, Rule& rule) {
  rule.precisions = read_precisions(table, "precision");
  rule.memory_headroom = read_share(table, "mem_headroom", 0);
  if (rule.memory_headroom >= 1) table.complain("mem_headroom", "expected less than 100%");
  rule.interconnects = table.texts("interconnect");
  for (const std::string& word : rule.interconnects) {
    if (word != "nvlink" && word != "ici") {
      table.complain("interconnect",
                     fmt::format("found \"{}\", expected nvlink or ici", printable(word)));
    }
  }
  // A gang always stays within one group, so within one pool.
  if (!table.boolean("same_pool", true)) {
    table.complain("same_pool", "false is not supported by this version");
  }
}

std::vector<std::string> scorer_names() {
  std::vector<std::string> names;
  for (int index = 0; index < scorer_count; ++index) {
    names.emplace_back(to_text(static_cast<Scorer>(index)));
  }
  return names;
}

void read_score(Table rule_table, Table table, Rule& rule) {
  rule.weights = {};
  double sum = 0;
  for (const std::string& name : table.keys()) {
    const auto scorer = parse_scorer(name);
    if (!scorer) {
      table.complain(name, fmt::format("no such scorer{}", suggestion(name, scorer_names())));
      return;
    }
    const double weight = table.number_in(name, 0, 1000);
    rule.weights[static_cast<std::size_t>(*scorer)] += weight;
    sum += weight;
  }
  if (sum <= 0)
    rule_table.complain("score", "all weights are zero, expected at least one above zero");
}

/// What a rule without `score` weighs, by the policy's objective.
std::array<double, scorer_count> objective_weights(const std::string& objective) {
  std::array<double, scorer_count> weights{};
  const auto set = [&](Scorer scorer, double weight) {
    weights[static_cast<std::size_t>(scorer)] = weight;
  };
  // assumed: half the weight on the objective, the rest on what keeps queues short.
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

void read_guard(Table table, Guard& guard) {
  struct Row {
    std::string_view key;
    std::optional<double> Guard::*field;
    Result<double> (*parse)(std::string_view);
  };
  constexpr std::array<Row, 3> rows = {{
      {"est_finish", &Guard::finish_ratio_max, parse_primary_ratio},
      {"extra_cost", &Guard::extra_cost_max, parse_extra_share},
      {"extra_energy", &Guard::extra_energy_max, parse_extra_share},
  }};
  for (const Row& row : rows) {
    if (!table.has(row.key)) continue;
    const auto value = row.parse(table.text(row.key));
    if (!value) table.complain(row.key, value.error().message);
    if (value) guard.*row.field = *value;
  }
}

void read_on(Table table, Fallback& fallback) {
  const std::vector<std::string> words = table.texts("on");
  if (words.empty()) {
    table.complain("on", "found nothing, expected reasons or \"*\"");
    return;
  }
  std::vector<std::string> names;
  for (int index = 0; index < reason_count; ++index) {
    names.emplace_back(to_text(static_cast<Reason>(index)));
  }
  for (const std::string& word : words) {
    if (word == "*" && words.size() == 1) return;
    const auto reason = parse_reason(word);
    if (!reason) {
      table.complain(
          "on", fmt::format("no such reason \"{}\"{}", printable(word), suggestion(word, names)));
      return;
    }
    fallback.on.push_back(*reason);
  }
}

Fallback read_fallback(Table table) {
  Fallback fallback;
  read_on(table, fallback);
  const bool has_action = table.has("action");
  if (has_action == table.has("to")) {
    table.complain(has_action ? "to" : "action", "expected exactly one of `to` and `action`");
  }
  if (has_action) fallback.action = read_action(table, "action", FallbackAction::queue);
  fallback.to = table.text("to", "");
  if (auto change = table.table("change")) {
    const auto precisions = read_precisions(*change, "precision");
    if (precisions.size() == 1) fallback.change_precision = precisions.front();
    if (precisions.size() != 1) change->complain("precision", "expected one precision");
  }
  if (auto guard = table.table("guard")) read_guard(*guard, fallback.guard);
  if (table.has("max_wait_s")) {
    fallback.max_wait = table.duration("max_wait_s");
    if (fallback.action != FallbackAction::queue) {
      table.complain("max_wait_s", "stands without action = \"queue\"");
    }
  }
  refuse_unsupported(table, {"failback"});
  return fallback;
}

void read_slo(Table table, Rule& rule) {
  if (table.has("ttft_ms")) rule.slo_ttft_s = table.number_in("ttft_ms", 1, 1e9) / 1000;
  if (table.has("deadline_s")) rule.slo_deadline_s = table.number_in("deadline_s", 0.001, 1e9);
}

Rule read_rule(Table table, const Policy& policy) {
  Rule rule;
  rule.name = table.text("name");
  if (!is_name(rule.name)) table.complain("name", "expected letters, digits, `.`, `_`, `:`, `-`");
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
  const std::string pick = table.text("pick", "max");
  const auto* word = std::find_if(pick_words.begin(), pick_words.end(),
                                  [&](const PickWord& row) { return row.word == pick; });
  if (word == pick_words.end()) {
    table.complain("pick",
                   fmt::format("found \"{}\", expected max, p2c or weighted", printable(pick)));
  } else {
    rule.pick = word->pick;
  }
  if (auto slo = table.table("slo")) read_slo(*slo, rule);
  for (const Table& fallback : table.tables("fallback")) {
    rule.fallbacks.push_back(read_fallback(fallback));
  }
  refuse_unsupported(table, {"preempt"});
  return rule;
}

}  // namespace

void read_rules(Table file, Policy& policy) {
  for (const Table& table : file.tables("rule")) policy.rules.push_back(read_rule(table, policy));
  if (policy.rules.empty()) file.complain("rule", "found nothing, expected at least one [[rule]]");
}

}  // namespace drover::router
