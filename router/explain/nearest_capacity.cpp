// Changes that add capacity: freed devices, time, ended requests.
#include <algorithm>
#include <cmath>
#include <utility>

#include "devices/serving/performance.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "router/explain/nearest_change.h"

namespace drover::router {
namespace {

/// A request that waits for a new replica is placed once it is loaded.
bool loads(const RejectedCandidate& rejected) { return rejected.query.purpose == Purpose::replica; }

std::optional<FreeingPlan> freeing_of(const RejectedCandidate& rejected) {
  const PlacementQuery& query = rejected.query;
  const MultiHostGang* spread = rejected.rows.multi_host_gang_of(rejected.row);
  if (spread == nullptr) {
    return cheapest_freeing_plan(query, rejected.kept, rejected.rows.group[rejected.row],
                                 rejected.kind.devices);
  }
  FreeingPlan all;
  for (const MultiHostGang::Part& part : spread->parts) {
    const auto found = cheapest_freeing_plan(query, rejected.kept, part.group, part.devices);
    if (!found) return std::nullopt;
    all.add(*found);
  }
  return all;
}

}  // namespace

std::optional<Change> freeing_change(const RejectedCandidate& rejected) {
  auto found = freeing_of(rejected);
  if (!found) return std::nullopt;
  const double warmup_s = loads(rejected) ? rejected.rows.warmup_s[rejected.row] : 0;
  found->wait_s = duration_rounded_up(found->wait_s);
  Change change;
  change.reason = found->reason();
  change.by_itself = found->by_itself(rejected.query);
  change.amount = found->wait_s + warmup_s;
  change.words = found->text(rejected.query);
  if (change.words.empty() && !loads(rejected)) return std::nullopt;
  change.make = [freeing = std::move(*found), kept = rejected.kept](WhatIf& what_if) {
    freeing.make(kept, what_if);
  };
  return change;
}

std::optional<Change> waiting_change(const RejectedCandidate& rejected) {
  const double wait_s = rejected.rows.start_s[rejected.row];
  if (!std::isfinite(wait_s) || wait_s <= 0) return std::nullopt;
  Change change;
  change.amount = duration_rounded_up(wait_s);
  change.words = duration_text(change.amount);
  change.by_itself = true;
  change.make = [passes_s = change.amount](WhatIf& what_if) { what_if.pass(passes_s); };
  return change;
}

std::optional<Change> relieving_change(const RejectedCandidate& rejected) {
  const PlacementQuery& query = rejected.query;
  const CandidateTable& rows = rejected.rows;
  const std::size_t row = rejected.row;
  const ReplicaIndex replica = rows.replica[row];
  const ReplicaEntry& entry = query.fleet_state.replicas()[replica];
  const ReplicaState state = entry.facts.state;
  Change change;
  change.by_itself = true;
  if (state == ReplicaState::loading || state == ReplicaState::compiling) {
    const devices::Placement on{rejected.kind.spec, rejected.kind.devices, entry.facts.precision};
    const auto tokens = static_cast<double>(devices::kv_capacity_tokens(on, *query.request.model));
    change.amount = duration_rounded_up(to_seconds(entry.facts.ready_at - query.now));
    change.words = change.amount > 0 ? duration_text(change.amount) + ", until its model is loaded"
                                     : "when its model is loaded (overdue)";
    change.make = [replica, tokens, passes_s = change.amount](WhatIf& what_if) {
      what_if.pass(passes_s);
      what_if.fleet.make_ready(replica, tokens);
    };
    return change;
  }
  const double requests = std::max(0.0, rows.load[row] + 1 - rows.bound[row]);
  const auto need = static_cast<double>(query.need_tokens);
  const double capacity_tokens = rows.tokens_max[row] * (1 - query.rule.memory_headroom);
  const double tokens = std::max(0.0, rows.tokens[row] + need - capacity_tokens);
  if (requests > rows.load[row] || tokens > rows.tokens[row]) return std::nullopt;
  if (requests > 0) {
    change.words = counted(static_cast<std::uint64_t>(std::ceil(requests)), "fewer request");
  }
  if (tokens > 0) {
    change.words += change.words.empty() ? "" : " and ";
    change.words += counted(static_cast<std::uint64_t>(std::ceil(tokens)), "fewer token");
    change.words += " in its KV cache";
  }
  if (change.words.empty()) return std::nullopt;
  change.make = [replica, requests, tokens](WhatIf& what_if) {
    what_if.fleet.reduce_load(replica, std::ceil(requests), std::ceil(tokens));
  };
  return change;
}

}  // namespace drover::router
