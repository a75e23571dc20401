// The smallest single change that would place a job.
//
// Filters run as in a decision. A row that fails exactly one of them is one change away, and how
// large that change is can be read from the row: seconds until devices are free, watts over the
// cap, bytes over the memory. A place whose kind runs no accepted precision is judged no further,
// so it is looked at once more with every precision allowed. A change of the job or of the policy
// is made and decided: it is told only when the job has a place then.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <tuple>

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
std::optional<Gap> memory_gap(const Missed& missed) {
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
  return Gap{lacks, fmt::format("+{:.1f} GB of memory per device", std::max(0.0, lacks) / 1e9)};
}

std::optional<Gap> precision_gap(const Missed& missed) {
  return Gap{0, fmt::format("{} allowed", missed.kind.precision ? to_text(*missed.kind.precision)
                                                                : std::string_view("fp16"))};
}

std::optional<Gap> context_gap(const Missed& missed) {
  const Question& question = missed.question;
  std::uint64_t limit = question.ask.model->context_max;
  const std::uint64_t of_pool = question.pool->context_max;
  if (of_pool > 0) limit = limit > 0 ? std::min<std::uint64_t>(limit, of_pool) : of_pool;
  const auto over =
      static_cast<double>(question.need_tokens - std::min(limit, question.need_tokens));
  return Gap{over, fmt::format("{:.0f} tokens fewer", over)};
}

int nearest_size(const Missed& missed) {
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
  return nearest;
}

std::optional<Gap> topology_gap(const Missed& missed) {
  const int wanted = missed.question.ask.job->work.devices;
  const int nearest = nearest_size(missed);
  if (nearest == wanted) return Gap{0, "another interconnect, or a shorter way to the clients"};
  return Gap{std::abs(static_cast<double>(nearest - wanted)),
             fmt::format("{} devices instead of {}", nearest, wanted)};
}

std::optional<Gap> power_gap(const Missed& missed) {
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
  return Gap{over_w,
             over_w > 0 ? "+" + watts_text(over_w) + " of power" : "more power for the rack"};
}

std::optional<Gap> budget_gap(const Missed& missed) {
  if (share_used_up(missed.question)) return Gap{0, "a larger max_share of the pool"};
  const double over = missed.question.ask.spend_usd_per_h + missed.rows.usd_per_h[missed.row] -
                      missed.question.policy.limits.budget_usd_per_h;
  return Gap{over, fmt::format("+{}/h of budget", dollars_text(over))};
}

/// Replicas that hold devices there for nobody knows how long, and what makes each leave.
std::string holders_text(const Missed& missed, GroupIndex group) {
  const Roster& roster = missed.question.roster;
  std::string text;
  for (const ReplicaIndex index : roster.hosts()[roster.groups()[group].host].replicas) {
    const ReplicaEntry& entry = roster.replicas()[index];
    if (entry.group != group) continue;
    const double yield_s = to_seconds(missed.question.policy.replicas.yield_after);
    text +=
        fmt::format("{}{} ({}), which leaves {}", text.empty() ? "without replica " : "; ",
                    to_text(entry.replica.id), entry.replica.model,
                    entry.replica.asked_for ? "once spare for " + duration_text(yield_s)
                                            : std::string("when its agent is started without it"));
  }
  return text;
}

/// Once the replicas there have left: at once, or when gangs have ended as well. Nothing: not even
/// then.
std::optional<Gap> without_replicas(const Missed& missed) {
  const GroupIndex group = missed.rows.group[missed.row];
  const double wait_s = wait_in_group(missed.question, missed.question.roster.groups()[group],
                                      missed.kind.devices, true);
  const std::string text = holders_text(missed, group);
  if (!std::isfinite(wait_s) || text.empty()) return std::nullopt;
  if (wait_s <= 0) return Gap{0, text};
  return Gap{wait_s, fmt::format("{}, and {}", duration_text(wait_s), text)};
}

std::optional<Gap> capacity_gap(const Missed& missed) {
  const double wait_s = missed.rows.start_s[missed.row];
  if (!std::isfinite(wait_s)) return without_replicas(missed);
  const double warmup_s = missed.rows.warmup_s[missed.row];
  if (warmup_s > 0) return Gap{wait_s, duration_text(wait_s) + ", to load the model"};
  return Gap{wait_s, duration_text(wait_s)};
}

std::optional<Gap> slo_gap(const Missed& missed) {
  const double over_s = missed.rows.first_token_s[missed.row] - missed.question.rule.slo_ttft_s;
  return Gap{over_s, "+" + duration_text(over_s) + " until the first token"};
}

