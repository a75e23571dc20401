// The smallest single changes that would place a job.
//
// Filters run as in a decision. If one reason rejects a candidate, or that and capacity, the row
// gives the size of the change that removes it. Each change is then applied and decided, smallest
// first: it is reported only if the job is placed then. A candidate whose kind runs no accepted
// precision is not filtered further, so it is evaluated once more with every precision allowed.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "fleet/base/search.h"
#include "fleet/base/units.h"
#include "fleet/codec/limits.h"
#include "router/decision/criteria.h"
#include "router/explain/explain.h"
#include "router/explain/nearest_change.h"

namespace drover::router {
namespace {

/// Trials per reason and pool, the smallest change first.
constexpr std::size_t trials_max = 4;
/// Groups of a pool evaluated device by device, those that are free soonest first.
constexpr std::size_t freed_max = 48;

struct ChangeRow {
  Reason reason;
  std::optional<Change> (*find)(const RejectedCandidate&);
};
/// In the order of the reports, after capacity: what passes on its own comes first.
constexpr std::array<ChangeRow, 17> changes = {{
    {Reason::cooldown, try_again},
    {Reason::thermal, cool_down},
    {Reason::queue_slo, allow_later_token},
    {Reason::deadline, wait_longer},
    {Reason::power_cap, raise_power},
    {Reason::budget, raise_budget},
    {Reason::drain, resume_replica},
    {Reason::stale_telemetry, refresh_samples},
    {Reason::unhealthy, repair_replica},
    {Reason::tenancy, raise_share},
    {Reason::precision, allow_precision},
    {Reason::memory, add_memory},
    {Reason::context, take_fewer_tokens},
    {Reason::topology, take_other_topology},
    {Reason::data, allow_transfer},
    {Reason::framework, take_other_framework},
    {Reason::op_unsupported, without_operations},
}};

const ChangeRow* change_row(Reason reason) {
  return std::ranges::find(changes, reason, &ChangeRow::reason);
}

/// The reason's place in the order of the reports.
std::size_t rank_of(Reason reason) {
  return reason == Reason::capacity
             ? 0
             : static_cast<std::size_t>(change_row(reason) - changes.begin()) + 1;
}

/// The change that removes this filter's reason; nothing: no single change would.
std::optional<Change> smallest_change(const RejectedCandidate& rejected, Reason reason) {
  const ChangeRow* row = change_row(reason);
  if (row == changes.end()) return std::nullopt;
  auto change = row->find(rejected);
  if (change) change->reason = reason;
  return change;
}

struct Offer {
  std::size_t rank = 0;  // of the reason
  NearestFit fit;
  Change change;
  bool loads = false;
};

class Search {
 public:
  Search(PlacementQuery& query, FleetState& fleet_state, Estimator& estimator,
         const WaitState& wait)
      : query_(query), fleet_state_(fleet_state), estimator_(estimator), wait_(wait) {}

  /// `degraded`: the precision that a fallback declares.
  void evaluate(const std::string& name, std::optional<Precision> degraded) {
    const auto pool = query_.policy.pool_index(name);
    if (!pool || !fleet_state_.pool_has_groups(*pool)) return;
    set_pool(query_, *pool);
    if (query_.purpose == Purpose::gang) return look_at_rows(degraded);
    query_.purpose = Purpose::request;
    look_at_rows(degraded);
    query_.purpose = Purpose::replica;
    look_at_rows(degraded);
  }

  /// For each reason the smallest change that places the job.
  std::vector<NearestFit> take() {
    std::ranges::stable_sort(offers_, [](const Offer& a, const Offer& b) {
      return std::tuple(a.rank, !a.change.by_itself, a.fit.amount) <
             std::tuple(b.rank, !b.change.by_itself, b.fit.amount);
    });
    std::vector<NearestFit> fits;
    std::map<std::tuple<std::size_t, std::string, bool>, std::size_t> tried;
    for (Offer& offer : offers_) {
      const bool known = !fits.empty() && fits.back().reason == offer.fit.reason;
      if (known || too_late(offer) || too_long(offer)) continue;
      if (++tried[{offer.rank, offer.fit.pool, offer.change.by_itself}] > trials_max) continue;
      if (places(offer)) fits.push_back(std::move(offer.fit));
    }
    return fits;
  }

 private:
  void look_at_rows(std::optional<Precision> degraded) {
    accept(degraded);
    gather(query_, estimator_, estimator_.scratch());
    collect();
    query_.precisions.clear();
    query_.none_accepted = false;
    gather(query_, estimator_, estimator_.scratch());
    collect_in_any_precision(degraded);
  }

