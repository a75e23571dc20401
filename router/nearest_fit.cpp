// The smallest single change that would place a job.
//
// Filters run as in a decision. A row that fails exactly one of them is one change away, and how
// large that change is can be read from the row: seconds until devices are free, watts over the
// cap, bytes over the memory. A place whose kind runs no accepted precision is judged no further,
// so it is looked at once more with every precision allowed.
#include <algorithm>
#include <array>
#include <bit>

#include "fleet/text.h"
#include "fleet/units.h"
#include "router/criteria.h"
#include "router/explain.h"

namespace drover::router {
namespace {

struct Gap {
  double amount = 0;
  std::string change;
};

/// One row that one filter rejects.
struct Missed {
  const Question& question;
  const Standings& rows;
  std::size_t row;
  const PlaceKind& kind;
};

double room_bytes(const Missed& missed) {
  const devices::DeviceSpec& spec = *missed.kind.spec;
  return (spec.memory_bytes - spec.reserved_bytes) * (1 - missed.question.rule.memory_headroom);
}

devices::Placement placement_of(const Missed& missed, int devices) {
  return {missed.kind.spec, devices, missed.kind.precision.value_or(Precision::bf16)};
}

/// Bytes that each device lacks.
Gap memory_gap(const Missed& missed) {
  const Question& question = missed.question;
  const devices::ModelSpec& model = *question.ask.model;
  double lacks = 0;
  if (question.purpose == Purpose::gang) {
    const Workload& work = question.ask.job->work;
    const devices::TrainingShape shape{std::max(1U, work.batch), std::max(1U, work.sequence)};
    lacks = devices::training_bytes(placement_of(missed, missed.kind.devices), model, shape) -
            room_bytes(missed);
  } else {
    const bool loaded = missed.rows.replica[missed.row] != nowhere;
    const int devices = std::max(1, loaded ? missed.kind.devices : missed.kind.group_devices);
    const devices::Placement placement = placement_of(missed, devices);
    const double token_bytes = devices::kv_bytes_per_token(placement, model) / devices;
    const auto need = static_cast<double>(question.need_tokens);
    const double share = 1 - question.rule.memory_headroom;
    lacks = loaded ? (need - missed.rows.tokens_max[missed.row] * share) * token_bytes
                   : devices::weights_bytes(placement, model) + need * token_bytes / share -
                         room_bytes(missed);
  }
  return {lacks, fmt::format("+{:.1f} GB of memory per device", std::max(0.0, lacks) / 1e9)};
}

Gap precision_gap(const Missed& missed) {
  return {0, fmt::format("{} allowed", missed.kind.precision ? to_text(*missed.kind.precision)
                                                             : std::string_view("fp16"))};
}

Gap context_gap(const Missed& missed) {
  const Question& question = missed.question;
  std::uint64_t limit = question.ask.model->context_max;
  const std::uint64_t of_pool = question.pool->context_max;
  if (of_pool > 0) limit = limit > 0 ? std::min<std::uint64_t>(limit, of_pool) : of_pool;
  const auto over =
      static_cast<double>(question.need_tokens - std::min(limit, question.need_tokens));
  return {over, fmt::format("{:.0f} tokens fewer", over)};
}

Gap topology_gap(const Missed& missed) {
  const Question& question = missed.question;
  const int wanted = question.ask.job->work.devices;
  const auto& sizes =
      question.pool->slices.empty() ? missed.kind.spec->slice_sizes : question.pool->slices;
  int nearest = std::min(wanted, missed.kind.group_devices);
  for (const int size : sizes) {
    if (size > missed.kind.group_devices) continue;
    const bool first = std::find(sizes.begin(), sizes.end(), nearest) == sizes.end();
    if (first || std::abs(size - wanted) < std::abs(nearest - wanted)) nearest = size;
  }
  if (nearest == wanted) return {0, "another interconnect, or a shorter way to the clients"};
  return {std::abs(static_cast<double>(nearest - wanted)),
          fmt::format("{} devices instead of {}", nearest, wanted)};
}

Gap power_gap(const Missed& missed) {
  const Question& question = missed.question;
  const Limits& limits = question.policy.limits;
  const double more_w = missed.rows.power_w[missed.row];
  double over_w = 0;
  if (limits.site_power_cap_w > 0) {
    over_w = std::max(over_w, question.site_power_w + more_w - limits.site_power_cap_w);
  }
  if (question.pool_cap_w > 0) {
    over_w = std::max(over_w, question.pool_power_w + more_w - question.pool_cap_w);
  }
  return {over_w, over_w > 0 ? "+" + watts_text(over_w) + " of power" : "more power for the rack"};
}

Gap budget_gap(const Missed& missed) {
  if (share_used_up(missed.question)) return {0, "a larger max_share of the pool"};
  const double over = missed.question.ask.spend_usd_per_h + missed.rows.usd_per_h[missed.row] -
                      missed.question.policy.limits.budget_usd_per_h;
  return {over, fmt::format("+{}/h of budget", dollars_text(over))};
}

Gap capacity_gap(const Missed& missed) {
  const double wait_s = missed.rows.start_s[missed.row];
  const double warmup_s = missed.rows.warmup_s[missed.row];
  if (warmup_s > 0) return {wait_s, duration_text(wait_s) + ", to load the model"};
  return {wait_s, duration_text(wait_s)};
}

Gap slo_gap(const Missed& missed) {
  const double over_s = missed.rows.first_token_s[missed.row] - missed.question.rule.slo_ttft_s;
  return {over_s, "+" + duration_text(over_s) + " until the first token"};
}

Gap deadline_gap(const Missed& missed) {
  const Question& question = missed.question;
  const double own_s = to_seconds(question.ask.job->deadline);
  const double finish_s = missed.rows.finish_s[missed.row];
  double over_s = own_s > 0 ? question.waited_s + finish_s - own_s : 0;
  const double rule_s = question.rule.slo_deadline_s;
  if (rule_s > 0) over_s = std::max(over_s, finish_s - rule_s);
  return {over_s, "+" + duration_text(over_s) + " of deadline"};
}

struct GapRow {
  Reason reason;
  Gap (*gap)(const Missed&);  // null: the change has no size
  std::string_view change;    // then, in words
};
constexpr std::array<GapRow, 18> gaps = {{
    {Reason::capacity, capacity_gap, ""},
    {Reason::cooldown, nullptr, "the place tried again"},
    {Reason::thermal, nullptr, "a cooler device"},
    {Reason::queue_slo, slo_gap, ""},
    {Reason::deadline, deadline_gap, ""},
    {Reason::power_cap, power_gap, ""},
    {Reason::budget, budget_gap, ""},
    {Reason::drain, nullptr, "resume"},
    {Reason::stale_telemetry, nullptr, "a sample from there"},
    {Reason::unhealthy, nullptr, "its host or device back"},
    {Reason::tenancy, nullptr, "a larger share for the tenant"},
    {Reason::precision, precision_gap, ""},
    {Reason::memory, memory_gap, ""},
    {Reason::context, context_gap, ""},
    {Reason::topology, topology_gap, ""},
    {Reason::data, nullptr, "the data nearer"},
    {Reason::framework, nullptr, "another framework or version"},
    {Reason::op_unsupported, nullptr, "without the special operation"},
}};

class Search {
 public:
  Search(Question& question, Estimator& estimator) : question_(question), estimator_(estimator) {}