std::optional<Gap> deadline_gap(const Missed& missed) {
  const Question& question = missed.question;
  const double own_s = to_seconds(question.ask.job->deadline);
  const double finish_s = missed.rows.finish_s[missed.row];
  double over_s = own_s > 0 ? question.waited_s + finish_s - own_s : 0;
  const double rule_s = question.rule.slo_deadline_s;
  if (rule_s > 0) over_s = std::max(over_s, finish_s - rule_s);
  return Gap{over_s, "+" + duration_text(over_s) + " of deadline"};
}

/// The change made: to the job, or to the policy.
struct Trial {
  Job job;
  Policy policy;

  Rule* rule(const Missed& missed) {
    const auto found =
        std::find_if(policy.rules.begin(), policy.rules.end(),
                     [&](const Rule& each) { return each.name == missed.question.rule.name; });
    return found == policy.rules.end() ? nullptr : &*found;
  }
};

// What is said is rounded: a little more is enough for what lies on the edge.
constexpr double edge = 1;

void allow_precision(const Missed& missed, const Gap&, Trial& trial) {
  const Precision precision = *missed.kind.precision;
  const auto allow = [&](std::vector<Precision>& list) {
    const bool there = std::find(list.begin(), list.end(), precision) != list.end();
    if (!list.empty() && !there) list.push_back(precision);
  };
  allow(trial.job.work.precisions);
  if (Rule* rule = trial.rule(missed)) allow(rule->precisions);
}

void take_fewer_tokens(const Missed&, const Gap& gap, Trial& trial) {
  std::uint32_t& input = trial.job.work.input_tokens;
  input -= static_cast<std::uint32_t>(std::min<double>(input, gap.amount));
}

void take_fewer_devices(const Missed& missed, const Gap&, Trial& trial) {
  trial.job.work.devices = static_cast<std::uint16_t>(nearest_size(missed));
}

void wait_longer(const Missed& missed, const Gap& gap, Trial& trial) {
  if (trial.job.deadline > Duration{0}) trial.job.deadline += from_seconds(gap.amount + edge);
  Rule* rule = trial.rule(missed);
  if (rule != nullptr && rule->slo_deadline_s > 0) rule->slo_deadline_s += gap.amount + edge;
}

void raise_power(const Missed& missed, const Gap& gap, Trial& trial) {
  Limits& limits = trial.policy.limits;
  if (limits.site_power_cap_w > 0) limits.site_power_cap_w += gap.amount + edge;
  const auto pool = limits.pool_power_cap_w.find(missed.question.pool->name);
  if (pool != limits.pool_power_cap_w.end()) pool->second += gap.amount + edge;
  if (gap.amount <= 0) limits.rack_power_w = 0;
}

void raise_budget(const Missed& missed, const Gap& gap, Trial& trial) {
  double& budget = trial.policy.limits.budget_usd_per_h;
  if (budget > 0) budget += gap.amount + edge;
  trial.policy.pools[missed.question.pool_number].max_share = 1;
}

struct GapRow {
  Reason reason;
  // Null: the change has no size. Nothing: it would not help.
  std::optional<Gap> (*gap)(const Missed&);
  std::string_view change;  // then, in words
  /// Makes the change, to see whether the job has a place then. Null: it is one of the fleet.
  void (*apply)(const Missed&, const Gap&, Trial&) = nullptr;
};
constexpr std::array<GapRow, 18> gaps = {{
    {Reason::capacity, capacity_gap, ""},
    {Reason::cooldown, nullptr, "the place tried again"},
    {Reason::thermal, nullptr, "a cooler device"},
    {Reason::queue_slo, slo_gap, ""},
    {Reason::deadline, deadline_gap, "", wait_longer},
    {Reason::power_cap, power_gap, "", raise_power},
    {Reason::budget, budget_gap, "", raise_budget},
    {Reason::drain, nullptr, "resume"},
    {Reason::stale_telemetry, nullptr, "a sample from there"},
    {Reason::unhealthy, nullptr, "its host or device back"},
    {Reason::tenancy, nullptr, "a larger share for the tenant"},
    {Reason::precision, precision_gap, "", allow_precision},
    {Reason::memory, memory_gap, ""},
    {Reason::context, context_gap, "", take_fewer_tokens},
    {Reason::topology, topology_gap, "", take_fewer_devices},
    {Reason::data, nullptr, "the data nearer"},
    {Reason::framework, nullptr, "another framework or version"},
    {Reason::op_unsupported, nullptr, "without the special operation"},
}};

