// One training gang: k optimiser steps as one closed form. All devices wait for the slowest, so
// the gang's pace is the minimum of theirs. For a multi-host gang this is one host's part: it
// holds its devices, waits for the router's start, and runs at the router's step time, never
// faster than its own.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agents/execution/attempt.h"
#include "agents/execution/decode_run.h"
#include "agents/execution/paused_clock.h"
#include "devices/operation/step.h"
#include "fleet/messages.h"

namespace drover::agents {

/// Why a gang cannot train this on these devices from this checkpoint; nothing: it can.
std::optional<Refusal> refuse_training(const devices::Placement& placement,
                                       const devices::ModelSpec& model, const Workload& work,
                                       std::uint32_t from_step = 0);

class TrainingGang {
 public:
  /// REQUIRES that refuse_training() returns nothing. Starts at the instant of the reading.
  TrainingGang(AttemptKey key, std::vector<std::uint16_t> devices, devices::Placement placement,
               devices::ModelSpec model, const Workload& work, double pace,
               const EnergyReading& reading, std::uint32_t from_step = 0,
               const std::optional<GangLayout>& layout = std::nullopt);

  const AttemptKey& key() const { return key_; }
  const std::vector<std::uint16_t>& devices() const { return devices_; }
  const std::string& model() const { return model_.id; }

  Instant next_event() const;
  /// Sets the share of the nominal pace and of the link bandwidth from now on. REQUIRES that it is
  /// not paused.
  void set_pace(Instant now, double pace, double link_share);
  double pace() const { return pace_; }
  double link_share() const { return placement_.link_share; }
  /// Pauses or resumes progress; after a resume it continues where it was.
  void set_paused(Instant now, bool paused);
  /// Multi-host gang: sets the gang's step time from now on; 0: paused.
  void set_gang_step(Instant now, double step_s);
  /// Multi-host gang: not started, or paused.
  bool waits() const { return layout_ && gang_step_s_ <= 0; }
  /// Whether it was never started and the reservation of its devices is over.
  bool expired(Instant now) const { return waits() && !begun_ && now >= reserved_until_; }
  bool is_member() const { return layout_.has_value(); }
  /// Multi-host gang: its own step time at this pace; hung: it is paused.
  MemberStepTime own_step_time(double pace, double link_share, bool hung) const;
  /// Whether to report this step time: it differs measurably from the last reported one. If so, it
  /// counts as reported.
  bool take_step_time_change(const MemberStepTime& step_time);
  devices::Step activity() const;
  double memory_bytes() const;
  Progress progress(Instant now) const;

  /// The end: finished at next_event(), or stopped before it for a reason.
  EndedAttempt finish(const EnergyReading& reading) const;
  EndedAttempt stop(const EnergyReading& reading, Reason reason, std::string detail) const;

 private:
  double elapsed_s(Instant now) const;
  devices::Step own_step(double pace, const devices::Placement& placement) const;
  /// Restarts the run of remaining steps at the current pace.
  void rebase(Instant now);
  /// Includes the steps before `from_step`; a checkpoint is written at every multiple of the
  /// interval, between two steps and in no time.
  double steps_done(Instant now) const;
  std::uint32_t steps_saved(Instant now) const;
  EndedAttempt ended(const EnergyReading& reading) const;

  AttemptKey key_;
  std::vector<std::uint16_t> devices_;
  devices::Placement placement_;
  devices::ModelSpec model_;
  devices::TrainingShape shape_;
  std::uint32_t steps_ = 0;
  std::uint32_t from_step_ = 0;
  std::uint32_t checkpoint_steps_ = 0;
  double pace_ = 1;
  double stretch_ = 1;  // factor on every step if its pace was measured
  EnergyReading started_;
  // The remaining steps since `began_` at this pace: a run without growth.
  DecodeRun run_;
  std::uint64_t steps_left_ = 0;
  Instant began_{};
  PausedClock paused_clock_;
  std::optional<GangLayout> layout_;
  double gang_step_s_ = 0;
  bool begun_ = false;
  Instant reserved_until_ = never;
  std::optional<MemberStepTime> reported_;
};

}  // namespace drover::agents
