// Equal decisions that come faster than the eye are one line, which can be opened.
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/tui/sample_fleet.h"
#include "tui/tables/decision_list.h"
#include "tui/tables/fleet_filter.h"

namespace drover::tui {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Decided {
  Model model{seconds(1)};
  std::uint64_t number = 0;

  void decide(Duration after, const std::string& target = "gpu-a/r0",
              const std::function<void(Decision&)>& change = {}) {
    Decision decision;
    decision.number = ++number;
    decision.at = SampleFleet::start + after;
    decision.model = "llama";
    decision.preferred_pool = decision.pool = "hopper";
    decision.target = target;
    if (change) change(decision);
    model.apply(decision.at, {"router", number, decision.at, decision});
  }
  std::vector<DecisionLine> lines(const std::vector<std::uint64_t>& opened = {},
                                  Duration wall_second = seconds(1)) const {
    return group_decisions(model, list_decisions(model, FleetFilter()), wall_second, opened);
  }
  /// "3x2 1" for a group of two whose newest is number 3, and number 1.
  std::string told(const std::vector<DecisionLine>& lines) const {
    std::string text;
    for (const DecisionLine& line : lines) {
      if (!text.empty()) text += " ";
      text += (line.member ? "." : "") + std::to_string(line.number) + times_text(line);
    }
    return text;
  }
};

TEST(DecisionList, ThreeEqualDecisionsOfOneSecondAreOneLine) {
  Decided fleet;
  fleet.decide(milliseconds(100));
  fleet.decide(milliseconds(900));
  EXPECT_EQ(fleet.told(fleet.lines()), "2 1") << "two can be read";
  fleet.decide(milliseconds(950));
  EXPECT_EQ(fleet.told(fleet.lines()), "3x3");
  fleet.decide(milliseconds(1'050));
  EXPECT_EQ(fleet.told(fleet.lines()), "4 3x3") << "the next second";
}

TEST(DecisionList, WhatDiffersIsNotInOneGroup) {
  struct Case {
    const char* what;
    std::function<void(Decision&)> change;
  };
  for (const Case& c :
       std::vector<Case>{{"kind", [](Decision& it) { it.kind = WorkKind::batch; }},
                         {"class", [](Decision& it) { it.work_class = "chat"; }},
                         {"model", [](Decision& it) { it.model = "gemma"; }},
                         {"rule", [](Decision& it) { it.rule = "other"; }},
                         {"preferred pool", [](Decision& it) { it.preferred_pool = "tpu"; }},
                         {"pool", [](Decision& it) { it.pool = "tpu"; }},
                         {"action", [](Decision& it) { it.action = Action::reject; }},
                         {"reason", [](Decision& it) { it.fallback_reason = Reason::capacity; }}}) {
    Decided fleet;
    for (int i = 0; i < 3; ++i) fleet.decide(milliseconds(i));
    fleet.decide(milliseconds(3), "gpu-a/r0", c.change);
    EXPECT_EQ(fleet.told(fleet.lines()), "4 3x3") << c.what;
  }
}

TEST(DecisionList, AGroupOfSeveralTargetsNamesTheirPool) {
  Decided fleet;
  for (int i = 0; i < 3; ++i) fleet.decide(milliseconds(i));
  EXPECT_EQ(target_of(fleet.model, fleet.lines().front()), "gpu-a/r0");
  fleet.decide(milliseconds(3), "gpu-a/r1");
  EXPECT_EQ(fleet.told(fleet.lines()), "4x4");
  EXPECT_EQ(target_of(fleet.model, fleet.lines().front()), "hopper");
}

TEST(DecisionList, SecondsAreThoseOfTheReaderAtAnySpeed) {
  Decided fleet;
  for (int i = 0; i < 3; ++i) fleet.decide(seconds(3 * i));
  EXPECT_EQ(fleet.told(fleet.lines()), "3 2 1");
  EXPECT_EQ(fleet.told(fleet.lines({}, seconds(60))), "3x3") << "a minute in each wall second";
}

TEST(DecisionList, AShortListStillCountsItsLastGroupCompletely) {
  Decided fleet;
  for (int i = 0; i < 5; ++i) fleet.decide(milliseconds(i));
  fleet.decide(seconds(1));
  fleet.decide(seconds(2));
  const std::vector<std::uint64_t> numbers = list_decisions(fleet.model, FleetFilter());
  EXPECT_EQ(fleet.told(group_decisions(fleet.model, numbers, seconds(1), {}, 1)), "7");
  EXPECT_EQ(fleet.told(group_decisions(fleet.model, numbers, seconds(1), {}, 3)), "7 6 5x5");
}

TEST(DecisionList, AnOpenGroupShowsItsDecisionsAndStaysOpenWhileItGrows) {
  Decided fleet;
  for (int i = 0; i < 3; ++i) fleet.decide(milliseconds(i));
  DecisionList list;
  const auto laid_out = [&] { list.lines = fleet.lines(list.opened); };
  laid_out();
  choose_decision(list, 0);
  ASSERT_TRUE(toggle_group(list));
  laid_out();
  EXPECT_EQ(fleet.told(list.lines), "3x3 .3 .2 .1");
  choose_decision(list, 2);
  EXPECT_FALSE(toggle_group(list)) << "a decision is no group";
  fleet.decide(milliseconds(4));
  laid_out();
  EXPECT_EQ(fleet.told(list.lines), "4x4 .4 .3 .2 .1");
  EXPECT_EQ(list.lines[static_cast<std::size_t>(index_of_chosen(list))].number, 2u);
  EXPECT_TRUE(close_group(list));
  laid_out();
  EXPECT_EQ(fleet.told(list.lines), "4x4");
  EXPECT_EQ(index_of_chosen(list), 0) << "the group is selected when it closes";
  EXPECT_FALSE(close_group(list));
}

}  // namespace
}  // namespace drover::tui