/// Of one reason so many are tried, the smallest change first.
constexpr std::size_t trials_max = 4;

struct Offer {
  std::size_t rank = 0;  // of the reason
  NearestFit fit;
  std::optional<Trial> trial;
};

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

  /// Of each reason the smallest change that places the job.
  std::vector<NearestFit> take() {
    std::stable_sort(offers_.begin(), offers_.end(), [](const Offer& a, const Offer& b) {
      return std::tie(a.rank, a.fit.amount) < std::tie(b.rank, b.fit.amount);
    });
    std::vector<NearestFit> fits;
    std::array<std::size_t, gaps.size()> tried{};
    for (Offer& offer : offers_) {
      const bool known = !fits.empty() && fits.back().reason == offer.fit.reason;
      if (known || ++tried[offer.rank] > trials_max) continue;
      if (!offer.trial || places(*offer.trial)) fits.push_back(std::move(offer.fit));
    }
    return fits;
  }

 private:
  /// `any_precision`: rows that pass now lacked nothing but the precision.
  void collect(bool any_precision) {
    const DecisionScratch& scratch = estimator_.scratch();
    const Standings& rows = scratch.rows;
    for (std::size_t row = 0; row < rows.size; ++row) {
      const std::uint32_t failed = rows.failed[row];
      const Missed missed{question_, rows, row, scratch.kinds[rows.kind[row]]};
      if (any_precision && failed == 0 && unverified(missed)) offer(missed, Reason::precision);
      if (any_precision || failed == 0) continue;
      // What a place lacks is told first; whether it is free says little of one that cannot be.
      const std::uint32_t lacks = failed & ~filters_of(Reason::capacity);
      const std::uint32_t judged = (failed & kind_filters()) == 0 ? failed : lacks;
      if (std::popcount(judged) != 1) continue;
      const Reason reason = filters()[static_cast<std::size_t>(std::countr_zero(judged))].reason;
      if (reason != Reason::precision) offer(missed, reason, judged != failed);
    }
  }

  /// Its precision is not one that job and rule accept.
  bool unverified(const Missed& missed) const {
    Question strict = question_;
    accept_precisions(strict, question_.rule.precisions);
    const auto& wanted = strict.precisions;
    if (!missed.kind.precision) return false;
    if (strict.none_accepted) return true;
    return !wanted.empty() &&
           std::find(wanted.begin(), wanted.end(), *missed.kind.precision) == wanted.end();
  }

  /// `doubtful`: the change may not be enough, it has to be tried.
  void offer(const Missed& missed, Reason reason, bool doubtful = false) {
    const auto* row = std::find_if(gaps.begin(), gaps.end(),
                                   [&](const GapRow& each) { return each.reason == reason; });
    if (row == gaps.end() || (doubtful && row->apply == nullptr)) return;
    const auto found = row->gap != nullptr ? row->gap(missed) : Gap{0, std::string(row->change)};
    if (!found) return;
    const Gap& gap = *found;
    Offer& offer = offers_.emplace_back();
    offer.rank = static_cast<std::size_t>(row - gaps.begin());
    offer.fit.reason = reason;
    offer.fit.target = place_text(missed);
    offer.fit.pool = question_.pool->name;
    offer.fit.amount = gap.amount;
    offer.fit.change = gap.change;
    const auto same = std::count_if(offers_.begin(), offers_.end(),
                                    [&](const Offer& each) { return each.rank == offer.rank; });
    if (row->apply == nullptr || same > static_cast<std::ptrdiff_t>(2 * trials_max)) return;
    offer.trial = Trial{*question_.ask.job, question_.policy};
    row->apply(missed, gap, *offer.trial);
  }

  std::string place_text(const Missed& missed) const {
    std::string text = target_text(question_.roster, missed.rows, missed.row);
    if (!text.ends_with('/')) return text;
    const GroupEntry& group = question_.roster.groups()[missed.rows.group[missed.row]];
    return text + fmt::format("g{}", group.group.number);
  }

  bool places(const Trial& trial) {
    Ask ask = question_.ask;
    ask.job = &trial.job;
    Dice dice(trial.policy.seed);
    return decide(question_.roster, trial.policy, estimator_, ask, question_.now, dice)
        .place.has_value();
  }

  Question& question_;
  Estimator& estimator_;
  std::vector<Offer> offers_;
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
