// [[rule]], with its fallbacks, `spill` and `preempt`; ranges, shares and guards.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "fleet/base/identity.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "router/policy/read.h"

namespace drover::router {
namespace {

using toml_file::Table;

constexpr double grace_max_s = 24 * 3600;

void read_require(Table table, Rule& rule) {
  rule.precisions = read_precisions(table, "precision");
  rule.memory_headroom = read_share(table, "mem_headroom", 0);
  if (rule.memory_headroom >= 1) table.add_problem("mem_headroom", "expected less than 100%");
  if (table.has("rtt_ms")) rule.rtt_max_s = table.number_in("rtt_ms", 0.001, 1e6) / 1000;
  if (table.has("data_within")) rule.data_within = table.duration("data_within");
  rule.interconnects = table.texts("interconnect");
  for (const std::string& word : rule.interconnects) {
    if (word != "nvlink" && word != "ici") {
      table.add_problem("interconnect", "found \"{}\", expected nvlink or ici", printable(word));
    }
  }
  rule.over_hosts = read_word<MultiHost>(table, "over_hosts",
                                         {{"never", MultiHost::never},
                                          {"if_larger", MultiHost::if_larger},
                                          {"if_full", MultiHost::if_full}},
                                         MultiHost::if_larger);
  // All parts of a gang are in one pool.
  if (!table.boolean("same_pool", true)) {
    table.add_problem("same_pool", "false is not supported by this version");
  }
}

void read_score(Table rule_table, Table table, Rule& rule) {
  rule.weights = {};
  double sum = 0;
  bool known = true;
  for (const std::string& name : table.keys()) {
    const auto scorer = parse_scorer(name);
    if (!scorer) {
      table.add_problem(name, "no such scorer{}", suggestion(name, words_of<Scorer>(scorer_count)));
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

// [[rule.fallback]] and `spill`.

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix) return false;
  text = trimmed(text.substr(prefix.size()));
  return true;
}

Error wrong(std::string_view text, std::string_view expected) {
  return error("found \"{}\", expected {}", printable(text), expected);
}

/// The factor of "< primary * 1.5", "<= primary * 2", "< primary".
Result<double> parse_primary_ratio(std::string_view text) {
  std::string_view rest = trimmed(text);
  const auto refused = [&] { return wrong(text, "a guard such as \"< primary * 1.5\""); };
  if (!take_prefix(rest, "<=") && !take_prefix(rest, "<")) return refused();
  if (!take_prefix(rest, "primary")) return refused();
  if (rest.empty()) return 1.0;
  if (!take_prefix(rest, "*")) return refused();
  const auto factor = parse_number(rest, "");
  if (!factor || *factor <= 0) return refused();
  return *factor;
}

/// The share of "<= 40%": how much more than the primary's.
Result<double> parse_extra_share(std::string_view text) {
  std::string_view rest = trimmed(text);
  if (!take_prefix(rest, "<=") && !take_prefix(rest, "<")) {
    return wrong(text, "a guard such as \"<= 40%\"");
  }
  const auto share = parse_share(rest);
  if (!share) return wrong(text, "a guard such as \"<= 40%\"");
  return *share;
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
    if (!value) table.add_problem(row.key, value.error().message);
    if (value) guard.*row.field = *value;
  }
}

void read_on(Table table, Fallback& fallback) {
  const std::vector<std::string> words = table.texts("on");
  if (words.empty()) {
    table.add_problem("on", "found nothing, expected reasons or \"*\"");
    return;
  }
  for (const std::string& word : words) {
    if (word == "*" && words.size() == 1) return;
    const auto reason = parse_reason(word);
    if (!reason) {
      table.add_problem("on", "no such reason \"{}\"{}", printable(word),
                        suggestion(word, words_of<Reason>(reason_count)));
      return;
    }
    fallback.on.push_back(*reason);
  }
}

Failback read_failback(Table table) {
  Failback failback;
  failback.after = table.duration("after_s");
  failback.probe = static_cast<std::uint32_t>(table.integer_in("probe", 0, 1'000'000, 1));
  failback.floor = table.text("floor", "");
  return failback;
}

Fallback read_fallback(Table table) {
  Fallback fallback;
  read_on(table, fallback);
  const bool has_action = table.has("action");
  if (has_action == table.has("to")) {
    table.add_problem(has_action ? "to" : "action", "expected exactly one of `to` and `action`");
  }
  if (has_action) fallback.action = read_action(table, "action", FallbackAction::queue);
  fallback.to = table.text("to", "");
  if (auto change = table.table("change")) {
    const auto precisions = read_precisions(*change, "precision");
    if (precisions.size() == 1) fallback.change_precision = precisions.front();
    if (precisions.size() != 1) change->add_problem("precision", "expected one precision");
  }
  if (auto guard = table.table("guard")) read_guard(*guard, fallback.guard);
  if (table.has("max_wait_s")) {
    fallback.max_wait = table.duration("max_wait_s");
    if (fallback.action != FallbackAction::queue) {
      table.add_problem("max_wait_s", "has no effect without action = \"queue\"");
    }
  }
  if (auto failback = table.table("failback")) fallback.failback = read_failback(*failback);
  return fallback;
}

Spill read_spill(Table table) {
  Spill spill;
  spill.margin = read_share(table, "margin", spill.margin);
  spill.back = read_share(table, "back", spill.back);
  spill.wait_usd_per_h = table.number_in("wait_usd_per_h", 0, 1e9, 0.0);
  spill.wait_w = table.number_in("wait_w", 0, 1e9, 0.0);
  return spill;
}

/// Which running work may be preempted for the rule's jobs.
Preempt read_preempt(Table table) {
  Preempt preempt;
  for (const std::string& word : table.texts("may")) {
    const auto kind = parse_kind_word(word);
    if (!kind) {
      preempt.classes.push_back(word);
    } else if (*kind == WorkKind::train) {
      preempt.trainings = true;
    } else {
      table.add_problem("may",
                        "found \"{}\": only training can be preempted, expected "
                        "training or names of classes",
                        printable(word));
    }
  }
  if (!preempt.trainings && preempt.classes.empty()) {
    table.add_problem("may", "found nothing, expected training or names of classes");
  }
  const std::string mode = table.text("mode", "requeue");
  if (mode != "requeue") {
    table.add_problem("mode", "found \"{}\", expected requeue", printable(mode));
  }
  if (table.has("grace_s")) {
    preempt.grace = from_seconds(table.number_in("grace_s", 0, grace_max_s));
  }
  return preempt;
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
    std::ranges::stable_sort(pools, [](const Pool* a, const Pool* b) { return a->tier < b->tier; });
    for (const Pool* pool : pools) rule.pools.push_back(pool->name);
  }
  rule.weights = objective_weights(policy.objective);
  if (auto score = table.table("score")) read_score(table, *score, rule);
  rule.pick = read_word<Pick>(
      table, "pick", {{"max", Pick::max}, {"p2c", Pick::p2c}, {"weighted", Pick::weighted}},
      Pick::max);
  if (auto slo = table.table("slo")) {
    if (slo->has("ttft_ms")) rule.slo_ttft_s = slo->number_in("ttft_ms", 1, 1e9) / 1000;
    if (slo->has("deadline_s")) rule.slo_deadline_s = slo->number_in("deadline_s", 0.001, 1e9);
  }
  if (auto spill = table.table("spill")) rule.spill = read_spill(*spill);
  for (const Table& fallback : table.tables("fallback")) {
    rule.fallbacks.push_back(read_fallback(fallback));
  }
  if (auto preempt = table.table("preempt")) rule.preempt = read_preempt(*preempt);
  return rule;
}

constexpr std::string_view range_forms =
    "a range such as \"<=8192\", \">1\", \"100..200\" or a number";

}  // namespace