  void accept(std::optional<Precision> degraded) {
    accept_precisions(query_, query_.rule.precisions);
    if (!degraded) return;
    query_.precisions = {*degraded};
    query_.none_accepted = false;
    query_.degraded = true;
  }

  RejectedCandidate rejected(std::size_t row) const {
    const DecisionScratch& scratch = estimator_.scratch();
    return {query_, scratch.rows, row, scratch.kinds[scratch.rows.kind[row]], wait_.kept};
  }

  /// A request's rows of groups only mean that there is no replica.
  bool is_informative(const RejectedCandidate& rejected) const {
    return query_.purpose != Purpose::request || rejected.rows.replica[rejected.row] != no_index;
  }

  void collect() {
    const CandidateTable& rows = estimator_.scratch().rows;
    const std::uint32_t capacity = filters_of(Reason::capacity);
    const std::uint32_t of_room =
        capacity | filters_of(Reason::drain) | filters_of(Reason::unhealthy);
    std::vector<std::size_t> taken;
    for (std::size_t row = 0; row < rows.size; ++row) {
      const RejectedCandidate place = rejected(row);
      const std::uint32_t failed = rows.failed[row];
      const bool free = failed == 0 && query_.purpose != Purpose::replica;
      if (!is_informative(place) || free) continue;
      if (rows.replica[row] == no_index && (failed & ~of_room) == 0) {
        taken.push_back(row);
      } else if (failed == capacity) {
        offer(place, relieving_change(place));
      } else if (std::popcount(failed & ~capacity) == 1) {
        // Reports what a candidate lacks; for one that cannot work, free capacity hardly matters.
        offer(place, smallest_change(place, reason_of(failed & ~capacity)));
      }
    }
    offer_freeing(taken);
  }

  static Reason reason_of(std::uint32_t bit) {
    return filters()[static_cast<std::size_t>(std::countr_zero(bit))].reason;
  }

  /// Groups that only lack capacity, or are drained or unusable as well.
  void offer_freeing(std::vector<std::size_t>& taken) {
    const CandidateTable& rows = estimator_.scratch().rows;
    std::ranges::stable_sort(
        taken, [&](std::size_t a, std::size_t b) { return rows.start_s[a] < rows.start_s[b]; });
    taken.resize(std::min(taken.size(), freed_max));
    for (const std::size_t row : taken) {
      const RejectedCandidate place = rejected(row);
      if (rows.multi_host_gang_of(row) != nullptr &&
          rows.failed[row] == filters_of(Reason::capacity)) {
        offer(place, waiting_change(place));
      }
      offer(place, freeing_change(place));
    }
  }

  /// Rows that pass now were rejected by precision only.
  void collect_in_any_precision(std::optional<Precision> degraded) {
    PlacementQuery strict = query_;
    accept_precisions(strict, query_.rule.precisions);
    if (degraded) return;  // the fallback's, whatever the job accepts
    const CandidateTable& rows = estimator_.scratch().rows;
    for (std::size_t row = 0; row < rows.size; ++row) {
      const RejectedCandidate place = rejected(row);
      if (rows.failed[row] != 0 || !is_informative(place) || !place.kind.precision) continue;
      const auto& wanted = strict.precisions;
      const bool taken = contains(wanted, *place.kind.precision);
      const bool unverified = strict.none_accepted || (!wanted.empty() && !taken);
      if (unverified) offer(place, smallest_change(place, Reason::precision));
    }
  }

  void offer(const RejectedCandidate& rejected, std::optional<Change> change) {
    if (!change) return;
    const bool loads = query_.purpose == Purpose::replica;
    const bool managed = query_.policy.replicas.manage;
    if (loads && !managed && change->reason != Reason::capacity) return;  // two changes
    Offer& offer = offers_.emplace_back();
    offer.rank = rank_of(change->reason);
    offer.loads = loads;
    offer.fit.reason = change->reason;
    offer.fit.target = place_text(rejected);
    offer.fit.pool = query_.pool->name;
    offer.fit.amount = change->amount;
    offer.fit.change = change->words;
    offer.change = std::move(*change);
    if (!loads) return;
    if (!offer.fit.change.empty()) offer.fit.change += ", and ";
    offer.fit.change += managed ? loading_text(rejected)
                                : fmt::format("a replica of {} ([replicas] manage is false)",
                                              query_.request.model->id);
    offer.change.by_itself &= managed;
  }

  /// Longer than readable, and longer than a message allows.
  static bool too_long(const Offer& offer) {
    return offer.fit.change.size() > codec::text_bytes_max;
  }

