#include "router/lint/policy_file.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace drover::router {
namespace {

std::string shown(const std::vector<Finding>& all) {
  std::string text;
  for (const Finding& each : all) {
    text += fmt::format("{}: {}: {}\n", each.place, each.error ? "error" : "warning", each.text);
  }
  return text;
}

std::string examined(const std::string& text) { return shown(findings(text, "p.toml")); }

/// Two pools, lines 1 to 4.
const std::string pools =
    "[pool.a]\n"
    "match = { kind = \"gpu\" }\n"
    "[pool.b]\n"
    "match = { kind = \"tpu\" }\n";
const std::string lone_pool = pools.substr(0, pools.find("[pool.b]"));
/// A rule for all other jobs, with nothing left open.
const std::string rest =
    "[[rule]]\n"
    "name = \"rest\"\n"
    "pools = [\"a\", \"b\"]\n"
    "  [[rule.fallback]]\n"
    "  on = \"*\"\n"
    "  action = \"queue\"\n";
/// The beginning of a rule with one pool, three lines.
const std::string rule =
    "[[rule]]\n"
    "name = \"r\"\n"
    "pools = [\"a\"]\n";
const std::string otherwise_queue =
    "[[rule.fallback]]\n"
    "on = \"*\"\n"
    "action = \"queue\"\n";

struct FindingCase {
  std::string with;     // the text that has the finding
  std::string finding;  // and no other
  std::string without;  // the smallest change, and nothing is found
};

void expect_found(const std::vector<FindingCase>& cases) {
  for (const FindingCase& each : cases) {
    EXPECT_EQ(examined(each.with), each.finding + "\n") << each.with;
    EXPECT_EQ(examined(each.without), "") << each.without;
    const bool error = each.finding.find(": error: ") != std::string::npos;
    EXPECT_EQ(parse_policy(each.with, "p.toml").ok(), !error) << each.with;
  }
}

TEST(PolicyFindings, ReportAllErrorsOfAllSectionsAtOnceButNoFollowUpErrors) {
  EXPECT_EQ(examined("[policy]\n"
                     "objectiv = \"cost\"\n"
                     "[pool.a]\n"
                     "match = { kind = \"gpus\" }\n"
                     "[pool.b]\n"
                     "match = { kind = 3 }\n"
                     "[capability.c]\n"
                     "max_context = -1\n"
                     "[class.chat]\n"
                     "metric = \"tokens\"\n"
                     "target = 3\n"
                     "[[rule]]\n"
                     "name = \"r\"\n"
                     "when = { kind = \"inferenc\" }\n"
                     "pools = [\"a\", \"x\"]\n"
                     "score = { cots = 1 }\n"
                     "  [[rule.fallback]]\n"
                     "  on = \"capacty\"\n"
                     "  to = \"y\"\n"
                     "[[rule]]\n"
                     "name = \"s\"\n"
                     "[limits]\n"
                     "queue_max = 0\n"
                     "[[alert]]\n"
                     "name = \"hot\"\n"
                     "severity = \"loud\"\n"),
            "p.toml:2: error: policy.objectiv: unknown key; did you mean objective?\n"
            "p.toml:4: error: pool.a.match.kind: found \"gpus\", expected gpu or tpu\n"
            "p.toml:6: error: pool.b.match.kind: found 3, expected a string\n"
            "p.toml:7: error: capability.c: no such pool; known: a, b\n"
            "p.toml:8: error: capability.c.max_context: found -1, expected a whole number "
            "0..1000000000\n"
            "p.toml:10: error: class.chat.metric: no such metric \"tokens\"; known: training_time, "
            "ttft, tpot, usd_per_mtoken, usd_per_kstep, j_per_token, j_per_step\n"
            "p.toml:14: error: rule[1].when.kind: found \"inferenc\", expected inference, training "
            "or batch\n"
            "p.toml:15: error: rule[1].pools: no such pool \"x\"; known: a, b\n"
            "p.toml:16: error: rule[1].score.cots: no such scorer; did you mean cost?\n"
            "p.toml:18: error: rule[1].fallback[1].on: no such reason \"capacty\"; did you mean "
            "capacity?\n"
            "p.toml:19: error: rule[1].fallback[1].to: no such pool \"y\"; known: a, b\n"
            "p.toml:23: error: limits.queue_max: found 0, expected a whole number 1..10000000\n"
            "p.toml:26: error: alert[1].severity: found \"loud\", expected info, warning or "
            "critical\n");
}

TEST(PolicyFindings, AProblemHidesOnlyWhatDependsOnIt) {
  const std::string text =
      "[pool.a]\n"
      "match = { kind = \"gpu\" }\n"
      "[pool.b]\n"
      "match = { kind = \"tpu\" }\n"
      "[class.steps]\n"
      "metric = \"ttft\"\n"
      "target = 3\n"
      "when = { kind = \"training\" }\n"
      "[[rule]]\n"
      "name = \"all\"\n"
      "pools = [\"a\"]\n"
      "  [[rule.fallback]]\n"
      "  on = \"*\"\n"
      "  action = \"queue\"\n"
      "[[rule]]\n"
      "name = \"late\"\n"
      "pools = [\"a\"]\n"
      "[replicas]\n"
      "starting_max = 0\n";
  const std::string lint =
      "p.toml:3: warning: pool.b: is in no rule and no fallback: nothing ever runs there\n"
      "p.toml:6: error: class.steps.metric: training has no ttft: it generates no tokens\n"
      "p.toml:16: error: rule[2].name: rule \"late\" is never reached: rule \"all\" before it "
      "always matches\n";
  const std::string own =
      "p.toml:19: error: replicas.starting_max: found 0, expected a whole number 1..10000\n";
  EXPECT_EQ(examined(text), lint + own);
  std::string broken = text;
  broken.replace(broken.find("\"gpu\""), 5, "\"gpx\"");
  EXPECT_EQ(examined(broken),
            "p.toml:2: error: pool.a.match.kind: found \"gpx\", expected gpu or tpu\n" + lint + own)
      << "what rules and classes say does not depend on it";
  broken = text;
  broken.replace(broken.find("pools"), 5, "polls");
  EXPECT_EQ(examined(broken),
            lint.substr(lint.find("p.toml:6"), lint.find("p.toml:16") - lint.find("p.toml:6")) +
                "p.toml:11: error: rule[1].polls: unknown key; did you mean pools?\n" + own)
      << "which jobs the rule takes, and where to, is not known";
}

TEST(PolicyFindings, WarningsWithTheSameTextAreShownOnce) {
  const auto warning = [](int line, const std::string& key, const std::string& text) {
    return Finding{false, fmt::format("p.toml:{}", line), key + ": " + text};
  };
  const std::vector<Finding> all = {
      warning(3, "rule[1].fallback[1].on", "x cannot occur here: why"),
      {true, "p.toml:4", "pool.a: broken"},
      warning(5, "rule[1].name", "other"),
      warning(9, "rule[2].fallback[1].on", "x cannot occur here: why"),
      {true, "p.toml:10", "pool.b: broken"}};
  EXPECT_EQ(shown(grouped(all)),
            "p.toml:3: warning: rule[1].fallback[1].on: x cannot occur here: why (also in line 9)\n"
            "p.toml:4: error: pool.a: broken\n"
            "p.toml:5: warning: rule[1].name: other\n"
            "p.toml:10: error: pool.b: broken\n");
  std::vector<Finding> many;
  for (int line = 1; line <= 8; ++line) many.push_back(warning(line, "rule[1].on", "same"));
  EXPECT_EQ(shown(grouped(many)),
            "p.toml:1: warning: rule[1].on: same (also in lines 2, 3, 4, 5, 6 and 2 more)\n");
}

TEST(PolicyFindings, ReportThatNotEveryCaseOfManyRulesIsTried) {
  const auto ruled = [](int rules) {
    std::string text = pools;
    for (int at = 0; at < rules; ++at) {
      text += fmt::format(
          "[[rule]]\nname = \"r{0}\"\nwhen = {{ prompt_tokens = \"{0}..{1}\", "
          "output_tokens = \"{2}..{3}\" }}\npools = [\"a\", \"b\"]\n",
          10 * at, 10 * at + 5, at % 9, at % 9 + 4);
    }
    return text + rest;
  };
  const char* said = "to check every case";
  EXPECT_EQ(examined(ruled(100)).find(said), std::string::npos);
  EXPECT_NE(examined(ruled(200)).find("too many rules (201) and classes (0) to check every case"),
            std::string::npos);
  EXPECT_TRUE(parse_policy(ruled(200), "p.toml"));
}

TEST(PolicyFindings, CoverRules) {
  const auto ruled = [](const std::string& when) {
    return pools + rule + "when = { " + when + " }\n" + otherwise_queue + rest;
  };
  const auto twice = [](const std::string& first, const std::string& second) {
    return pools + rule + "when = { " + first + " }\n" + otherwise_queue +
           "[[rule]]\nname = \"s\"\npools = [\"b\"]\nwhen = { " + second + " }\n" +
           otherwise_queue + rest;
  };
  expect_found({
      {ruled("gang = \"0.2..0.8\""),
       "p.toml:8: error: rule[1].when.gang: never matches: found \"0.2..0.8\", which no job has",
       ruled("gang = \"0.2..1.8\"")},
      {ruled("priority = \">200\""),
       "p.toml:8: error: rule[1].when.priority: never matches: found \">200\", which no job has",
       ruled("priority = \">100\"")},
      {twice("kind = \"inference\"", "kind = \"inference\", model = \"llama*\""),
       "p.toml:13: error: rule[2].name: rule \"s\" is never reached: rule \"r\" before it matches "
       "all of its jobs",
       twice("kind = \"inference\", model = \"llama*\"", "kind = \"inference\"")},
      {twice("model = \"llama*\"", "model = \"llama-*70b\", prompt_tokens = \">8\""),
       "p.toml:13: error: rule[2].name: rule \"s\" is never reached: rule \"r\" before it matches "
       "all of its jobs",
       twice("model = \"llama-*70b\", prompt_tokens = \">8\"", "model = \"llama*\"")},
      {pools + rule + "when = { gang = \"<=4\" }\n" + otherwise_queue +
           "[[rule]]\nname = \"s\"\npools = [\"b\"]\nwhen = { gang = \">4\" }\n" + otherwise_queue +
           rest,
       "p.toml:20: error: rule[3].name: rule \"rest\" is never reached: the rules before it match "
       "all of its jobs",
       pools + rule + "when = { gang = \"<=4\" }\n" + otherwise_queue +
           "[[rule]]\nname = \"s\"\npools = [\"b\"]\nwhen = { gang = \">5\" }\n" + otherwise_queue +
           rest},
      {"[class.chat]\n" + ruled("class = \"chta\""),
       "p.toml:9: warning: rule[1].when.class: there is no [class.chta]: only jobs that name it "
       "are "
       "in it; did you mean chat?",
       "[class.chat]\n" + ruled("class = \"chat\"")},
      {lone_pool + rule + "spill = { margin = \"10%\" }\n" + otherwise_queue,
       "p.toml:6: warning: rule[1].spill: has no effect: the rule has only one pool",
       pools + "[[rule]]\nname = \"r\"\nspill = { margin = \"10%\" }\n" + otherwise_queue},
      {pools + "[[rule]]\nname = \"r\"\nspill = { margin = \"0\", back = \"0\" }\n" +
           otherwise_queue,
       "p.toml:7: warning: rule[1].spill.margin: without margin and back, jobs oscillate between "
       "pools of the same cost",
       pools + "[[rule]]\nname = \"r\"\nspill = { margin = \"0\", back = \"0.1\" }\n" +
           otherwise_queue},
  });
}

TEST(PolicyFindings, CoverPreemption) {
  const auto preempting = [](const std::string& when, const std::string& may) {
    return "[class.low]\nwhen = { kind = \"training\", priority = \"0..5\" }\n" + pools + rule +
           "when = { " + when + " }\npreempt = { may = [\"" + may + "\"] }\n" + otherwise_queue +
           rest;
  };
  expect_found({
      {preempting("kind = \"training\", priority = \">5\"", "lwo"),
       "p.toml:11: error: rule[1].preempt.may: no [class.lwo]; did you mean low?",
       preempting("kind = \"training\", priority = \">5\"", "low")},
      {preempting("kind = \"training\", priority = \"<=0\"", "low"),
       "p.toml:11: warning: rule[1].preempt.may: has no effect: nothing in it has a lower "
       "priority than the rule's jobs",
       preempting("kind = \"training\", priority = \"<=0\"", "training")},
      {preempting("kind = \"inference\"", "low"),
       "p.toml:11: warning: rule[1].preempt: only training preempts others, and the rule matches "
       "no training",
       preempting("kind = \"training\"", "low")},
  });
}

TEST(PolicyFindings, CoverFallbacks) {
  const auto one = [](const std::string& fallback) {
    return pools + rule + "[[rule.fallback]]\n" + fallback + otherwise_queue;
  };
  const auto lone = [](const std::string& fallback) {
    return lone_pool + rule + "[[rule.fallback]]\n" + fallback + otherwise_queue;
  };
  const auto able = [&](const std::string& precisions, const std::string& fallback) {
    return one(fallback) + "[capability.b]\nprecisions = [" + precisions + "]\n";
  };
  const auto priced = [&](const std::string& price, const std::string& fallback) {
    return "[pool.a]\nmatch = { kind = \"gpu\" }\nprice_per_hour = 2\n[pool.b]\nmatch = { kind = "
           "\"tpu\" }\nprice_per_hour = " +
           price + "\n" + rule + "[[rule.fallback]]\n" + fallback + otherwise_queue;
  };
  expect_found({
      {one("on = \"capacity\"\nto = \"b\"\n[[rule.fallback]]\non = \"capacity\"\nto = \"b\"\n"),
       "p.toml:13: error: rule[1].fallback[2].to: has no effect: fallback 1 of the rule has "
       "already tried the same pool for the same reasons",
       one("on = \"capacity\"\nto = \"b\"\n[[rule.fallback]]\non = \"thermal\"\nto = \"b\"\n")},
      {one("on = \"*\"\nto = \"b\"\n[[rule.fallback]]\non = \"capacity\"\nto = \"b\"\nguard = { "
           "est_finish = \"< primary\" }\n"),
       "p.toml:13: error: rule[1].fallback[2].to: has no effect: fallback 1 of the rule has "
       "already tried the same pool for the same reasons",
       one("on = \"*\"\nto = \"b\"\nguard = { est_finish = \"< primary\" }\n[[rule.fallback]]\non "
           "= "
           "\"capacity\"\nto = \"b\"\n")},
      {one("on = [\"capacity\", \"drain\"]\naction = \"reject\"\n[[rule.fallback]]\non = "
           "\"drain\"\nto = \"b\"\n"),
       "p.toml:12: error: rule[1].fallback[2].on: never reached: the fallbacks up to 1 cover each "
       "of its reasons",
       one("on = [\"capacity\", \"drain\"]\naction = \"reject\"\n[[rule.fallback]]\non = "
           "[\"drain\", \"thermal\"]\nto = \"b\"\n")},
      {lone("on = \"capacity\"\naction = \"queue\"\nguard = { extra_cost = \"<= 40%\" }\n"),
       "p.toml:9: error: rule[1].fallback[1].guard: has no effect without `to`",
       one("on = \"capacity\"\nto = \"b\"\nguard = { extra_cost = \"<= 40%\" }\n")},
      {lone("on = \"capacity\"\naction = \"queue\"\nmax_wait_s = 0\n"),
       "p.toml:9: warning: rule[1].fallback[1].max_wait_s: 0 means no limit, as without the key",
       lone("on = \"capacity\"\naction = \"queue\"\nmax_wait_s = 1\n")},
      {one("on = \"queue_slo\"\nto = \"b\"\n"),
       "p.toml:9: warning: rule[1].fallback[1].on: queue_slo cannot occur here: it applies only to "
       "requests of a rule with slo.ttft_ms",
       pools + rule + "slo = { ttft_ms = 5 }\n[[rule.fallback]]\non = \"queue_slo\"\nto = \"b\"\n" +
           otherwise_queue},
      {one("on = \"budget\"\nto = \"b\"\n"),
       "p.toml:9: warning: rule[1].fallback[1].on: budget cannot occur here: [limits] has no "
       "budget_usd_per_h, and no pool of the rule a max_share",
       one("on = \"budget\"\nto = \"b\"\n") + "[limits]\nbudget_usd_per_h = 5\n"},
      {one("on = \"tenancy\"\nto = \"b\"\n"),
       "p.toml:9: warning: rule[1].fallback[1].on: tenancy cannot occur here: no tenant of "
       "[limits] has borrow = false",
       one("on = \"tenancy\"\nto = \"b\"\n") +
           "[limits]\nper_tenant = { t = { borrow = false } }\n"},
      {one("on = \"policy\"\nto = \"b\"\n"),
       "p.toml:9: warning: rule[1].fallback[1].on: policy cannot occur here: it applies only to "
       "jobs that no rule matches",
       "[pool.b]\nmatch = { kind = \"tpu\" }\n[pool.a]\nmatch = { kind = \"gpu\" }\nmax_share = "
       "0.5\n" +
           rule + "[[rule.fallback]]\non = \"budget\"\nto = \"b\"\n" + otherwise_queue},
      {one("on = \"cancelled\"\nto = \"b\"\n"),
       "p.toml:9: warning: rule[1].fallback[1].on: cancelled cannot occur here: it is a reason why "
       "jobs end, never why a pool rejects them",
       one("on = \"drain\"\nto = \"b\"\n")},
      {able("\"bf16\"", "on = \"capacity\"\nto = \"b\"\nchange = { precision = \"int8\" }\n"),
       "p.toml:10: error: rule[1].fallback[1].to: has no effect: pool \"b\" accepts no job of the "
       "rule as int8 (precision)",
       able("\"bf16\", \"int8\"",
            "on = \"capacity\"\nto = \"b\"\nchange = { precision = \"int8\" "
            "}\n")},
      {pools + rule +
           "require = { precision = \"int8\" }\n[[rule.fallback]]\non = \"capacity\"\n"
           "to = \"b\"\nchange = { precision = \"int8\" }\n" +
           otherwise_queue,
       "p.toml:12: warning: rule[1].fallback[1].change: has no effect: the rule already "
       "accepts int8",
       pools + rule +
           "require = { precision = \"bf16\" }\n[[rule.fallback]]\non = \"capacity\"\n"
           "to = \"b\"\nchange = { precision = \"int8\" }\n" +
           otherwise_queue},
      {priced("3", "on = \"capacity\"\nto = \"b\"\nguard = { extra_cost = \"<= 0%\" }\n"),
       "p.toml:13: warning: rule[1].fallback[1].guard.extra_cost: rarely passes: pool \"b\" "
       "costs at least 3 $/h, the rule's own pools at most 2",
       priced("2", "on = \"capacity\"\nto = \"b\"\nguard = { extra_cost = \"<= 0%\" }\n")},
      {one("on = [\"memory\", \"topology\"]\nto = \"b\"\nfailback = { after_s = 60 }\n"),
       "p.toml:11: warning: rule[1].fallback[1].failback.after_s: never used: every reason in "
       "`on` is permanent and applies to a single job only",
       one("on = [\"memory\", \"drain\"]\nto = \"b\"\nfailback = { after_s = 60 }\n")},
      {one("on = \"capacity\"\nto = \"b\"\nfailback = { after_s = 60, floor = \"c\" }\n"),
       "p.toml:11: error: rule[1].fallback[1].failback.floor: no such pool \"c\"; known: a, b",
       one("on = \"capacity\"\nto = \"b\"\nfailback = { after_s = 60, floor = \"b\" }\n")},
      {pools + "tier = 2\n" + rule +
           "[[rule.fallback]]\non = \"capacity\"\nto = \"b\"\nfailback = "
           "{ after_s = 60, floor = \"a\" }\n" +
           otherwise_queue,
       "p.toml:12: warning: rule[1].fallback[1].failback.floor: pool \"b\" (tier 2) is below the "
       "floor \"a\" (tier 0): after the first job placed there, jobs wait",
       pools + "tier = 2\n" + rule +
           "[[rule.fallback]]\non = \"capacity\"\nto = \"b\"\nfailback = "
           "{ after_s = 60, floor = \"b\" }\n" +
           otherwise_queue},
  });
}

TEST(PolicyFindings, CoverClasses) {
  const auto classed = [](const std::string& lines) { return pools + rest + lines; };
  expect_found({
      {classed("[class.t]\nwhen = { kind = \"training\" }\nmetric = \"ttft\"\n"),
       "p.toml:13: error: class.t.metric: training has no ttft: it generates no tokens",
       classed("[class.t]\nwhen = { kind = \"training\" }\nmetric = \"training_time\"\n")},
      {classed("[class.t]\nwhen = { kind = \"training\" }\nmetric = \"j_per_token\"\n"),
       "p.toml:13: error: class.t.metric: training is counted in steps, expected j_per_step",
       classed("[class.t]\nwhen = { kind = \"training\" }\nmetric = \"j_per_step\"\n")},
      {classed("[class.c]\nwhen = { kind = \"inference\" }\nmetric = \"training_time\"\n"),
       "p.toml:13: error: class.c.metric: only training has a training_time",
       classed("[class.c]\nwhen = { kind = \"inference\" }\nmetric = \"tpot\"\n")},
      {classed("[class.c]\nwhen = { kind = \"inference\" }\nmetric = \"usd_per_kstep\"\n"),
       "p.toml:13: error: class.c.metric: only training is counted in steps, expected "
       "usd_per_mtoken",
       classed("[class.c]\nwhen = { kind = \"inference\" }\nmetric = \"usd_per_mtoken\"\n")},
      {classed("[class.c]\nwhen = { model = \"l*\" }\n[class.d]\nwhen = { model = \"llama*\" }\n"),
       "p.toml:14: warning: class.d.when: only jobs that name this class belong to it: earlier "
       "classes match all other jobs",
       classed("[class.c]\nwhen = { model = \"llama*\" }\n[class.d]\nwhen = { model = \"l*\" }\n")},
      {classed("[class.c]\nwhen = { class = \"d\" }\n[class.d]\n"),
       "p.toml:12: error: class.c.when.class: never matches: `class` is not known yet while the "
       "class is being determined",
       classed("[class.c]\nwhen = { class = \"c\" }\n[class.d]\n")},
      {classed("[class.c]\nwhen = { prompt_tokens = \"<=4096\" }\nmix = [{ input = 8192 }]\n"),
       "p.toml:13: warning: class.c.mix[1].input: the `when` of the class holds for prompt_tokens "
       "from 0 to 4096, not for 8192",
       classed("[class.c]\nwhen = { prompt_tokens = \"<=8192\" }\nmix = [{ input = 8192 }]\n")},
  });
}

TEST(PolicyFindings, CoverPools) {
  const std::string a_rule = "[[rule]]\nname = \"r\"\n" + otherwise_queue;
  const auto pooled = [&](const std::string& lines) { return lines + a_rule; };
  expect_found({
      {pools + "[pool.c]\nmatch = { kind = \"gpu\" }\n" + rest,
       "p.toml:5: warning: pool.c: is in no rule and no fallback: nothing ever runs there",
       pools + rest},
      {pooled("[pool.a]\nmatch = { kind = \"tpu\", model = \"h100*\" }\n"),
       "p.toml:2: warning: pool.a.match: no device of the catalogue is in this pool",
       pooled("[pool.a]\nmatch = { kind = \"gpu\", model = \"h100*\" }\n")},
      {pooled(
           "[pool.a]\nmatch = { kind = \"gpu\" }\n[pool.b]\nmatch = { kind = \"gpu\", rest = true "
           "}\n"),
       "p.toml:4: warning: pool.b.match: the other pools leave no device of the catalogue that "
       "this one matches",
       pooled("[pool.a]\nmatch = { kind = \"gpu\", rack = \"r1\" }\n[pool.b]\nmatch = { kind = "
              "\"gpu\", rest = true }\nprice_per_hour = 3\n")},
      {pooled("[pool.a]\nmatch = {}\nprice_per_hour = { spot = 1 }\n"),
       "p.toml:3: warning: pool.a.price_per_hour: a spot price without reclaim_per_hour: work "
       "counts as never reclaimed",
       pooled("[pool.a]\nmatch = {}\nprice_per_hour = { spot = 1 }\nreclaim_per_hour = 0.1\n")},
      {pooled("[pool.a]\nmatch = {}\nmax_share = 0.5\n"),
       "p.toml:3: warning: pool.a.max_share: the max_share of all pools adds up to 0.5 of the "
       "running jobs: the fleet never runs more than a few jobs at once",
       pooled("[pool.a]\nmatch = {}\nmax_share = 1\n")},
      {pooled("[pool.a]\nmatch = { model = \"h100-sxm\" }\nprice_per_hour = 2\n[pool.b]\nmatch = { "
              "model = \"h100*\", site = \"x*\" }\nprice_per_hour = 3\n"),
       "p.toml:5: warning: pool.b.match: a device such as h100-sxm is in pool \"a\" too, at "
       "another "
       "price",
       pooled("[pool.a]\nmatch = { model = \"h100-sxm\", site = \"y\" }\nprice_per_hour = "
              "2\n[pool.b]\nmatch = { model = \"h100*\", site = \"x*\" }\nprice_per_hour = 3\n")},
  });
}

TEST(PolicyFindings, CoverOutcomes) {
  const auto capable = [](const std::string& lines, const std::string& when) {
    return "[pool.a]\nmatch = { kind = \"gpu\" }\n[capability.a]\n" + lines + rule + when +
           otherwise_queue;
  };
  const auto degraded = [](const std::string& fallback) {
    return pools +
           "[capability.b]\nprecisions = [\"int8\"]\n[[rule]]\nname = \"r\"\nrequire = { precision "
           "= \"bf16\" }\npools = [\"a\", \"b\"]\n" +
           fallback + otherwise_queue;
  };
  const std::string whole = lone_pool + rule + otherwise_queue;
  const std::string retryable =
      "\"capacity\", \"deadline\", \"unhealthy\", \"cooldown\", \"drain\", "
      "\"power_cap\", \"thermal\", \"stale_telemetry\", \"data\"";
  const auto says = [&](const std::string& reasons) {
    return pools + rule + "when = { kind = \"training\" }\n[[rule.fallback]]\non = [" + reasons +
           "]\naction = \"queue\"\n" + rest;
  };
  expect_found({
      {lone_pool + rule + "when = { kind = [\"inference\", \"batch\"] }\n" + otherwise_queue,
       "p.toml:3: warning: rule: no rule matches training: they wait, then fail", whole},
      {"[class.t]\nwhen = { kind = \"training\" }\n[class.b]\nwhen = { kind = \"batch\" }\n" +
           lone_pool + rule + "when = { kind = \"inference\" }\n" + otherwise_queue +
           "[[rule]]\nname = \"s\"\nwhen = { kind = \"batch\" }\n" + otherwise_queue,
       "p.toml:1: error: class.t: no rule matches its jobs (training): they wait, then fail",
       "[class.t]\nwhen = { kind = \"training\" }\n[class.b]\nwhen = { kind = \"batch\" }\n" +
           whole},
      {"[policy]\ndefault_action = \"reject\"\n" + pools + rule +
           "when = { model = \"llama*\", kind = [\"inference\", \"batch\"] }\n" + otherwise_queue +
           "[[rule]]\nname = \"s\"\nwhen = { kind = [\"training\", \"batch\"] }\n" +
           otherwise_queue,
       "p.toml:7: warning: rule: no rule matches inference, models that no rule names: "
       "default_action rejects them",
       whole},
      {capable("precisions = [\"bf16\"]\n",
               "require = { precision = \"fp8\" }\nwhen = { kind = "
               "\"training\" }\n") +
           rest.substr(0, rest.find("pools")) + otherwise_queue,
       "p.toml:6: error: rule[1].name: nothing can run training (a: precision): it would wait "
       "forever",
       capable("precisions = [\"fp8\"]\n",
               "require = { precision = \"fp8\" }\nwhen = { kind = "
               "\"training\" }\n") +
           rest.substr(0, rest.find("pools")) + otherwise_queue},
      {capable("max_context = 4096\n", "") +
           "[class.c]\nwhen = { kind = \"inference\" }\nmix = [{ input = 4000, output = 100 }]\n",
       "p.toml:6: error: rule[1].name: nothing can run class c (a: context): it would wait "
       "forever",
       capable("max_context = 4100\n", "") +
           "[class.c]\nwhen = { kind = \"inference\" }\nmix = [{ input = 4000, output = 100 }]\n"},
      {capable("frameworks = [\"jax\"]\n", "") +
           "[class.c]\nframework = \"pytorch\"\nwhen = { kind "
           "= \"inference\" }\n",
       "p.toml:6: warning: rule[1].name: nothing can run class c (a: framework) but jobs that name "
       "another framework or version",
       capable("frameworks = [\"jax\"]\n", "") + "[class.c]\nframework = \"jax\"\nwhen = { kind = "
                                                 "\"inference\" }\n"},
      {pools +
           "[capability.b]\nslices = [1, 8]\n[[rule]]\nname = \"r\"\nwhen = { kind = "
           "\"training\", gang = \"2..4\" }\n" +
           otherwise_queue + rest,
       "p.toml:7: warning: rule[1].pools: pool \"b\" accepts no job of the rule (topology)",
       pools +
           "[capability.b]\nslices = [1, 8]\n[[rule]]\nname = \"r\"\nwhen = { kind = "
           "\"training\", gang = \"2..8\" }\n" +
           otherwise_queue + rest},
      {degraded(""),
       "p.toml:10: warning: rule[1].pools: pool \"b\" accepts no job of the rule (precision)",
       degraded("[[rule.fallback]]\non = \"capacity\"\nto = \"b\"\nchange = { precision = "
                "\"int8\" }\n")},
      {says("\"memory\", \"precision\", \"framework\", \"topology\", " + retryable),
       "p.toml:6: warning: rule[1].name: no fallback covers training for op_unsupported: by "
       "default_action it waits, and fails after 30s when no device can run it",
       says("\"memory\", \"precision\", \"op_unsupported\", \"framework\", \"topology\", " +
            retryable)},
  });
}

TEST(PolicyFindings, IncludeTheProblemsOfTheReader) {
  EXPECT_EQ(examined(pools + "[[rule]]\nname = \"r\"\npick = \"best\"\n"),
            "p.toml:7: error: rule[1].pick: found \"best\", expected max, p2c or weighted\n");
  EXPECT_EQ(examined("= 5\n").rfind("p.toml:1: error: ", 0), 0U);
  // An unknown key hides nothing of what lint says.
  EXPECT_EQ(examined("[pool.c]\nmatch = { kind = \"gpu\" }\n" + pools + rest +
                     "[limits]\nqueue_mx = 1\n"),
            "p.toml:1: warning: pool.c: is in no rule and no fallback: nothing ever runs there\n"
            "p.toml:14: error: limits.queue_mx: unknown key; did you mean queue_max?\n");
}

TEST(PolicyFindings, APolicyIsRefusedWithTheFirstErrorOfTheFile) {
  const std::string text = pools + rule + "when = { gang = \"0.5\" }\n" + otherwise_queue +
                           "[[rule]]\nname = \"r\"\n" + otherwise_queue;
  const auto all = findings(text, "p.toml");
  ASSERT_EQ(all.size(), 2U) << shown(all);
  const auto policy = parse_policy(text, "p.toml");
  ASSERT_FALSE(policy.ok());
  EXPECT_EQ(policy.error().message, all[0].place + ": " + all[0].text);
}

TEST(PolicyFindings, TheBuiltInPolicyAndTheExampleHaveNone) {
  EXPECT_EQ(shown(findings(builtin_policy_text(), "builtin_policy.toml")), "");
  std::ifstream file(DROVER_SOURCE_DIR "/examples/policies/balanced.toml");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(shown(findings(text.str(), "balanced.toml")), "");
}

}  // namespace
}  // namespace drover::router
