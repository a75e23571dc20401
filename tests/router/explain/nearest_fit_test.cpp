// Whatever is suggested to somebody whose job waits would place it: fleets, work and policies are
// drawn from a seed, each suggestion is carried out as its words say and nothing else is done, and
// the job then has a place.
#include <gtest/gtest.h>

#include <regex>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tests/router/random_fleet.h"

namespace drover::router {
namespace {

double seconds_of(const std::string& text) {
  const auto duration = parse_duration(text, "a suggestion");
  DROVER_REQUIRE(duration.ok());
  return to_seconds(*duration);
}

/// One suggestion and the fleet that it is carried out in.
struct Hand {
  RandomFleet& fleet;
  const NearestFit& fit;

  std::string host() const { return fit.target.substr(0, fit.target.find('/')); }
  /// Both rules: the job is of one.
  template <typename Do>
  void each_rule(Do change) const {
    for (Rule& rule : fleet.policy.rules) change(rule);
  }
};

using MatchedWords = std::smatch;
struct Deed {
  std::regex words;  // of one part of the suggestion
  bool (*carry_out)(const Hand&, const MatchedWords&);
};

bool wait(const Hand& hand, const MatchedWords& words) {
  hand.fleet.pass(seconds_of(words[1]));
  return true;
}

bool allow(const Hand& hand, const MatchedWords& words) {
  const Precision precision = *parse_precision(words[1].str());
  if (!hand.fleet.job.work.precisions.empty()) {
    hand.fleet.job.work.precisions.push_back(precision);
  }
  hand.each_rule([&](Rule& rule) {
    if (!rule.precisions.empty()) rule.precisions.push_back(precision);
  });
  return true;
}

bool more_power(const Hand& hand, const MatchedWords& words) {
  const double watts = *parse_watts(words[1].str(), "a suggestion");
  Limits& limits = hand.fleet.policy.limits;
  const std::string place = words[2];
  if (place.find("for the site") != std::string::npos) limits.site_power_cap_w += watts;
  if (place.find("pool h100") != std::string::npos) limits.pool_power_cap_w["h100"] += watts;
  if (place == "for its rack") limits.rack_power_w += watts;
  return true;
}

bool more_memory(const Hand& hand, const MatchedWords& words) {
  const double bytes = std::stod(words[1]) * 1e9;
  if (hand.fit.target.find("/r") == std::string::npos) return true;  // in another fleet
  hand.fleet.enlarge(hand.fit.target, bytes);
  return true;
}

const std::vector<Deed>& deeds() {
  static const std::vector<Deed> all = {
      {std::regex("([0-9.]+(?:ms|s|m|h|d))"), wait},
      {std::regex("([0-9.]+(?:ms|s|m|h|d)), until its model is loaded"),
       [](const Hand& hand, const MatchedWords& words) {
         hand.fleet.pass(seconds_of(words[1]));
         hand.fleet.make_ready(hand.fit.target);
         return true;
       }},
      {std::regex("when its model is loaded \\(overdue\\)"),
       [](const Hand& hand, const MatchedWords&) {
         hand.fleet.make_ready(hand.fit.target);
         return true;
       }},
      {std::regex(
           "(?:[0-9.]+(?:ms|s|m|h|d) to load the model|until the model is loaded|a replica of .*)"),
       [](const Hand& hand, const MatchedWords&) { return hand.fleet.load(); }},
      {std::regex("when (.*) (?:has|have) ended \\(overdue\\)"),
       [](const Hand& hand, const MatchedWords& words) {
         for (const std::string& job : split(words[1].str(), ',')) {
           hand.fleet.end(std::string(trimmed(job)));
         }
         return true;
       }},
      {std::regex("when (.*) (?:has|have) been preempted for this job, within .*"),
       [](const Hand& hand, const MatchedWords& words) {
         for (const std::string& job : split(words[1].str(), ',')) {
           hand.fleet.end(std::string(trimmed(job)));
         }
         return true;
       }},
      {std::regex("(replica .* unloaded .*)"),
       [](const Hand& hand, const MatchedWords& words) {
         const std::regex one("replica ([^ ]+) \\(");
         const std::string text = words[1];
         for (std::sregex_iterator at(text.begin(), text.end(), one), end; at != end; ++at) {
           hand.fleet.leave((*at)[1]);
         }
         return true;
       }},
      {std::regex("if job .* gives up the devices reserved for it there"),
       [](const Hand& hand, const MatchedWords&) {
         for (const Preemption& kept : hand.fleet.wait.kept) hand.fleet.drop_job(kept.job);
         return true;
       }},
      {std::regex("resume (.*)"),
       [](const Hand& hand, const MatchedWords& words) {
         hand.fleet.resume(words[1]);
         return true;
       }},
      {std::regex("host (.*) responding again"),
       [](const Hand& hand, const MatchedWords& words) {
         hand.fleet.revive(words[1]);
         return true;
       }},
      {std::regex("(.*) usable again"),
       [](const Hand& hand, const MatchedWords& words) {
         for (const std::string& device : split(words[1].str(), ',')) {
           hand.fleet.mend(std::string(trimmed(device)));
         }
         return true;
       }},
      {std::regex("a current sample of (.*)"),
       [](const Hand& hand, const MatchedWords& words) {
         for (const std::string& host : split(words[1].str(), ',')) {
           hand.fleet.hear(std::string(trimmed(host)));
         }
         return true;
       }},
      {std::regex("a cooler device"),
       [](const Hand& hand, const MatchedWords&) {
         hand.fleet.cool(hand.host());
         return true;
       }},
      {std::regex("once its ejection is over"),
       [](const Hand& hand, const MatchedWords&) {
         hand.fleet.outlier(hand.fit.target);
         return true;
       }},
      {std::regex("once its back-off is over"),
       [](const Hand& hand, const MatchedWords&) {
         hand.fleet.avoid.clear();
         return true;
       }},
      {std::regex("(?=.)(?:([0-9]+) fewer requests?)?(?: and )?(?:([0-9]+) fewer tokens? in its KV "
                  "cache)?"),
       [](const Hand& hand, const MatchedWords& words) {
         const int requests = words[1].matched ? std::stoi(words[1]) : 0;
         const double tokens = words[2].matched ? std::stod(words[2]) : 0;
         hand.fleet.relieve(hand.fit.target, requests, tokens);
         return true;
       }},
      {std::regex("(.*) allowed"), allow},
      {std::regex("\\+([0-9.]+k?W) of power (.*)"), more_power},
      {std::regex("\\+\\$([0-9.]+)/h of budget"),
       [](const Hand& hand, const MatchedWords& words) {
         hand.fleet.policy.limits.budget_usd_per_h += std::stod(words[1]);
         return true;
       }},
      {std::regex("max_share = ([0-9.]+) of pool (.*)"),
       [](const Hand& hand, const MatchedWords& words) {
         const auto pool = hand.fleet.policy.pool_index(words[2].str());
         hand.fleet.policy.pools[*pool].max_share = std::stod(words[1]);
         return true;
       }},
      {std::regex("a share larger by ([0-9]+) devices? for tenant .*"),
       [](const Hand& hand, const MatchedWords& words) {
         hand.fleet.tenant_devices_max += std::stod(words[1]);
         return true;
       }},
      {std::regex("\\+(.*) of deadline"),
       [](const Hand& hand, const MatchedWords& words) {
         hand.fleet.job.deadline += from_seconds(seconds_of(words[1]));
         return true;
       }},
      {std::regex("\\+(.*) until the first token"),
       [](const Hand& hand, const MatchedWords& words) {
         const double more_s = seconds_of(words[1]);
         hand.each_rule([&](Rule& rule) { rule.slo_ttft_s += rule.slo_ttft_s > 0 ? more_s : 0; });
         return true;
       }},
      {std::regex("\\+(.*) of require.data_within"),
       [](const Hand& hand, const MatchedWords& words) {
         const Duration more = from_seconds(seconds_of(words[1]));
         hand.each_rule([&](Rule& rule) {
           if (rule.data_within > Duration{0}) rule.data_within += more;
         });
         return true;
       }},
      {std::regex("require.rtt_ms raised by ([0-9]+) ms"),
       [](const Hand& hand, const MatchedWords& words) {
         const double more_s = std::stod(words[1]) / 1e3;
         hand.each_rule([&](Rule& rule) { rule.rtt_max_s += rule.rtt_max_s > 0 ? more_s : 0; });
         return true;
       }},
      {std::regex("any interconnect \\(require.interconnect\\)"),
       [](const Hand& hand, const MatchedWords&) {
         hand.each_rule([&](Rule& rule) { rule.interconnects.clear(); });
         return true;
       }},
      {std::regex("([0-9]+) devices? instead of [0-9]+"),
       [](const Hand& hand, const MatchedWords& words) {
         hand.fleet.job.work.devices = static_cast<std::uint16_t>(std::stoi(words[1]));
         return true;
       }},
      {std::regex("([0-9]+) fewer tokens?"),
       [](const Hand& hand, const MatchedWords& words) {
         hand.fleet.job.work.input_tokens -= static_cast<std::uint32_t>(std::stoul(words[1]));
         return true;
       }},
      {std::regex("\\+([0-9.]+) GB of memory per device"), more_memory},
      {std::regex("framework (.*) instead of .*"),
       [](const Hand& hand, const MatchedWords& words) {
         hand.fleet.job.work.framework = words[1];
         return true;
       }},
      {std::regex("another version of (.*)"),
       [](const Hand& hand, const MatchedWords& words) {
         return hand.fleet.job.work.versions.erase(words[1]) == 1;
       }},
      {std::regex("without operation (.*)"),
       [](const Hand& hand, const MatchedWords& words) {
         return std::erase(hand.fleet.job.work.ops, words[1].str()) == 1;
       }},
  };
  return all;
}

std::vector<std::string> parts_of(std::string words) {
  std::vector<std::string> parts;
  const std::string joint = ", and ";
  for (std::size_t at = words.find(joint); at != std::string::npos; at = words.find(joint)) {
    parts.push_back(words.substr(0, at));
    words.erase(0, at + joint.size());
  }
  parts.push_back(words);
  return parts;
}

bool carry_out(const NearestFit& fit, RandomFleet& fleet) {
  for (const std::string& part : parts_of(fit.change)) {
    MatchedWords words;
    const Deed* found = nullptr;
    for (const Deed& deed : deeds()) {
      if (std::regex_match(part, words, deed.words)) {
        found = &deed;
        break;
      }
    }
    EXPECT_NE(found, nullptr) << "nobody can do this: " << part;
    if (found == nullptr || !found->carry_out({fleet, fit}, words)) return false;
  }
  return true;
}

MoreMemory memory_of(const NearestFit& fit) {
  std::smatch words;
  const std::regex more("\\+([0-9.]+) GB of memory.*");
  if (!std::regex_match(fit.change, words, more)) return {};
  return {fit.target.substr(0, fit.target.find('/')), std::stod(words[1]) * 1e9};
}

std::map<Reason, int> told_of_seeds(std::uint64_t first, std::uint64_t last) {
  std::map<Reason, int> told;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    RandomFleet asked(seed);
    if (asked.places()) continue;
    const std::uint64_t version = asked.fleet_state.version();
    const std::vector<NearestFit> fits = asked.nearest();
    EXPECT_EQ(asked.fleet_state.version(), version) << "asking changes nothing";
    EXPECT_EQ(asked.nearest(), fits) << "asking changes nothing";
    for (const NearestFit& fit : fits) {
      ++told[fit.reason];
      RandomFleet fleet(seed, memory_of(fit));
      fleet.avoid = asked.avoid;
      const bool done = carry_out(fit, fleet);
      const PlacementResult result = fleet.decide(fleet.ask());
      EXPECT_TRUE(done && result.place)
          << "seed " << seed << ": " << fit.change << " on " << fit.target << " ("
          << to_text(fit.reason) << ") " << (done ? "leaves" : "cannot be done, and leaves")
          << " it waiting for " << to_text(result.decision.fallback_reason.value_or(Reason::ended));
    }
  }
  return told;
}

std::uint64_t seeds() {
  const char* more = std::getenv("DROVER_SEEDS");
  return more != nullptr ? std::stoull(more) : 800;
}

TEST(NearestFit, EachSuggestionPlacesTheJobWhenItIsCarriedOut) {
  const std::map<Reason, int> told = told_of_seeds(1, seeds());
  for (const Reason reason :
       {Reason::capacity, Reason::cooldown, Reason::thermal, Reason::queue_slo, Reason::deadline,
        Reason::power_cap, Reason::budget, Reason::drain, Reason::stale_telemetry,
        Reason::unhealthy, Reason::tenancy, Reason::precision, Reason::memory, Reason::context,
        Reason::topology, Reason::data, Reason::framework, Reason::op_unsupported}) {
    EXPECT_TRUE(told.contains(reason)) << to_text(reason);
  }
  for (const auto& [reason, count] : told) RecordProperty(std::string(to_text(reason)), count);
}

}  // namespace
}  // namespace drover::router
