// What a fleet promises whatever people do to it.
#pragma once

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "simulator/simulation.h"

namespace drover::simulator {

/// At the end of a run, when all that was asked for has ended.
inline void expect_end_state_invariants(const Simulation& world, const std::string& what) {
  SCOPED_TRACE(what);
  std::map<JobId, int> accepted;
  std::map<JobId, int> ended;
  for (const LedgerRow& row : world.ledger()) {
    if (row.transition == Transition::accepted) ++accepted[row.job];
    if (row.transition == Transition::finished || row.transition == Transition::failed) {
      ++ended[row.job];
    }
  }
  for (const auto& [job, answer] : world.seen().answers) {
    if (answer.status == SubmitStatus::refused) continue;
    EXPECT_EQ(accepted[job], 1) << to_text(job);
    EXPECT_EQ(ended[job], 1) << to_text(job);
  }
  for (const auto& [job, times] : ended) EXPECT_EQ(times, 1) << to_text(job);
  EXPECT_EQ(world.seen().placed_on_unusable, 0U);
  EXPECT_EQ(world.seen().undecodable, 0U);
  EXPECT_EQ(world.seen().alerts_out_of_turn, 0U);
  for (const auto& [host, device] : world.seen().unusable) {
    ADD_FAILURE() << host << '/' << device << " is still unusable";
  }
  for (const auto& [host, device] : world.seen().injected) {
    ADD_FAILURE() << host << '/' << device << " is still shown as faulty";
  }
  for (const auto& [rule, subject] : world.seen().standing) {
    ADD_FAILURE() << "the alert " << rule << " of " << subject << " still stands";
  }
}

}  // namespace drover::simulator
