// The architect's first question: which devices for this work? The same case on several candidates,
// over a range of batches, by time, $, energy; and the batches at which the winner changes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "devices/case/case.h"
#include "devices/estimate/estimate.h"

namespace drover::devices {

/// So many devices of one kind: "h100-sxm:8".
struct Candidate {
  const DeviceSpec* device = nullptr;
  int count = 1;
};

/// What the work must keep to; nothing: no limit.
struct Objectives {
  std::optional<double> ttft_s, tpot_s, step_s;
};

struct Workset {
  std::string name;
  CaseKind kind = CaseKind::serve;
  const ModelSpec* model = nullptr;    // of a catalogue that outlives it
  std::optional<Precision> precision;  // nothing: each device's usual one
  std::optional<double> sequence, input, output;
  double samples = 1e6;  // train: of one epoch
  Objectives objectives;
};

/// By what candidates are ranked.
enum class Measure : std::uint8_t { time, cost, energy };
std::string_view to_text(Measure measure);

/// One candidate at one batch. The unit: train: an epoch; serve: a million output tokens; infer: a
/// million inferences.
struct Compared {
  Candidate candidate;
  double batch = 1;
  Precision precision = Precision::bf16;
  std::optional<Estimate> estimate;  // nothing: `why` says what cannot be said
  std::string why;                   // does not fit; misses which objective; cannot be estimated
  bool eligible = false;             // fits and keeps all objectives
  double unit_s = 0, unit_usd = 0, unit_j = 0;  // usd negative: no price is known
  double utilization = 0;   // achieved flop/s over peak, as far as the kind knows it
  double units_per_wh = 0;  // performance per watt: samples or tokens per watt-second x 3600
  std::string_view confidence;
  double value(Measure measure) const;
};

Compared compare_one(const Workset& work, const Candidate& candidate, double batch);

/// Index of the best eligible; nothing when none is. Ties go to the first.
std::optional<std::size_t> winner(const std::vector<Compared>& compared, Measure measure);

/// Whole batches from `low` to `high` in which one candidate wins.
struct WinningRange {
  double low = 1, high = 1;
  std::optional<std::size_t> candidate;  // nothing: none is eligible
};
/// Looks at powers of two, and between two with different winners finds the batch of the change.
std::vector<WinningRange> winning_ranges(const Workset& work,
                                         const std::vector<Candidate>& candidates, double low,
                                         double high, Measure measure);

}  // namespace drover::devices
