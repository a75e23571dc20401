// The smallest single changes that would place a job.
//
// Filters run as in a decision. Where one reason stands against a place, or that and that it is
// taken, the row says how large a change takes that away. Each change is then made and decided,
// smallest first: it is told only when the job has a place then. A place whose kind runs no
// accepted precision is judged no further, so it is looked at once more with every precision
// allowed.
#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/codec/codec_limits.h"
#include "router/decision/criteria.h"
#include "router/explain/explain.h"
#include "router/explain/nearest_change.h"

namespace drover::router {
namespace {

/// In the order in which they are told: what passes by itself first.
constexpr std::array<Reason, 18> order = {{
    Reason::capacity,
    Reason::cooldown,
    Reason::thermal,
    Reason::queue_slo,
    Reason::deadline,
    Reason::power_cap,
    Reason::budget,
    Reason::drain,
    Reason::stale_telemetry,
    Reason::unhealthy,
    Reason::tenancy,
    Reason::precision,
    Reason::memory,
    Reason::context,
    Reason::topology,
    Reason::data,
    Reason::framework,
    Reason::op_unsupported,
}};

/// Of one reason and pool so many are tried, the smallest change first.
constexpr std::size_t trials_max = 4;
/// Of a pool's groups so many are looked at device by device, those that are free soonest first.
constexpr std::size_t freed_max = 48;

struct Offer {
  std::size_t rank = 0;  // of the reason
  NearestFit fit;
  Change change;
  bool loads = false;
};

class Search {
 public:
  Search(Question& question, Roster& roster, Estimator& estimator, const Wait& wait)
      : question_(question), roster_(roster), estimator_(estimator), wait_(wait) {}

  /// `degraded`: the precision that a fallback declares.
  void look(const std::string& name, std::optional<Precision> degraded) {
    const auto pool = question_.policy.pool_index(name);
    if (!pool || !roster_.pool_has_groups(*pool)) return;
    ask_pool(question_, *pool);
    if (question_.purpose == Purpose::gang) return look_at_rows(degraded);
    question_.purpose = Purpose::request;
    look_at_rows(degraded);
    question_.purpose = Purpose::replica;
    look_at_rows(degraded);
  }

