// Filters.
#include "router/criteria.h"

#include <algorithm>
#include <array>
#include <limits>

namespace drover::router {
namespace {

bool holds(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// ---- Kinds of places ---------------------------------------------------------------------------

bool accepts_precision(const Question& question, const PlaceKind& kind) {
  if (!kind.precision || question.none_accepted) return false;
  const auto& able = question.pool->precisions;
  if (!able.empty() && std::find(able.begin(), able.end(), *kind.precision) == able.end()) {
    return false;
  }
  const auto& wanted = question.precisions;
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), *kind.precision) != wanted.end();
}
bool fails_precision(const Question& question, const PlaceKind& kind) {
  return !accepts_precision(question, kind);
}

bool fails_ops(const Question& question, const PlaceKind& kind) {
  for (const std::string& op : question.ask.job->work.ops) {
    if (holds(kind.spec->missing_ops, op) || holds(question.pool->missing_ops, op)) return true;
  }
  return false;
}

bool fails_framework(const Question& question, const PlaceKind& kind) {
  const std::string& framework = question.ask.job->work.framework;
  if (framework.empty()) return false;
  const auto& able =
      question.pool->frameworks.empty() ? kind.spec->frameworks : question.pool->frameworks;
  return !able.empty() && !holds(able, framework);
}

bool fails_context(const Question& question, const PlaceKind& /*kind*/) {
  const std::uint32_t limit = question.ask.model->context_max;
  return question.purpose != Purpose::gang && limit > 0 && question.need_tokens > limit;
}

/// Training must fit with the rule's headroom; weights and one request must fit at all.
bool fails_kind_memory(const Question& question, const PlaceKind& kind) {
  if (kind.devices < 1) return true;
  if (question.purpose != Purpose::gang || !kind.precision) return false;
  const Workload& work = question.ask.job->work;
  const devices::Placement placement{kind.spec, kind.devices, *kind.precision};
  const devices::TrainingShape shape{std::max(1U, work.batch), std::max(1U, work.sequence)};
  if (!devices::fits_training(placement, *question.ask.model, shape)) return true;
  const double room =
      (kind.spec->memory_bytes - kind.spec->reserved_bytes) * (1 - question.rule.memory_headroom);
  return devices::training_bytes(placement, *question.ask.model, shape) > room;
}

bool fails_topology(const Question& question, const PlaceKind& kind) {
  if (question.purpose != Purpose::gang) return false;
  if (kind.devices > kind.group_devices) return true;
  const auto& sizes =
      question.pool->slices.empty() ? kind.spec->slice_sizes : question.pool->slices;
  if (!sizes.empty() && std::find(sizes.begin(), sizes.end(), kind.devices) == sizes.end()) {
    return true;
  }
  const auto& links = question.rule.interconnects;
  if (kind.devices == 1 || links.empty()) return false;
  if (kind.spec->device_class == DeviceClass::tpu) return !holds(links, "ici");
  return kind.spec->link_bandwidth <= 0 || !holds(links, "nvlink");
}

// ---- Places ------------------------------------------------------------------------------------

/// `fails(columns, row)`
template <typename Test>
void mark(Rows rows, std::uint32_t bit, Test fails) {
  Standings& all = rows.all;
  for (std::size_t row = rows.begin; row < all.size; ++row) {
    all.failed[row] |= fails(all, row) ? bit : 0U;
  }
}

/// A loaded replica whose whole KV cache, less the headroom, is smaller than the request.
void judge_memory(const Question& question, Rows rows, std::uint32_t bit) {
  if (question.purpose != Purpose::request) return;
  const auto need = static_cast<double>(question.need_tokens);
  const double share = 1 - question.rule.memory_headroom;
  mark(rows, bit, [&](const Standings& all, std::size_t row) {
    const bool loaded = (all.replica[row] != nowhere) & (all.ready[row] != 0);
    return loaded & (need > all.tokens_max[row] * share);
  });
}

/// The pool may hold at most its share of the fleet's running jobs, but always one.
void judge_share(const Question& question, Rows rows, std::uint32_t bit) {
  if (question.pool->max_share >= 1) return;
  const double most = std::max(1.0, question.pool->max_share * (question.ask.running_jobs + 1));
  const bool full = question.pool_jobs + 1 > most;
  mark(rows, bit, [&](const Standings&, std::size_t) { return full; });
}

void judge_health(const Question&, Rows rows, std::uint32_t bit) {
  mark(rows, bit, [](const Standings& all, std::size_t row) {
    return (all.health[row] != Health::ok) | ((all.condition[row] & condition_unusable) != 0);
  });
}

void judge_drain(const Question&, Rows rows, std::uint32_t bit) {
  mark(rows, bit, [](const Standings& all, std::size_t row) {
    return (all.draining[row] != 0) | ((all.condition[row] & condition_drained) != 0);
  });
}

void judge_age(const Question& question, Rows rows, std::uint32_t bit) {
  const Instant oldest = question.now - from_seconds(question.policy.stale_after_s);
  mark(rows, bit, [&](const Standings& all, std::size_t row) { return all.sampled[row] < oldest; });
}

void judge_cooldown(const Question& question, Rows rows, std::uint32_t bit) {
  if (!question.avoid || question.ask.avoid.empty()) return;
  mark(rows, bit, [&](const Standings& all, std::size_t row) {
    return question.ask.avoid.count(target_text(question.roster, all, row)) != 0;
  });
}

/// A device slows itself down because it is hot, or will soon.
void judge_thermal(const Question&, Rows rows, std::uint32_t bit) {
  mark(rows, bit, [](const Standings& all, std::size_t row) {
    return (all.condition[row] & condition_hot) != 0;
  });
}

/// Judged is what would be reserved. A replica serves all its requests at one level, and reads
/// their prompts at another, which samples may show already: one more adds what is missing to that.
void judge_power(const Question& question, Rows rows, std::uint32_t bit) {
  const double none = std::numeric_limits<double>::infinity();
  const double site_cap_w = question.policy.limits.site_power_cap_w;
  const double left_w =
      std::min(site_cap_w > 0 ? site_cap_w - question.site_power_w : none,
               question.pool_cap_w > 0 ? question.pool_cap_w - question.pool_power_w : none);
  if (left_w == none) return;
  mark(rows, bit, [&](const Standings& all, std::size_t row) {
    const ReplicaIndex replica = all.replica[row];
    if (left_w < 0 || replica == nowhere) return all.power_w[row] > left_w;
    const ReplicaFacts& facts = question.roster.replicas()[replica].facts;
    const ServingPower power{all.power_w[row] / facts.batch_share, all.prompt_w[row]};
    return question.roster.added_w(replica, power) > left_w;
  });
}

void judge_budget(const Question& question, Rows rows, std::uint32_t bit) {
  const double budget = question.policy.limits.budget_usd_per_h;
  if (budget <= 0) return;
  mark(rows, bit, [&](const Standings& all, std::size_t row) {
    return question.ask.spend_usd_per_h + all.usd_per_h[row] > budget;
  });
}

/// A replica that takes requests, with room in its batch and its KV cache, promises included; a
/// gang or new replica: enough free devices. A pool's empty groups are no place for a request.
void judge_capacity(const Question& question, Rows rows, std::uint32_t bit) {
  if (question.purpose != Purpose::request) {
    return mark(rows, bit,
                [](const Standings& all, std::size_t row) { return all.ready[row] == 0; });
  }
  const auto need = static_cast<double>(question.need_tokens);
  const double share = 1 - question.rule.memory_headroom;
  mark(rows, bit, [&](const Standings& all, std::size_t row) {
    const double room = all.tokens_max[row] * share;
    // What never fits is the memory filter's to say.
    const bool no_tokens = (need <= room) & (all.tokens[row] + need > room);
    return (all.ready[row] == 0) | (all.load[row] + 1 > all.bound[row]) | no_tokens;
  });
}

/// The first token would come later than the rule wants, from now: what was waited is past.
void judge_slo(const Question& question, Rows rows, std::uint32_t bit) {
  const double limit_s = question.rule.slo_ttft_s;
  if (!question.slo || limit_s <= 0 || question.purpose != Purpose::request) return;
  mark(rows, bit,
       [&](const Standings& all, std::size_t row) { return all.first_token_s[row] > limit_s; });
}

/// The job's own deadline binds; the rule's is a wish, like its slo.
void judge_deadline(const Question& question, Rows rows, std::uint32_t bit) {
  if (question.purpose == Purpose::replica) return;
  const double own_s = to_seconds(question.ask.job->deadline);
  const double rule_s = question.slo ? question.rule.slo_deadline_s : 0;
  if (own_s <= 0 && rule_s <= 0) return;
  mark(rows, bit, [&](const Standings& all, std::size_t row) {
    return (own_s > 0 && question.waited_s + all.finish_s[row] > own_s) ||
           (rule_s > 0 && all.finish_s[row] > rule_s);
  });
}

constexpr std::array<Filter, 17> table = {{
    {Reason::precision, fails_precision, nullptr},
    {Reason::op_unsupported, fails_ops, nullptr},
    {Reason::framework, fails_framework, nullptr},
    {Reason::context, fails_context, nullptr},
    {Reason::topology, fails_topology, nullptr},
    {Reason::memory, fails_kind_memory, judge_memory},
    {Reason::policy, nullptr, judge_share},
    {Reason::unhealthy, nullptr, judge_health},
    {Reason::drain, nullptr, judge_drain},
    {Reason::stale_telemetry, nullptr, judge_age},
    {Reason::cooldown, nullptr, judge_cooldown},
    {Reason::thermal, nullptr, judge_thermal},
    {Reason::power_cap, nullptr, judge_power},
    {Reason::budget, nullptr, judge_budget},
    {Reason::capacity, nullptr, judge_capacity},
    {Reason::queue_slo, nullptr, judge_slo},
    {Reason::deadline, nullptr, judge_deadline},
}};

}  // namespace

