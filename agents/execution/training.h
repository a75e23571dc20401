// One training gang: k optimiser steps as one closed form. All devices wait for the slowest, so the
// pace is the least of theirs. Of a gang over hosts this is one host's part: it holds its devices,
// waits until it is told to begin, and goes at the pace that it is told, never faster than its own.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agents/execution/attempt.h"
#include "agents/execution/decode_run.h"
#include "agents/execution/standstill.h"
#include "devices/operation/step.h"
#include "fleet/messages.h"

namespace drover::agents {

/// Why a gang cannot train this on these devices, from this checkpoint on, if so.
std::optional<Refusal> refuse_training(const devices::Placement& placement,
                                       const devices::ModelSpec& model, const Workload& work,
                                       std::uint32_t from_step = 0);

class TrainingGang {
 public:
  /// REQUIRES that refuse_training() has nothing against it. Starts at the meter's instant.
  TrainingGang(AttemptKey key, std::vector<std::uint16_t> devices, devices::Placement placement,
               devices::ModelSpec model, const Workload& work, double pace, const Meter& meter,
               std::uint32_t from_step = 0, const std::optional<GangPart>& part = std::nullopt);

  const AttemptKey& key() const { return key_; }
  const std::vector<std::uint16_t>& devices() const { return devices_; }
  const devices::DeviceSpec& device() const { return *placement_.device; }

  Instant next_event() const;
  /// The share of the nominal pace, and of the links' bandwidth, from now on.
  /// REQUIRES that it does not stand still.
  void set_pace(Instant now, double pace, double link_share);
  double pace() const { return pace_; }
  double link_share() const { return placement_.link_share; }
  /// No progress until it is told otherwise; then it goes on where it was.
  void stand_still(Instant now, bool still);
  /// Of a gang over hosts: what a step of the whole takes from now on; 0: stand still.
  void set_gang_step(Instant now, double step_s);
  /// Of a gang over hosts: not told to begin, or to stand still.
  bool waits() const { return part_ && gang_step_s_ <= 0; }
  /// It was never told to begin, and its devices are reserved no longer.
  bool expired(Instant now) const { return waits() && !begun_ && now >= reserved_until_; }
  bool is_part() const { return part_.has_value(); }
  /// Of a gang over hosts: what it would take by itself at this pace; hung: it stands still.
  MemberPace own_pace(double pace, double link_share, bool hung) const;
  /// Whether this differs from what was told last, by more than anybody could measure; then it has
  /// been told.
  bool tells(const MemberPace& pace);
  devices::Step activity() const;
  double memory_bytes() const;
  Progress progress(Instant now) const;

  /// The end, complete at next_event() or before it for a reason.
  EndedAttempt finish(const Meter& meter) const;
  EndedAttempt stop(const Meter& meter, Reason reason, std::string detail) const;

 private:
  double elapsed_s(Instant now) const;
  devices::Step own_step(double pace, const devices::Placement& placement) const;
  /// The steps left go on at the present pace.
  void rebase(Instant now);
  /// With the steps before `from_step`; a checkpoint is written at every multiple of the interval,
  /// between two steps and in no time.
  double steps_done(Instant now) const;
  std::uint32_t steps_saved(Instant now) const;
  EndedAttempt ended(const Meter& meter) const;

  AttemptKey key_;
  std::vector<std::uint16_t> devices_;
  devices::Placement placement_;
  devices::ModelSpec model_;
  devices::TrainingShape shape_;
  std::uint32_t steps_ = 0;
  std::uint32_t from_step_ = 0;
  std::uint32_t checkpoint_steps_ = 0;
  double pace_ = 1;
  double stretch_ = 1;  // of every step, where its pace was measured
  Meter started_;
  // The steps still to do, since `began_` at this pace: a run without growth.
  DecodeRun run_;
  std::uint64_t steps_left_ = 0;
  Instant began_{};
  Standstill standstill_;
  std::optional<GangPart> part_;
  double gang_step_s_ = 0;
  bool begun_ = false;
  Instant reserved_until_ = never;
  std::optional<MemberPace> told_;
};

}  // namespace drover::agents
