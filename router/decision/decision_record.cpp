#include "router/decision/decision_record.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "router/decision/criteria.h"

namespace drover::router {
namespace {

void add_rejection(Decision& decision, const std::string& pool, const std::string& device_class,
                   Reason reason, std::uint32_t count) {
  for (Rejection& known : decision.rejections) {
    if (known.reason == reason && known.pool == pool && known.device_class == device_class) {
      known.count += count;
      return;
    }
  }
  decision.rejections.push_back(Rejection{pool, device_class, reason, count});
}

Candidate candidate_of(const PlacementQuery& query, const DecisionScratch& scratch,
                       std::size_t position) {
  const std::size_t row = scratch.feasible[position];
  Candidate candidate;
  candidate.target = target_text(query.fleet_state, scratch.rows, row);
  candidate.pool = query.pool->name;
  candidate.score = scratch.scores[position];
  candidate.estimate = estimate_of(scratch.rows, row);
  const GroupEntry& group = query.fleet_state.groups()[scratch.rows.group[row]];
  const PurchaseOption term = query.fleet_state.hosts()[group.host].term;
  if (listed_spot_usd_per_h(query.pool->prices, term, group.spec)) {
    candidate.price = "spot price of the catalogue";
  }
  const auto& weigh = query.rule.weights;
  candidate.parts.reserve(static_cast<std::size_t>(
      std::ranges::count_if(weigh, [](double weight) { return weight > 0; })));
  double weights = 0;
  for (std::size_t number = 0; number < scorer_count; ++number) {
    const double weight = query.rule.weights[number];
    if (weight <= 0) continue;
    candidate.parts.push_back(ScorePart{std::string(to_text(static_cast<Scorer>(number))),
                                        scratch.values[number][position], weight});
    weights += weight;
  }
  // The part that slow start subtracts from a score, as a part without a value: the score remains
  // the weighted mean.
  const double factor = slow_start(query, scratch, row);
  if (factor < 1) {
    candidate.parts.push_back(ScorePart{"slow_start", 0, weights * (1 / factor - 1)});
  }
  return candidate;
}

}  // namespace

Estimate estimate_of(const CandidateTable& rows, std::size_t row) {
  // It is not known when a closed candidate opens again, even if its devices are free.
  constexpr std::uint32_t closed = condition_lost | condition_suspect | condition_drained;
  const bool known = std::isfinite(rows.start_s[row]) && (rows.condition[row] & closed) == 0;
  return Estimate{known ? rows.start_s[row] : 0, known ? rows.finish_s[row] : 0, rows.energy_j[row],
                  rows.cost_usd[row], known};
}

Reason record_rejections(const PlacementQuery& query, DecisionScratch& scratch,
                         Decision& decision) {
  const CandidateTable& rows = scratch.rows;
  if (rows.size == 0) return Reason::capacity;
  scratch.counts.assign(scratch.kinds.size(), {});
  std::array<std::uint32_t, 32> own_reason{};
  for (std::size_t row = 0; row < rows.size; ++row) {
    if (rows.failed[row] == 0) continue;
    ++own_reason[static_cast<std::size_t>(std::countr_zero(rows.failed[row]))];
    for (std::uint32_t left = rows.failed[row]; left != 0; left &= left - 1) {
      ++scratch.counts[rows.kind[row]][static_cast<std::size_t>(std::countr_zero(left))];
    }
  }
  const auto table = filters();
  for (std::size_t kind = 0; kind < scratch.kinds.size(); ++kind) {
    for (std::size_t index = 0; index < table.size(); ++index) {
      const std::uint32_t count = scratch.counts[kind][index];
      if (count == 0) continue;
      add_rejection(decision, query.pool->name, scratch.kinds[kind].spec->id, table[index].reason,
                    count);
    }
  }
  // A candidate's own reason is passing only if nothing permanent rejects it, as permanent filters
  // come first. One such candidate is enough: waiting, or going elsewhere until then, helps. Ties
  // go to the first.
  const auto passing = own_reason.begin() + std::countr_one(permanent_filters());
  auto most = std::max_element(passing, own_reason.end());
  if (*most == 0) most = std::max_element(own_reason.begin(), passing);
  if (*most == 0) return Reason::capacity;
  return table[static_cast<std::size_t>(most - own_reason.begin())].reason;
}

void record_rows(const PlacementQuery& query, DecisionScratch& scratch) {
  const CandidateTable& rows = scratch.rows;
  if (rows.size == 0) return;
  const bool replicas = rows.replica.front() != no_index;  // all are, or none
  const auto pool = static_cast<std::uint16_t>(query.pool_number);
  const std::size_t before = scratch.record.size();
  scratch.record.resize(before + rows.size);
  RecordRow* record = scratch.record.data() + before;
  const std::uint32_t* place = replicas ? rows.replica.data() : rows.group.data();
  const bool scored = scratch.feasible.size() == rows.size;
  for (std::size_t row = 0; row < rows.size; ++row) {
    const float score = scored ? static_cast<float>(scratch.scores[row]) : 0;
    record[row] = RecordRow{place[row], rows.failed[row], score, pool, replicas, 1};
  }
  for (std::size_t row = 0; row < rows.size && !rows.multi_host_gangs.empty(); ++row) {
    const MultiHostGang* spread = rows.multi_host_gang_of(row);
    if (spread != nullptr) record[row].hosts = static_cast<std::uint8_t>(spread->parts.size());
  }
  for (std::size_t position = 0; !scored && position < scratch.feasible.size(); ++position) {
    record[scratch.feasible[position]].score = static_cast<float>(scratch.scores[position]);
  }
}

void record_top(const PlacementQuery& query, const DecisionScratch& scratch, std::size_t chosen,
                Decision& decision) {
  const std::size_t wanted = std::min<std::size_t>(query.policy.top_k, 3);
  std::array<std::size_t, 3> best{};
  std::size_t count = 0;
  double least = -1;  // threshold of the best; scores are at least 0
  for (std::size_t position = 0; position < scratch.feasible.size() && wanted > 1; ++position) {
    const double score = scratch.scores[position];
    if (score <= least || position == chosen) continue;
    std::size_t place = count < wanted - 1 ? count++ : count - 1;
    for (; place > 0 && scratch.scores[best[place - 1]] < score; --place) {
      best[place] = best[place - 1];
    }
    best[place] = position;
    if (count == wanted - 1) least = scratch.scores[best[count - 1]];
  }
  decision.top.clear();
  decision.top.reserve(count + 1);
  decision.top.push_back(candidate_of(query, scratch, chosen));
  for (std::size_t place = 0; place < count; ++place) {
    decision.top.push_back(candidate_of(query, scratch, best[place]));
  }
}

}  // namespace drover::router
