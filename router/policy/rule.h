// Rules: which jobs they match, which pools to try in which order, how candidates are scored, and
// where to go when there is no placement.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/reason.h"
#include "fleet/workload.h"

namespace drover::router {

struct Range {
  double low = 0;
  double high = 1e300;
  bool holds(double value) const { return value >= low && value <= high; }
};

struct When {
  std::vector<WorkKind> kinds;  // empty: any
  std::string model = "*";      // glob on the model's id or family
  Range input_tokens, output_tokens, batch, gang;
  Range priority{-1e300, 1e300};
  std::string tenant = "*";
  std::string stage = "*";           // glob
  std::vector<std::string> classes;  // class names; empty: any class or none
};

enum class Scorer : std::uint8_t {
  queue,
  start_time,
  finish_time,
  latency,
  cost,
  energy,
  locality,
  fragmentation,
  temperature,
  power_headroom,
  switch_cost,
  prefix,
  distance,
};
inline constexpr int scorer_count = 13;
std::string_view to_text(Scorer scorer);
std::optional<Scorer> parse_scorer(std::string_view text);

enum class Pick : std::uint8_t { max, p2c, weighted };
enum class FallbackAction : std::uint8_t { go, queue, reject, shed };

struct Guard {
  std::optional<double> finish_ratio_max;  // est_finish = "< primary * 1.5"
  std::optional<double> extra_cost_max;    // extra_cost = "<= 40%" -> 0.4
  std::optional<double> extra_energy_max;
};

/// Sticky fallback. After this step has placed a job for a transient reason, the rule's jobs go
/// where the step leads without trying the preferred pool, for `after` of fleet time; only `probe`
/// jobs at a time still try it. When a probe has finished there, or `after` has passed, all jobs
/// try it again. Meanwhile pools of a higher tier than that of `floor` are not used: jobs wait
/// instead.
struct Failback {
  Duration after{0};  // 0: every job tries the preferred pool first
  std::uint32_t probe = 1;
  std::string floor;  // empty: none
};

struct Fallback {
  std::vector<Reason> on;  // empty: "*"
  FallbackAction action = FallbackAction::go;
  std::string to;  // pool, when action is go
  std::optional<Precision> change_precision;
  Guard guard;
  Duration max_wait{0};  // action queue: then the job fails; 0: no limit
  Failback failback;
};

/// Break-even: a job leaves the preferred pool when that costs less, by `margin`, than waiting and
/// running there, in the objective's unit: seconds until the end (latency, balanced), dollars
/// (cost), joules (energy). The last two need a price of waiting. Once jobs leave, they keep
/// leaving until it costs more by `back`.
struct Spill {
  double margin = 0.1;
  double back = 0.1;
  double wait_usd_per_h = 0;
  double wait_w = 0;
};

/// Whether a gang may span hosts of its pool: never, if no group is large enough, or if no group
/// has enough free devices now.
enum class MultiHost : std::uint8_t { never, if_larger, if_full };

/// Which running work may be preempted for a job of the rule that would otherwise wait for
/// capacity: training gangs of strictly lower priority. They return to the queue at their last
/// checkpoint.
struct Preempt {
  bool trainings = false;                    // all of them
  std::vector<std::string> classes;          // or those of these classes
  Duration grace{std::chrono::seconds(30)};  // to write a checkpoint, or to finish
};

struct Rule {
  std::string name;
  When when;
  std::vector<Precision> precisions;       // require.precision: accepted, best first; empty: any
  double rtt_max_s = 0;                    // require.rtt_ms: to the clients; 0: any
  Duration data_within{0};                 // require.data_within: transfer time; 0: any
  double memory_headroom = 0;              // require.mem_headroom, share
  std::vector<std::string> interconnects;  // require.interconnect: "nvlink", "ici"
  MultiHost over_hosts = MultiHost::if_larger;
  std::vector<std::string> pools;  // ordered
  std::array<double, scorer_count> weights{};
  bool scores(Scorer scorer) const { return weights[static_cast<std::size_t>(scorer)] > 0; }
  Pick pick = Pick::max;
  double slo_ttft_s = 0;  // 0: none
  double slo_deadline_s = 0;
  std::optional<Spill> spill;
  std::vector<Fallback> fallbacks;
  std::optional<Preempt> preempt;
};

}  // namespace drover::router
