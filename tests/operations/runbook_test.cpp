// An operator's day, day.md, with real processes: each action is done, and then every surface says
// what the table says, and all of them say the same.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/operations/consistency.h"
#include "tests/operations/counters.h"
#include "tests/operations/expectations.h"

namespace drover::operations {
namespace {

std::string day_text() {
  std::ifstream file(std::string(DROVER_SOURCE_DIR) + "/tests/operations/day.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string text_of(const Step& step) {
  std::string text = fmt::format("{}.", step.number);
  for (const Action& action : step.actions) text += " " + action.text;
  return text;
}

using Clock = std::chrono::steady_clock;

/// A line each; of very many the first ones.
std::string listed(Mismatches complaints) {
  constexpr std::size_t most = 16;
  const std::size_t count = complaints.size();
  if (count > most) {
    complaints.resize(most);
    complaints.push_back(fmt::format("and {} more", count - most));
  }
  return fmt::format("{}", fmt::join(complaints, "\n  "));
}

/// What is wrong in one look. What has fallen once has fallen, whatever comes later.
Mismatches wrong_now(const Step& step, const FleetProcesses& stage, Counters& counters,
                     Mismatches& fallen) {
  const FleetSnapshot brief = FleetSnapshot::brief(stage);
  for (std::string& one : counters.take(brief)) fallen.push_back(std::move(one));
  Mismatches complaints = unmet(step, brief, stage);
  if (!complaints.empty()) return complaints;
  const FleetSnapshot whole = FleetSnapshot::whole(stage);
  complaints = unmet(step, whole, stage);
  return complaints.empty() ? disagreements(whole, stage) : complaints;
}

/// What is right once may be right by chance, while something is under way.
constexpr int clean_looks = 2;

/// Looks again and again until nothing is wrong in two looks on end, the first of which has begun
/// in time.
Mismatches settle(const Step& step, const FleetProcesses& stage, Counters& counters) {
  const auto end = Clock::now() + step.within;
  Mismatches fallen, complaints;
  for (int clean = 0; clean < clean_looks;) {
    const bool in_time = Clock::now() < end;
    complaints = wrong_now(step, stage, counters, fallen);
    clean = complaints.empty() ? clean + 1 : 0;
    if (clean == 0 && !in_time) break;
    for (int pause = 0; clean == 0 && pause < 25; ++pause) commands::rest();
  }
  complaints.insert(complaints.end(), fallen.begin(), fallen.end());
  return complaints;
}

TEST(Runbook, ParsesIntoFortyStepsThatCheckEverySurface) {
  const auto day = read_day(day_text());
  ASSERT_TRUE(day) << day.error().message;
  EXPECT_EQ(day->size(), 40U);
  std::set<std::string> surfaces;
  for (const Step& step : *day) {
    EXPECT_FALSE(step.actions.empty()) << step.number;
    EXPECT_FALSE(step.expected.empty()) << step.number;
    for (const Expectation& expected : step.expected) surfaces.insert(expected.surface);
  }
  EXPECT_EQ(surfaces, (std::set<std::string>{"status", "devices", "jobs", "why", "alerts"}));
}

TEST(Runbook, ReportsTheLineThatIsNotAStep) {
  const std::string head = "| # | done | status |\n|---|---|---|\n";
  EXPECT_EQ(read_day(head + "| 1 | router |\n").error().message,
            "line 3: found 2 cells, expected 3");
  EXPECT_EQ(read_day(head + "| 2 | router | |\n").error().message,
            "line 3: found step '2', expected 1");
  EXPECT_EQ(read_day(head + "| | router | |\n").error().message, "line 3: no step has begun");
}

// One test: each step begins where the one before has ended.
TEST(Runbook, EverySurfaceMatchesTheTableAndTheOtherSurfaces) {
  const auto day = read_day(day_text());
  ASSERT_TRUE(day) << day.error().message;
  // For those who change the table: DROVER_DAY_UNTIL=7 ends after step 7.
  const char* const until = std::getenv("DROVER_DAY_UNTIL");
  FleetProcesses stage;
  Counters counters;
  for (const Step& step : *day) {
    if (until != nullptr && step.number > std::atoi(until)) break;
    const auto began = Clock::now();
    for (const Action& action : step.actions) {
      for (const std::string& complaint : stage.act(action)) {
        ADD_FAILURE() << text_of(step) << "\n  day.md:" << action.line << ": " << complaint;
      }
    }
    const Mismatches complaints = settle(step, stage, counters);
    const std::chrono::duration<double> took = Clock::now() - began;
    std::printf("%6.1f s  %s\n", took.count(), text_of(step).c_str());
    std::fflush(stdout);
    if (!complaints.empty()) {
      ADD_FAILURE() << text_of(step) << "\n  " << listed(complaints);
    }
  }
  EXPECT_EQ(stage.ended(), "");
}

}  // namespace
}  // namespace drover::operations
