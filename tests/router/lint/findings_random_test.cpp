// Lint over random policies: what it calls certain is held against random jobs and against a walk
// over names that is written down here a second time.
#include <algorithm>

#include <gtest/gtest.h>

#include "fleet/base/random_stream.h"
#include "router/lint/outcomes.h"
#include "router/lint/policy_file.h"
#include "router/policy/read.h"
#include "router/policy/work_class.h"

namespace drover::router {
namespace {

using Words = std::vector<std::string>;

std::string one_of(RandomStream& random, const Words& words) {
  return words[random.below(words.size())];
}

std::string quoted_list(RandomStream& random, const Words& words, std::uint64_t most) {
  std::string text;
  for (std::uint64_t left = 1 + random.below(most); left > 0; --left) {
    text += (text.empty() ? "\"" : ", \"") + one_of(random, words) + "\"";
  }
  return "[" + text + "]";
}

std::string drawn_when(RandomStream& random, bool of_rule) {
  std::string text;
  const auto add = [&](double chance, const std::string& part) {
    if (random.chance(chance)) text += (text.empty() ? "" : ", ") + part;
  };
  const Words ranges = {"<=4", ">4", "2..6", "1", "0.2..0.8", ">=0", "<2"};
  add(0.5, "kind = " + quoted_list(random, {"inference", "training", "batch"}, 2));
  add(0.3, "model = \"" + one_of(random, {"*", "a*", "ab*", "b"}) + "\"");
  add(0.3, "prompt_tokens = \"" + one_of(random, ranges) + "\"");
  add(0.3, "gang = \"" + one_of(random, ranges) + "\"");
  add(0.1, "priority = \"" + one_of(random, {"<0", ">=0", "<=2"}) + "\"");
  add(0.2, "tenant = \"" + one_of(random, {"*", "t*", "t1"}) + "\"");
  add(0.2, "stage = \"" + one_of(random, {"*", "s*", "s1"}) + "\"");
  if (of_rule) add(0.2, "class = " + quoted_list(random, {"c1", "c2", "c3"}, 2));
  return "when = { " + text + " }\n";
}

std::string drawn_fallback(RandomStream& random) {
  const Words reasons = {"capacity", "memory", "precision", "drain", "context", "topology"};
  std::string text = "[[rule.fallback]]\non = ";
  text += random.chance(0.3) ? "\"*\"" : quoted_list(random, reasons, 3);
  if (random.chance(0.3)) {
    return text + "\naction = \"" + one_of(random, {"queue", "reject", "shed"}) + "\"\n";
  }
  text += "\nto = \"" + one_of(random, {"a", "b", "c"}) + "\"\n";
  if (random.chance(0.3)) {
    text += "change = { precision = \"" + one_of(random, {"int8", "fp8"}) + "\" }\n";
  }
  return text;
}

std::string drawn_policy(RandomStream& random) {
  std::string text = "[policy]\ndefault_action = \"" + one_of(random, {"queue", "reject"}) + "\"\n";
  for (const char* pool : {"a", "b", "c"}) {
    text += fmt::format("[pool.{}]\nmatch = {{ kind = \"{}\" }}\n", pool,
                        random.chance(0.5) ? "gpu" : "tpu");
    if (random.chance(0.3)) {
      text += fmt::format("[capability.{}]\nprecisions = {}\nmax_context = {}\nslices = [1, 4]\n",
                          pool, quoted_list(random, {"bf16", "int8"}, 1), random.below(6));
    }
  }
  for (const char* name : {"c1", "c2"}) {
    if (random.chance(0.4)) continue;
    text += fmt::format("[class.{}]\nstage = \"{}\"\n", name, one_of(random, {"", "s1"}));
    if (random.chance(0.7)) text += drawn_when(random, false);
    if (random.chance(0.3)) text += "mix = [{ input = 3, output = 1 }, { input = 5 }]\n";
  }
  const std::uint64_t rules = 1 + random.below(5);
  for (std::uint64_t rule = 0; rule < rules; ++rule) {
    text += fmt::format("[[rule]]\nname = \"r{}\"\n", rule) + drawn_when(random, true);
    text += "pools = [\"" + one_of(random, {"a", "b", "c", "a\", \"b", "c\", \"a"}) + "\"]\n";
    if (random.chance(0.5)) text += "require = { precision = \"bf16\" }\n";
    for (std::uint64_t left = random.below(4); left > 0; --left) text += drawn_fallback(random);
  }
  return text;
}

ExampleJob drawn_job(RandomStream& random) {
  ExampleJob sample;
  sample.job.work.kind = static_cast<WorkKind>(random.below(3));
  sample.job.work.input_tokens = static_cast<std::uint32_t>(random.below(8));
  sample.job.work.output_tokens = static_cast<std::uint32_t>(random.below(3));
  sample.job.work.devices = static_cast<std::uint16_t>(random.below(8));
  sample.job.priority = static_cast<std::int8_t>(static_cast<int>(random.below(6)) - 2);
  sample.job.tenant = one_of(random, {"t1", "t2", "u"});
  sample.job.stage = one_of(random, {"", "s1", "s2", "x"});
  sample.job.work_class = one_of(random, {"", "", "c1", "c2", "c3"});
  sample.model.id = one_of(random, {"", "a", "ab", "b", "c"});
  sample.model.family = one_of(random, {"", "a", "ab", "b", "c"});
  return sample;
}

const Rule* rule_of(const Policy& policy, const ExampleJob& sample) {
  return find_rule(policy, sample.job, sample.model, class_of(policy, sample.job, sample.model));
}

/// The number in "rule[3].." or "rule[3].fallback[2]..", counted from 1; 0 without one.
std::size_t number_after(const std::string& text, const std::string& word) {
  const std::size_t at = text.find(word + "[");
  return at == std::string::npos ? 0 : std::stoul(text.substr(at + word.size() + 1));
}

bool says(const Finding& finding, const char* words) {
  return finding.text.find(words) != std::string::npos;
}

struct Drawn {
  std::string text;
  PolicyReading reading;
};

/// Calls `look` with policies that the reader has no problem with, which nearly all are.
template <typename Look>
void for_random_policies(std::uint64_t seed, int count, Look look) {
  RandomStream random(seed);
  for (int round = 0; round < count; ++round) {
    const std::string text = drawn_policy(random);
    const PolicyReading reading = read_policy(text, "p.toml", nullptr);
    ASSERT_FALSE(reading.policy.rules.empty()) << text;
    look(random, Drawn{text, reading});
  }
}

TEST(RandomPolicies, RulesReportedAsUnreachableAreNeverReached) {
  int found = 0;
  for_random_policies(1, 600, [&](RandomStream& random, const Drawn& drawn) {
    std::vector<const Rule*> never;
    for (const Finding& finding : drawn.reading.findings) {
      const bool unreached = says(finding, "].name: rule") && says(finding, "is never reached");
      const bool unheld = says(finding, "].when.") && says(finding, "never holds");
      if (!finding.error || (!unreached && !unheld)) continue;
      const std::size_t number = number_after(finding.text, "rule");
      if (number > 0) never.push_back(&drawn.reading.policy.rules[number - 1]);
    }
    if (never.empty()) return;
    found += static_cast<int>(never.size());
    for (int job = 0; job < 300; ++job) {
      const Rule* rule = rule_of(drawn.reading.policy, drawn_job(random));
      EXPECT_EQ(std::count(never.begin(), never.end(), rule), 0) << drawn.text;
    }
  });
  EXPECT_GT(found, 100);
}

/// What the walk of a decision does with the fallbacks when no pool takes the job.
struct Walked {
  std::vector<const Fallback*> asked;
  const Fallback* ended = nullptr;
};

Walked walk(const Rule& rule, Reason reason, const std::vector<std::string>& with_devices) {
  Walked walked;
  for (const Fallback& fallback : rule.fallbacks) {
    const auto& on = fallback.on;
    if (!on.empty() && std::find(on.begin(), on.end(), reason) == on.end()) continue;
    if (fallback.action != FallbackAction::go) {
      walked.ended = &fallback;
      return walked;
    }
    if (std::count(with_devices.begin(), with_devices.end(), fallback.to) == 0) continue;
    walked.asked.push_back(&fallback);
  }
  return walked;
}

TEST(RandomPolicies, FallbacksReportedAsUnreachableAreNeverReached) {
  int found = 0;
  const std::vector<std::vector<std::string>> fleets = {
      {}, {"a"}, {"b"}, {"c"}, {"a", "b"}, {"a", "c"}, {"b", "c"}, {"a", "b", "c"}};
  for_random_policies(2, 600, [&](RandomStream&, const Drawn& drawn) {
    for (const Finding& finding : drawn.reading.findings) {
      const std::size_t step = number_after(finding.text, "fallback");
      if (!finding.error || step == 0 || !says(finding, "never reached")) continue;
      ++found;
      const Rule& rule = drawn.reading.policy.rules[number_after(finding.text, "rule") - 1];
      const Fallback* never = &rule.fallbacks[step - 1];
      for (int number = 0; number < reason_count; ++number) {
        for (const auto& fleet : fleets) {
          const Walked walked = walk(rule, static_cast<Reason>(number), fleet);
          EXPECT_NE(walked.ended, never) << finding.text << "\n" << drawn.text;
          EXPECT_EQ(std::count(walked.asked.begin(), walked.asked.end(), never), 0) << drawn.text;
        }
      }
    }
  });
  EXPECT_GT(found, 100);
}

TEST(RandomPolicies, FallbacksReportedAsAlreadyTriedHaveAlwaysBeenTried) {
  int found = 0;
  for_random_policies(5, 600, [&](RandomStream&, const Drawn& drawn) {
    for (const Finding& finding : drawn.reading.findings) {
      const std::size_t step = number_after(finding.text, "fallback");
      if (!finding.error || !says(finding, "has already tried")) continue;
      ++found;
      const Rule& rule = drawn.reading.policy.rules[number_after(finding.text, "rule") - 1];
      const Fallback* back = &rule.fallbacks[step - 1];
      for (int number = 0; number < reason_count; ++number) {
        const auto asked = walk(rule, static_cast<Reason>(number), {"a", "b", "c"}).asked;
        const auto at = std::find(asked.begin(), asked.end(), back);
        const bool before = std::any_of(asked.begin(), at, [&](const Fallback* other) {
          return other->to == back->to && other->change_precision == back->change_precision;
        });
        EXPECT_TRUE(at == asked.end() || before) << drawn.text;
      }
    }
  });
  EXPECT_GT(found, 50);
}

/// Whether default_action decides at once: no pool but the wanted one may take the job.
bool left_open(const Policy& policy, const PolicyCase& each, Reason reason) {
  const Rule& rule = policy.rules[each.rule];
  const auto may = [&](const std::string& pool, const std::vector<Precision>& precisions) {
    return !surely_excluded(policy, each, *policy.find_pool(pool), precisions);
  };
  for (std::size_t step = 1; step < rule.pools.size(); ++step) {
    if (may(rule.pools[step], rule.precisions)) return false;
  }
  const Walked walked = walk(rule, reason, {"a", "b", "c"});
  for (const Fallback* asked : walked.asked) {
    const auto& change = asked->change_precision;
    if (may(asked->to, change ? std::vector<Precision>{*change} : rule.precisions)) return false;
  }
  return walked.ended == nullptr;
}

TEST(RandomPolicies, UnhandledReasonsAreThoseThatNoFallbackCovers) {
  int holes = 0;
  int cases = 0;
  for_random_policies(3, 600, [&](RandomStream&, const Drawn& drawn) {
    const Policy& policy = drawn.reading.policy;
    for (const PolicyCase& each : policy_cases(policy)) {
      ++cases;
      for (int number = 0; number < reason_count; ++number) {
        const auto reason = static_cast<Reason>(number);
        const bool hole = outcome_for(policy, each, reason).is_unhandled();
        holes += hole;
        EXPECT_EQ(hole, left_open(policy, each, reason))
            << each.name << " " << to_text(reason) << "\n"
            << drawn.text;
      }
    }
  });
  EXPECT_GT(cases, 1000);
  EXPECT_GT(holes, 1000);
}

TEST(RandomPolicies, JobsWithoutARuleAreReportedOnlyWhereTheyExist) {
  int complete = 0;
  for_random_policies(4, 1500, [&](RandomStream& random, const Drawn& drawn) {
    const bool warned =
        std::any_of(drawn.reading.findings.begin(), drawn.reading.findings.end(),
                    [](const Finding& finding) { return says(finding, "no rule matches"); });
    std::vector<JobSet> sets;
    for (const Rule& rule : drawn.reading.policy.rules) sets.push_back(job_set(rule.when));
    if (!without(JobSet{}, sets).empty()) return;
    ++complete;
    EXPECT_FALSE(warned) << drawn.text;
    for (int job = 0; job < 100; ++job) {
      EXPECT_NE(rule_of(drawn.reading.policy, drawn_job(random)), nullptr) << drawn.text;
    }
  });
  EXPECT_GT(complete, 20);
}

}  // namespace
}  // namespace drover::router