std::span<const Filter> filters() { return table; }

std::uint32_t kind_filters() {
  std::uint32_t bits = 0;
  for (std::size_t index = 0; index < table.size(); ++index) {
    if (table[index].kind_fails != nullptr) bits |= 1U << index;
  }
  return bits;
}

std::uint32_t failed_filters(const Question& question, const PlaceKind& kind) {
  std::uint32_t failed = 0;
  for (std::size_t index = 0; index < table.size(); ++index) {
    if (table[index].kind_fails != nullptr && table[index].kind_fails(question, kind)) {
      failed |= 1U << index;
    }
  }
  return failed;
}

void apply_filters(const Question& question, Standings& rows, std::size_t begin) {
  for (std::size_t index = 0; index < table.size(); ++index) {
    if (table[index].judge != nullptr) table[index].judge(question, {rows, begin}, 1U << index);
  }
}

void find_feasible(DecisionScratch& scratch) {
  const Standings& rows = scratch.rows;
  scratch.feasible.resize(rows.size);
  std::size_t count = 0;
  for (std::uint32_t row = 0; row < rows.size; ++row) {
    scratch.feasible[count] = row;  // stays when it passes: no branch to mispredict
    if (rows.failed[row] == 0) ++count;
  }
  scratch.feasible.resize(count);
}

}  // namespace drover::router
