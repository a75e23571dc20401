// The most that an attempt can have used and delivered: its devices, for the time since it was
// leased. What an agent says beyond that is cut. And what a host can be.
#pragma once

#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "router/jobs/jobs.h"
#include "router/roster/roster.h"

namespace drover::router {

struct FigureBounds {
  Usage usage;
  double elapsed_s = 0;
};

/// A Hello with figures that no host can have is refused. Its price is the roster's to check.
Status check_figures(const Hello& hello);

/// Of the member's part. `elapsed`: since the lease, with what clocks and messages may differ by.
FigureBounds bounds_of(const Roster& roster, const Member& member, Duration elapsed);

/// Each answers whether anything was more.
bool cut(Usage& usage, const FigureBounds& most);
bool cut(Outcome& outcome, const FigureBounds& most, const Job& job);
/// What a device of so much memory can hold: a token takes a byte of it at least.
bool cut(Replica& replica, double memory_bytes);
/// A duration that an agent expects: from nothing to a year. The codec lets in no others than
/// finite ones.
bool cut_estimate(double& seconds);

}  // namespace drover::router