  void look(const std::string& name) {
    const auto pool = question_.policy.pool_index(name);
    if (!pool || !question_.roster.pool_has_groups(*pool)) return;
    ask_pool(question_, *pool);
    accept_precisions(question_, question_.rule.precisions);
    gather(question_, estimator_, estimator_.scratch());
    collect(false);
    question_.precisions.clear();
    question_.none_accepted = false;
    gather(question_, estimator_, estimator_.scratch());
    collect(true);
  }

  std::vector<NearestFit> take() {
    const auto rank = [](const NearestFit& fit) {
      return std::find_if(gaps.begin(), gaps.end(),
                          [&](const GapRow& row) { return row.reason == fit.reason; });
    };
    std::stable_sort(best_.begin(), best_.end(),
                     [&](const NearestFit& a, const NearestFit& b) { return rank(a) < rank(b); });
    return std::move(best_);
  }

 private:
  /// `any_precision`: rows that pass now lacked nothing but the precision.
  void collect(bool any_precision) {
    const DecisionScratch& scratch = estimator_.scratch();
    const Standings& rows = scratch.rows;
    for (std::size_t row = 0; row < rows.size; ++row) {
      const std::uint32_t failed = judged(rows.failed[row]);
      const Missed missed{question_, rows, row, scratch.kinds[rows.kind[row]]};
      if (any_precision && failed == 0 && unverified(missed)) offer(missed, Reason::precision);
      if (!any_precision && std::popcount(failed) == 1) {
        offer(missed, filters()[static_cast<std::size_t>(std::countr_zero(failed))].reason);
      }
    }
  }