void read_rules(Table file, Policy& policy) {
  for (const Table& table : file.tables("rule")) policy.rules.push_back(read_rule(table, policy));
  if (policy.rules.empty())
    file.add_problem("rule", "found nothing, expected at least one [[rule]]");
}

Result<Range> parse_range(std::string_view text) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::string_view rest = trimmed(text);
  Range range;
  if (const auto dots = rest.find(".."); dots != std::string_view::npos) {
    const auto low = parse_number(trimmed(rest.substr(0, dots)), "");
    const auto high = parse_number(trimmed(rest.substr(dots + 2)), "");
    if (!low || !high) return wrong(text, range_forms);
    if (*low > *high) return wrong(text, "the lower end first");
    return Range{*low, *high};
  }
  const bool at_most = take_prefix(rest, "<=");
  const bool at_least = !at_most && take_prefix(rest, ">=");
  const bool below = !at_most && !at_least && take_prefix(rest, "<");
  const bool above = !at_most && !at_least && !below && take_prefix(rest, ">");
  const auto number = parse_number(rest, "");
  if (!number) return wrong(text, range_forms);
  if (at_most || below) range.high = below ? std::nextafter(*number, -infinity) : *number;
  if (at_least || above) range.low = above ? std::nextafter(*number, infinity) : *number;
  if (!at_most && !at_least && !below && !above) range = Range{*number, *number};
  // An open range includes negative values: priorities may be negative.
  if (at_most || below) range.low = -1e300;
  return range;
}

Result<double> parse_share(std::string_view text) {
  std::string_view rest = trimmed(text);
  const bool percent = !rest.empty() && rest.back() == '%';
  if (percent) rest = trimmed(rest.substr(0, rest.size() - 1));
  const auto number = parse_number(rest, "");
  if (!number || *number < 0) return wrong(text, "a share such as \"10%\" or 0.1");
  return percent ? *number / 100 : *number;
}

}  // namespace drover::router
