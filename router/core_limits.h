// How much the router's core takes on at once, and how much it remembers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace drover::router {

/// Decisions in one tick; the rest follows in the next, so that messages are not left unread.
inline constexpr int decisions_per_tick = 2'000;
/// The fleet's energy and cost go into the ledger after so many heartbeats: the cost of so long is
/// what a killed router loses of them.
inline constexpr int counters_every_heartbeats = 10;
/// Decisions remembered per job, for `why`.
inline constexpr std::size_t decisions_per_job = 64;
/// Unknown names of models for which the nearest known one is looked for, between two ticks. Each
/// takes up to half a millisecond; the others are refused without.
inline constexpr std::uint32_t suggestions_per_tick = 8;

}  // namespace drover::router