  /// Whether devices are free was asked for a place that cannot be: it says nothing.
  static std::uint32_t judged(std::uint32_t failed) {
    return (failed & kind_filters()) == 0 ? failed : failed & ~filters_of(Reason::capacity);
  }

  /// Its precision is not one that job and rule accept.
  bool unverified(const Missed& missed) const {
    Question strict = question_;
    accept_precisions(strict, question_.rule.precisions);
    const auto& wanted = strict.precisions;
    if (strict.none_accepted) return true;
    return !wanted.empty() && missed.kind.precision &&
           std::find(wanted.begin(), wanted.end(), *missed.kind.precision) == wanted.end();
  }

  void offer(const Missed& missed, Reason reason) {
    const auto* row = std::find_if(gaps.begin(), gaps.end(),
                                   [&](const GapRow& each) { return each.reason == reason; });
    if (row == gaps.end()) return;
    const Gap gap = row->gap != nullptr ? row->gap(missed) : Gap{0, std::string(row->change)};
    auto known = std::find_if(best_.begin(), best_.end(),
                              [&](const NearestFit& fit) { return fit.reason == reason; });
    if (known != best_.end() && known->amount <= gap.amount) return;
    if (known == best_.end()) known = best_.insert(best_.end(), NearestFit{});
    known->reason = reason;
    known->target = target_text(question_.roster, missed.rows, missed.row);
    if (known->target.ends_with('/')) {
      const GroupEntry& group = question_.roster.groups()[missed.rows.group[missed.row]];
      known->target += fmt::format("g{}", group.group.number);
    }
    known->pool = question_.pool->name;
    known->amount = gap.amount;
    known->change = gap.change;
  }

  Question& question_;
  Estimator& estimator_;
  std::vector<NearestFit> best_;
};

}  // namespace

std::vector<NearestFit> nearest_fits(const Roster& roster, const Policy& policy,
                                     Estimator& estimator, const Ask& ask, Instant now) {
  const WorkClass* work_class = class_of(policy, *ask.job, *ask.model);
  const Rule* rule = find_rule(policy, *ask.job, *ask.model, work_class);
  if (rule == nullptr) return {};
  const bool gang = ask.job->work.kind == WorkKind::train;
  Question question = make_question(roster, policy, *rule, ask, work_class, now,
                                    gang ? Purpose::gang : Purpose::request);
  Search search(question, estimator);
  std::vector<std::string> pools = rule->pools;
  for (const Fallback& fallback : rule->fallbacks) pools.push_back(fallback.to);
  std::sort(pools.begin(), pools.end());
  pools.erase(std::unique(pools.begin(), pools.end()), pools.end());
  for (const std::string& pool : pools) search.look(pool);
  return search.take();
}

}  // namespace drover::router
