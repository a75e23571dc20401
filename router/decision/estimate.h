// What the router believes a job will take somewhere: the device model times a ratio learnt per
// (device kind and host, class of work). Its error is kept and published.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "devices/catalogue/model.h"
#include "devices/serving/performance.h"
#include "fleet/decision.h"
#include "fleet/job.h"
#include "router/policy/policy.h"
#include "router/roster/roster.h"

namespace drover::router {

struct DecisionScratch;
class ServingMemo;

/// Memos of serving, some 3 KB each, one for every model, spec, precision and number of devices
/// that any replica has had. Agents say the last three: many more than fleets have are forgotten.
inline constexpr std::size_t serving_memos_max = 16'384;

/// Seconds that one request or gang takes alone on a placement, memoised per (spec, model,
/// precision, devices, shape buckets).
class Estimator {
 public:
  Estimator();
  ~Estimator();

  struct Run {
    double seconds = 0;  // from start to end, before the learnt ratio
    double first_token_s = 0;
    double power_w = 0;   // drawn over all devices while it runs, above what they draw idle
    double prompt_w = 0;  // serve: the same while the prompt is read; 0: not known
  };
  /// `batch`: requests that will run beside it (serve).
  Run serve(const devices::Placement& placement, const devices::ModelSpec& model,
            const Workload& work, std::uint32_t batch);
  /// `from_step`: its steps before are done.
  Run train(const devices::Placement& placement, const devices::ModelSpec& model,
            const Workload& work, std::uint32_t from_step = 0);
  /// The memo behind `serve` for one placement, for those who ask it often. Valid for the
  /// estimator's life, or until `forget_devices` or `forget_excess`.
  ServingMemo& serving(const devices::Placement& placement, const devices::ModelSpec& model);

  /// Learnt factor on Run::seconds for this kind of work on this replica or group; 1 before any.
  double ratio(HostIndex host, GroupIndex group, WorkKind kind, std::string_view model) const;
  /// The same for every group (1 where a group is beyond its end); null before any.
  const std::vector<double>* ratios(WorkKind kind, std::string_view model) const;
  /// One ended attempt: what was predicted (after the ratio) and what was measured. `ratio_then` is
  /// the ratio that the prediction held (Place::ratio); 0: the present one. With many attempts in
  /// flight the two differ, and without it a correction would be applied many times over.
  void learn(HostIndex host, GroupIndex group, WorkKind kind, std::string_view model,
             double predicted_s, double actual_s, double ratio_then = 0);
  /// As if all attempts that taught the other one had been learnt here.
  void learn_from(const Estimator& other);
  /// The group is another one now.
  void forget(GroupIndex group);
  /// Devices' specs are to go: nothing of what was worked out for any is kept.
  void forget_devices();
  /// To be told between decisions: with more than `serving_memos_max`, it starts anew with them.
  void forget_excess();
  std::size_t serving_count() const;
  /// By how much the last attempts were missed, either way: 0.25 is by a factor of 1.25 in the
  /// geometric mean. 0 before any.
  double error() const;

  /// Room that decisions reuse, so that a scan allocates nothing.
  DecisionScratch& scratch();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Prefill times by prompt length and decode paces by batch, each worked out once.
class ServingMemo {
 public:
  ServingMemo(const devices::Placement& placement, const devices::ModelSpec& model);
  Estimator::Run run(const Workload& work, std::uint32_t batch);

 private:
  struct Decode {
    bool known = false;
    devices::DecodePace pace;
    double power_w = 0;
  };
  struct Prefill {
    double seconds = -1;  // negative: not yet known
    double power_w = 0;
  };
  const Prefill& prefill_at(std::size_t knot);
  double prefill_s(double tokens);
  /// Over all devices.
  double above_open_w(const devices::Step& step) const;
  const Decode& decode(std::uint32_t batch_exponent);

  devices::Placement placement_;
  devices::ModelSpec model_;
  std::vector<Prefill> prefill_;  // by knot
  std::vector<Decode> decode_;    // by batch exponent
};

}  // namespace drover::router