  static std::string loading_text(const RejectedCandidate& rejected) {
    const double warmup_s = rejected.rows.warmup_s[rejected.row];
    if (warmup_s <= 0) return "until the model is loaded";
    return duration_text(duration_rounded_up(warmup_s)) + " to load the model";
  }

  std::string place_text(const RejectedCandidate& rejected) const {
    const CandidateTable& rows = rejected.rows;
    const std::string text = target_text(fleet_state_, rows, rejected.row);
    if (rows.replica[rejected.row] != no_index || rows.failed[rejected.row] == 0) return text;
    const GroupEntry& group = fleet_state_.groups()[rows.group[rejected.row]];
    std::string name = group_place(fleet_state_.host_name(group.host), group.group.number);
    const MultiHostGang* spread = rows.multi_host_gang_of(rejected.row);
    if (spread != nullptr) return name + fmt::format(" and {} more", spread->parts.size() - 1);
    return text.ends_with('/') ? name : text;
  }

  /// The job will have failed by then.
  bool too_late(const Offer& offer) const {
    const bool time = offer.fit.reason == Reason::capacity && offer.fit.amount > 0;
    return time && saturating_add(query_.now, from_seconds(offer.fit.amount)) >= wait_.fails_at;
  }

  bool places(const Offer& offer) {
    WhatIf what_if(fleet_state_, query_.policy, query_.request, query_.now);
    what_if.loads = offer.loads;
    offer.change.make(what_if);
    return what_if.places(estimator_);
  }

  PlacementQuery& query_;
  FleetState& fleet_state_;
  Estimator& estimator_;
  const WaitState& wait_;
  std::vector<Offer> offers_;
};

/// Each pool that the rule may lead to, once per precision in which it is tried.
std::vector<std::pair<std::string, std::optional<Precision>>> ways_of(const Rule& rule) {
  std::vector<std::pair<std::string, std::optional<Precision>>> ways;
  const auto add = [&](const std::string& pool, std::optional<Precision> degraded) {
    const std::pair way{pool, degraded};
    if (!pool.empty() && !contains(ways, way)) ways.push_back(way);
  };
  for (const std::string& pool : rule.pools) add(pool, std::nullopt);
  for (const Fallback& fallback : rule.fallbacks) add(fallback.to, fallback.change_precision);
  return ways;
}

}  // namespace

std::vector<NearestFit> nearest_fits(FleetState& fleet_state, const Policy& policy,
                                     Estimator& estimator, const PlacementRequest& request,
                                     Instant now, const WaitState& wait) {
  const WorkClass* work_class = class_of(policy, *request.job, *request.model);
  const Rule* rule = find_rule(policy, *request.job, *request.model, work_class);
  if (rule == nullptr) return {};
  WhatIfFleet own(fleet_state);  // devices reserved for the job are free to it
  for (const Preemption& kept : wait.kept) {
    if (kept.job != request.job->id) continue;
    for (const DeviceIndex device : kept.devices) own.clear(device, condition_reserved);
  }
  const bool gang = request.job->work.kind == WorkKind::train;
  PlacementQuery query = make_query(fleet_state, policy, *rule, request, work_class, now,
                                    gang ? Purpose::gang : Purpose::request);
  Search search(query, fleet_state, estimator, wait);
  for (const auto& [pool, degraded] : ways_of(*rule)) search.evaluate(pool, degraded);
  return search.take();
}

// Which change removes which reason.

Change change_of(double amount, std::string words, std::function<void(WhatIf&)> make) {
  Change change;
  change.amount = amount;
  change.words = std::move(words);
  change.make = std::move(make);
  return change;
}

Change change_of_rule(const RejectedCandidate& rejected, double amount, std::string words,
                      std::function<void(Rule&)> change) {
  return change_of(amount, std::move(words),
                   [change = std::move(change), name = rejected.query.rule.name](WhatIf& what_if) {
                     if (Rule* rule = what_if.rule(name)) change(*rule);
                   });
}

double rounded_up(double amount, double step) {
  if (amount <= 0) return 0;
  constexpr double over = 1e-6;  // so that rounding never falls short
  return std::ceil(amount / step + over) * step;
}

double duration_rounded_up(double seconds) {
  if (seconds <= 0) return 0;
  double step = 0.001;
  for (const auto& [from_s, next] :
       {std::pair(0.999, 0.1), std::pair(9.9, 1.0), std::pair(99.0, 60.0),
        std::pair(99.0 * 60, 360.0), std::pair(9.9 * 3600, 3600.0),
        std::pair(99.0 * 3600, 86400.0)}) {
    if (seconds > from_s) step = next;
  }
  return std::ceil(seconds / step - 1e-9) * step;
}

}  // namespace drover::router
