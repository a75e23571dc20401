// Compares devices for one workload: the same case on several candidates over a range of batches,
// ranked by time, cost or energy, and the batches at which the winner changes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "devices/case/case.h"
#include "devices/estimate/estimate.h"

namespace drover::devices {

/// A number of devices of one model: "h100-sxm:8".
struct Candidate {
  const DeviceSpec* device = nullptr;
  int count = 1;
};

/// Limits that the work must meet; none: no limit.
struct Objectives {
  std::optional<double> ttft_s, tpot_s, step_s;
};

struct ComparisonWorkload {
  std::string name;
  CaseKind kind = CaseKind::serve;
  const ModelSpec* model = nullptr;    // of a catalogue that outlives the workload
  std::optional<Precision> precision;  // none: the usual one of each device
  std::optional<double> sequence, input, output;
  double samples = 1e6;  // train: samples of one epoch
  Objectives objectives;
};

/// The metric by which candidates are ranked.
enum class RankingMetric : std::uint8_t { time, cost, energy };
std::string_view to_text(RankingMetric measure);

/// The result of one candidate at one batch. The unit is an epoch (train), a million output tokens
/// (serve) or a million inferences (infer).
struct ComparisonResult {
  Candidate candidate;
  double batch = 1;
  Precision precision = Precision::bf16;
  std::optional<Estimate> estimate;             // none: `why` has the reason
  std::string why;                              // why it is not eligible or cannot be estimated
  bool eligible = false;                        // fits and meets all objectives
  double unit_s = 0, unit_usd = 0, unit_j = 0;  // usd negative: no price is known
  double utilization = 0;                       // achieved flop/s over peak, for kinds that have it
  double units_per_wh = 0;                      // samples or tokens per watt-hour
  std::string_view confidence;
  double value(RankingMetric measure) const;
};

ComparisonResult compare_one(const ComparisonWorkload& work, const Candidate& candidate,
                             double batch);

/// Index of the best eligible candidate; none when no candidate is eligible. Ties go to the first.
std::optional<std::size_t> winner(const std::vector<ComparisonResult>& compared,
                                  RankingMetric measure);

/// Whole batches from `low` to `high` in which one candidate wins.
struct WinningRange {
  double low = 1, high = 1;
  std::optional<std::size_t> candidate;  // none: no candidate is eligible
};
/// Evaluates powers of two. Between neighbours with different winners, searches for the batch at
/// which the winner changes.
std::vector<WinningRange> winning_ranges(const ComparisonWorkload& work,
                                         const std::vector<Candidate>& candidates, double low,
                                         double high, RankingMetric measure);

}  // namespace drover::devices
