// A job's decisions as a tree: what the lines say, and in which order.
#include "fleet/explanation/why_tree.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

constexpr Instant decided_at{std::chrono::hours(14)};

Decision assigned(std::uint64_t number, std::uint32_t attempt, const std::string& target,
                  const std::string& pool) {
  Decision decision;
  decision.number = number;
  decision.attempt = attempt;
  decision.at = decided_at;
  decision.rule = "chat";
  decision.preferred_pool = "fast";
  decision.pool = pool;
  decision.target = target;
  decision.policy_version = 3;
  Candidate best;
  best.target = target;
  best.pool = pool;
  best.score = 0.5;
  best.parts = {{"queue", 0.5, 2}};
  best.estimate.wait_known = false;
  decision.top = {best};
  return decision;
}

WhyReply fallen_back() {
  WhyReply reply;
  reply.job.emplace();
  reply.job->job.id = {0x3f2a91c000000000, 1};
  reply.job->job.work.model = "m";
  reply.job->state = JobState::running;
  reply.job->attempt = 2;
  reply.job->target = "slow-1/r0";
  reply.job->reason = Reason::capacity;
  Decision second = assigned(9, 2, "slow-1/r0", "slow");
  second.fallback_reason = Reason::capacity;
  second.fallback_step = 1;
  second.rejections = {{"fast", "h100", Reason::capacity, 2}, {"mid", "l4", Reason::memory, 4}};
  second.empty_pools = {"none"};
  reply.decisions = {assigned(5, 1, "fast-1/r0", "fast"), second};
  reply.candidates = {{"slow-1/r0", "slow", "a100", 0.5, {}},
                      {"slow-2/r0", "slow", "a100", 0.25, {}},
                      {"fast-1/r0", "fast", "h100", {}, {Reason::capacity, Reason::queue_slo}}};
  reply.candidates_of_decision = 9;
  return reply;
}

TEST(WhyTree, HasAttemptsDecisionsRulesAndPoolsInTheOrderTried) {
  const WhyReply reply = fallen_back();
  EXPECT_EQ(indented_text(why_tree(reply, candidates_of(reply))),
            "job 3f2a91c0000000000000000000000001: serve m 0+0 tokens, running\n"
            "  fell back for capacity\n"
            "attempt 1\n"
            "  14:00:00 fleet time, decision 5: assign fast-1/r0 in pool fast\n"
            "    rule chat, preferred pool fast, policy version 3\n"
            "      pool fast, preferred, chosen\n"
            "        best fast-1/r0 score 0.500, starts in N/A, ends in N/A, 0J, $0.00\n"
            "          queue           0.500 x 2\n"
            "attempt 2: running on slow-1/r0\n"
            "  14:00:00 fleet time, decision 9: assign slow-1/r0 in pool slow\n"
            "    because capacity: " +
                std::string(facts(Reason::capacity).meaning) +
                " (fallback 1)\n"
                "    no device of the preferred pool can run it\n"
                "    rule chat, preferred pool fast, policy version 3\n"
                "      pool fast, preferred\n"
                "        rejected h100: 2 for capacity\n"
                "        fast-1/r0 h100: capacity, queue_slo\n"
                "      pool mid\n"
                "        rejected l4: 4 for memory\n"
                "      pool none: no device of the fleet is in it\n"
                "      pool slow, chosen\n"
                "        best slow-1/r0 score 0.500, starts in N/A, ends in N/A, 0J, $0.00\n"
                "          queue           0.500 x 2\n"
                "        slow-2/r0 a100 score 0.250\n");
}

TEST(WhyTree, WorkThatStayedInItsPoolIsThereInSpiteOfTheReason) {
  WhyReply reply = fallen_back();
  for (const std::uint8_t step : {0, 1}) {  // 1: a fallback of the rule to the same pool
    Decision decision = assigned(9, 2, "fast-1/r0", "fast");
    decision.fallback_reason = Reason::queue_slo;
    decision.fallback_step = step;
    reply.decisions = {decision};
    const std::string text = indented_text(why_tree(reply, candidates_of(reply)));
    EXPECT_EQ(text.find("in spite of queue_slo: ") != std::string::npos, step == 0) << text;
    EXPECT_EQ(text.find("because queue_slo: ") != std::string::npos, step == 1) << text;
  }
}

TEST(WhyTree, TheSuggestedChangesStandOnTop) {
  WhyReply reply = fallen_back();
  reply.job->state = JobState::queued;
  reply.nearest = {{Reason::power_cap, "fast-1/r0", "fast", 300, "+300W of power"},
                   {Reason::capacity, "", "", 0, "2 devices instead of 4"}};
  const std::vector<TreeLine> lines = why_tree(reply, {});
  EXPECT_EQ(lines[0].text,
            "to run it now: +300W of power on fast-1/r0 in pool fast (now: power_cap)");
  EXPECT_EQ(lines[1].text, "           or: 2 devices instead of 4 (now: capacity)");
  EXPECT_EQ(lines[0].role, TreeRole::suggestion);
  EXPECT_EQ(lines[2].role, TreeRole::heading) << "the job";
}

TEST(WhyTree, NamesFromOutsideArePrintable) {
  WhyReply reply = fallen_back();
  reply.decisions[0].rule = "a\x1b[31m";
  reply.job->returned = "\x07";
  const std::string text = indented_text(why_tree(reply, {}));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
}

}  // namespace
}  // namespace drover
