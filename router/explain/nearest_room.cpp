// Changes that make room: devices freed, time, requests that end.
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
bool loads(const Missed& missed) { return missed.question.purpose == Purpose::replica; }

std::optional<Freeing> freeing_of(const Missed& missed) {
  const Question& question = missed.question;
  const Spread* spread = missed.rows.spread_of(missed.row);
  if (spread == nullptr) {
    return cheapest_freeing(question, missed.kept, missed.rows.group[missed.row],
                            missed.kind.devices);
  }
  Freeing all;
  for (const Spread::Part& part : spread->parts) {
    const auto found = cheapest_freeing(question, missed.kept, part.group, part.devices);
    if (!found) return std::nullopt;
    all.add(*found);
  }
  return all;
}

}  // namespace

std::optional<Change> freeing_change(const Missed& missed) {
  auto found = freeing_of(missed);
  if (!found) return std::nullopt;
  const double warmup_s = loads(missed) ? missed.rows.warmup_s[missed.row] : 0;
  found->wait_s = duration_rounded_up(found->wait_s);
  Change change;
  change.reason = found->reason();
  change.by_itself = found->by_itself(missed.question);
  change.amount = found->wait_s + warmup_s;
  change.words = found->words(missed.question);
  if (change.words.empty() && !loads(missed)) return std::nullopt;
  change.make = [freeing = std::move(*found), kept = missed.kept](Trial& trial) {
    freeing.make(kept, trial);
  };
  return change;
}

std::optional<Change> waiting_change(const Missed& missed) {
  const double wait_s = missed.rows.start_s[missed.row];
  if (!std::isfinite(wait_s) || wait_s <= 0) return std::nullopt;
  Change change;
  change.amount = duration_rounded_up(wait_s);
  change.words = duration_text(change.amount);
  change.by_itself = true;
  change.make = [passes_s = change.amount](Trial& trial) { trial.pass(passes_s); };
  return change;
}

std::optional<Change> relieving_change(const Missed& missed) {
  const Question& question = missed.question;
  const Standings& rows = missed.rows;
  const std::size_t row = missed.row;
  const ReplicaIndex replica = rows.replica[row];
  const ReplicaEntry& entry = question.roster.replicas()[replica];
  const ReplicaState state = entry.facts.state;
  Change change;
  change.by_itself = true;
  if (state == ReplicaState::loading || state == ReplicaState::compiling) {
    const devices::Placement on{missed.kind.spec, missed.kind.devices, entry.facts.precision};
    const auto tokens = static_cast<double>(devices::kv_capacity_tokens(on, *question.ask.model));
    change.amount = duration_rounded_up(to_seconds(entry.facts.ready_at - question.now));
    change.words = change.amount > 0 ? duration_text(change.amount) + ", until its model is loaded"
                                     : "its model loaded, which is overdue";
    change.make = [replica, tokens, passes_s = change.amount](Trial& trial) {
      trial.pass(passes_s);
      trial.fleet.make_ready(replica, tokens);
    };
    return change;
  }
  const double requests = std::max(0.0, rows.load[row] + 1 - rows.bound[row]);
  const auto need = static_cast<double>(question.need_tokens);
  const double room = rows.tokens_max[row] * (1 - question.rule.memory_headroom);
  const double tokens = std::max(0.0, rows.tokens[row] + need - room);
  if (requests > rows.load[row] || tokens > rows.tokens[row]) return std::nullopt;
  if (requests > 0) {
    change.words = counted(static_cast<std::uint64_t>(std::ceil(requests)), "request");
  }
  if (tokens > 0) {
    change.words += change.words.empty() ? "" : " and ";
    change.words += counted(static_cast<std::uint64_t>(std::ceil(tokens)), "token");
    change.words += " of its KV cache";
  }
  if (change.words.empty()) return std::nullopt;
  change.words += " fewer there";
  change.make = [replica, requests, tokens](Trial& trial) {
    trial.fleet.relieve(replica, std::ceil(requests), std::ceil(tokens));
  };
  return change;
}

}  // namespace drover::router