  /// Of each reason the smallest change that places the job.
  std::vector<NearestFit> take() {
    std::stable_sort(offers_.begin(), offers_.end(), [](const Offer& a, const Offer& b) {
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
    gather(question_, estimator_, estimator_.scratch());
    collect();
    question_.precisions.clear();
    question_.none_accepted = false;
    gather(question_, estimator_, estimator_.scratch());
    collect_in_any_precision(degraded);
  }

  void accept(std::optional<Precision> degraded) {
    accept_precisions(question_, question_.rule.precisions);
    if (!degraded) return;
    question_.precisions = {*degraded};
    question_.none_accepted = false;
    question_.degraded = true;
  }

  Missed missed(std::size_t row) const {
    const DecisionScratch& scratch = estimator_.scratch();
    return {question_, scratch.rows, row, scratch.kinds[scratch.rows.kind[row]], wait_.kept};
  }

  /// A request's rows of groups say that there is no replica, and no more.
  bool tells(const Missed& missed) const {
    return question_.purpose != Purpose::request || missed.rows.replica[missed.row] != nowhere;
  }

  void collect() {
    const Standings& rows = estimator_.scratch().rows;
    const std::uint32_t capacity = filters_of(Reason::capacity);
    const std::uint32_t of_room =
        capacity | filters_of(Reason::drain) | filters_of(Reason::unhealthy);
    std::vector<std::size_t> taken;
    for (std::size_t row = 0; row < rows.size; ++row) {
      const Missed place = missed(row);
      const std::uint32_t failed = rows.failed[row];
      const bool free = failed == 0 && question_.purpose != Purpose::replica;
      if (!tells(place) || free) continue;
      if (rows.replica[row] == nowhere && (failed & ~of_room) == 0) {
        taken.push_back(row);
      } else if (failed == capacity) {
        offer(place, relieving_change(place));
      } else if (std::popcount(failed & ~capacity) == 1) {
        // What a place lacks is told; whether it is free says little of one that cannot be.
        offer(place, smallest_change(place, reason_of(failed & ~capacity)));
      }
    }
    offer_room(taken);
  }

  static Reason reason_of(std::uint32_t bit) {
    return filters()[static_cast<std::size_t>(std::countr_zero(bit))].reason;
  }

  /// Groups that only lack room, or are drained or unusable as well.
  void offer_room(std::vector<std::size_t>& taken) {
    const Standings& rows = estimator_.scratch().rows;
    std::stable_sort(taken.begin(), taken.end(), [&](std::size_t a, std::size_t b) {
      return rows.start_s[a] < rows.start_s[b];
    });
    taken.resize(std::min(taken.size(), freed_max));
    for (const std::size_t row : taken) {
      const Missed place = missed(row);
      if (rows.spread_of(row) != nullptr && rows.failed[row] == filters_of(Reason::capacity)) {
        offer(place, waiting_change(place));
      }
      offer(place, freeing_change(place));
    }
  }

  /// Rows that pass now lacked nothing but the precision.
  void collect_in_any_precision(std::optional<Precision> degraded) {
    Question strict = question_;
    accept_precisions(strict, question_.rule.precisions);
    if (degraded) return;  // the fallback's, whatever the job takes
    const Standings& rows = estimator_.scratch().rows;
    for (std::size_t row = 0; row < rows.size; ++row) {
      const Missed place = missed(row);
      if (rows.failed[row] != 0 || !tells(place) || !place.kind.precision) continue;
      const auto& wanted = strict.precisions;
      const bool taken =
          std::find(wanted.begin(), wanted.end(), *place.kind.precision) != wanted.end();
      const bool unverified = strict.none_accepted || (!wanted.empty() && !taken);
      if (unverified) offer(place, smallest_change(place, Reason::precision));
    }
  }

  void offer(const Missed& missed, std::optional<Change> change) {
    if (!change) return;
    const bool loads = question_.purpose == Purpose::replica;
    const bool managed = question_.policy.replicas.manage;
    if (loads && !managed && change->reason != Reason::capacity) return;  // two changes
    Offer& offer = offers_.emplace_back();
    offer.rank = static_cast<std::size_t>(std::find(order.begin(), order.end(), change->reason) -
                                          order.begin());
    offer.loads = loads;
    offer.fit.reason = change->reason;
    offer.fit.target = place_text(missed);
    offer.fit.pool = question_.pool->name;
    offer.fit.amount = change->amount;
    offer.fit.change = change->words;
    offer.change = std::move(*change);
    if (!loads) return;
    if (!offer.fit.change.empty()) offer.fit.change += ", and ";
    offer.fit.change += managed ? loading_words(missed)
                                : fmt::format("a replica of {} ([replicas] manage is false)",
                                              question_.ask.model->id);
    offer.change.by_itself &= managed;
  }

  /// More than anybody would read, and than a message holds.
  static bool too_long(const Offer& offer) {
    return offer.fit.change.size() > codec::text_bytes_max;
  }

  static std::string loading_words(const Missed& missed) {
    const double warmup_s = missed.rows.warmup_s[missed.row];
    if (warmup_s <= 0) return "until the model is loaded";
    return duration_text(duration_rounded_up(warmup_s)) + " to load the model";
  }

  std::string place_text(const Missed& missed) const {
    const Standings& rows = missed.rows;
    const std::string text = target_text(roster_, rows, missed.row);
    if (rows.replica[missed.row] != nowhere || rows.failed[missed.row] == 0) return text;
    const GroupEntry& group = roster_.groups()[rows.group[missed.row]];
    std::string name =
        fmt::format("{}/g{}", roster_.hosts()[group.host].hello.host, group.group.number);
    const Spread* spread = rows.spread_of(missed.row);
    if (spread != nullptr) return name + fmt::format(" and {} more", spread->parts.size() - 1);
    return text.ends_with('/') ? name : text;
  }

  /// It will have failed by then.
  bool too_late(const Offer& offer) const {
    const bool time = offer.fit.reason == Reason::capacity && offer.fit.amount > 0;
    return time && saturating_add(question_.now, from_seconds(offer.fit.amount)) >= wait_.fails_at;
  }

  bool places(const Offer& offer) {
    Trial trial(roster_, question_.policy, question_.ask, question_.now);
    trial.loads = offer.loads;
    offer.change.make(trial);
    return trial.places(estimator_);
  }

  Question& question_;
  Roster& roster_;
  Estimator& estimator_;
  const Wait& wait_;
  std::vector<Offer> offers_;
};

/// Each pool that the rule may lead to, once in each precision that it would be asked in.
std::vector<std::pair<std::string, std::optional<Precision>>> ways_of(const Rule& rule) {
  std::vector<std::pair<std::string, std::optional<Precision>>> ways;
  const auto add = [&](const std::string& pool, std::optional<Precision> degraded) {
    const std::pair way{pool, degraded};
    if (!pool.empty() && std::find(ways.begin(), ways.end(), way) == ways.end()) {
      ways.push_back(way);
    }
  };
  for (const std::string& pool : rule.pools) add(pool, std::nullopt);
  for (const Fallback& fallback : rule.fallbacks) add(fallback.to, fallback.change_precision);
  return ways;
}

}  // namespace

std::vector<NearestFit> nearest_fits(Roster& roster, const Policy& policy, Estimator& estimator,
                                     const Ask& ask, Instant now, const Wait& wait) {
  const WorkClass* work_class = class_of(policy, *ask.job, *ask.model);
  const Rule* rule = find_rule(policy, *ask.job, *ask.model, work_class);
  if (rule == nullptr) return {};
  RosterTrial own(roster);  // what is kept for the job is free to it
  for (const KeptDevices& kept : wait.kept) {
    if (kept.job != ask.job->id) continue;
    for (const DeviceIndex device : kept.devices) own.clear(device, condition_reserved);
  }
  const bool gang = ask.job->work.kind == WorkKind::train;
  Question question = make_question(roster, policy, *rule, ask, work_class, now,
                                    gang ? Purpose::gang : Purpose::request);
  Search search(question, roster, estimator, wait);
  for (const auto& [pool, degraded] : ways_of(*rule)) search.look(pool, degraded);
  return search.take();
}

}  // namespace drover::router
