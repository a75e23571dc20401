// Estimates of what a job will take on a placement: the device model times a ratio learnt per
// (device kind and host, class of work). The estimation error is kept and published.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "devices/catalogue/model.h"
#include "devices/serving/performance.h"
#include "fleet/decision.h"
#include "fleet/job.h"
#include "router/fleet_state/fleet_state.h"
#include "router/policy/policy.h"

namespace drover::router {

struct DecisionScratch;
class ServingMemo;

/// Memos kept for serving, some 3 KB each: one per model, spec, precision and number of devices of
/// any replica. The last three come from agents; beyond this number all are dropped.
inline constexpr std::size_t serving_memos_max = 16'384;

/// Time of one request or gang alone on a placement, memoised per (spec, model, precision,
/// devices, shape buckets).
class Estimator {
 public:
  Estimator();
  ~Estimator();

  struct Run {
    double seconds = 0;  // from start to end, before the learnt ratio
    double first_token_s = 0;
    double power_w = 0;   // over all devices while it runs, above idle power
    double prompt_w = 0;  // serve: the same during prefill; 0: not known
  };
  /// `from_step`: steps already done.
  Run train(const devices::Placement& placement, const devices::ModelSpec& model,
            const Workload& work, std::uint32_t from_step = 0);
  /// The memo of serving estimates for one placement. Valid until `forget_devices` or
  /// `forget_excess`.
  ServingMemo& serving(const devices::Placement& placement, const devices::ModelSpec& model);

  /// Learnt factor on Run::seconds for this kind of work on this group; 1 before the first
  /// attempt has ended.
  double ratio(GroupIndex group, WorkKind kind, std::string_view model) const;
  /// The same for every group (1 beyond the end); null before any.
  const std::vector<double>* ratios(WorkKind kind, std::string_view model) const;
  /// Learns from one ended attempt: its predicted (ratio included) and measured time. `ratio_then`
  /// is the ratio in the prediction (Allocation::ratio); 0: the current one. With many attempts in
  /// flight the two differ, and a correction would otherwise be applied many times.
  void learn(GroupIndex group, WorkKind kind, std::string_view model, double predicted_s,
             double actual_s, double ratio_then = 0);
  /// As if all attempts learnt by `other` had been learnt here.
  void learn_from(const Estimator& other);
  /// The group has changed: drops what was learnt about it.
  void forget(GroupIndex group);
  /// Drops everything computed from device specs, which will be freed.
  void forget_devices();
  /// Called between decisions: drops all memos when there are more than `serving_memos_max`.
  void forget_excess();
  std::size_t serving_count() const;
  /// Relative error of the last predictions, in either direction: 0.25 means a factor of 1.25 in
  /// the geometric mean. 0 before any.
  double error() const;

  /// Buffers that decisions reuse, so that a scan allocates nothing.
  DecisionScratch& scratch();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Prefill times by prompt length and decode step times by batch, each computed once.
class ServingMemo {
 public:
  ServingMemo(const devices::Placement& placement, const devices::ModelSpec& model);
  /// `batch`: requests that will run beside it.
  Estimator::Run run(const Workload& work, std::uint32_t batch);

 private:
  struct Decode {
    bool known = false;
    devices::DecodeStepTime step_time;
    double power_w = 0;
  };
  struct Prefill {
    double seconds = -1;  // negative: not yet known
    double power_w = 0;
  };
  const Prefill& prefill_at(std::size_t knot);
  double prefill_s(double tokens);
  /// Watts over all devices.
  double above_open_w(const devices::Step& step) const;
  const Decode& decode(std::uint32_t batch_exponent);

  devices::Placement placement_;
  devices::ModelSpec model_;
  std::vector<Prefill> prefill_;  // by knot
  std::vector<Decode> decode_;    // by batch exponent
};

}  // namespace drover::router
