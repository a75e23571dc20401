// Where the current attempt of a job runs: on one replica, on devices of one group, or, as a
// multi-host gang, on devices of several. Each host's part is a member: it accepts or refuses the
// attempt, reports its step time, and ends on its own. The attempt has started when every member
// has accepted it, and is over when every member has ended; the first failure fails it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fleet/base/identity.h"
#include "fleet/base/search.h"
#include "fleet/decision.h"
#include "fleet/job.h"
#include "fleet/messages.h"

namespace drover::router {

struct Member {
  explicit Member(std::string on_host = "", std::vector<std::uint16_t> with_devices = {})
      : host(std::move(on_host)), devices(std::move(with_devices)) {}

  std::string host;
  Incarnation incarnation;             // of the agent that was assigned the attempt
  std::vector<std::uint16_t> devices;  // of a gang
  bool accepted = false;
  std::optional<MemberStepTime> step_time;  // last reported, by a multi-host gang
  std::optional<Usage> used;                // total at its end; nothing: it has not ended
  bool reported = false;  // its agent reported the end and keeps it until it is stored
  Outcome outcome;
};

struct Lease {
  std::vector<Member> members;  // at least one, unless nothing was ever leased
  std::optional<std::uint32_t> replica;
  Instant begun{};     // when it was leased; its work cannot be older
  std::string target;  // as text
  std::string pool;
  std::optional<Reason> fallback;  // why it was placed by a fallback, if it was
  std::string rule;                // that placed it; empty: not known (placed before a restart)
  bool probe = false;              // tried the preferred pools while a sticky fallback holds others
  double predicted_s = 0;
  double ratio = 0;               // learnt ratio in predicted_s; 0: not known (before a restart)
  Estimate more;                  // extra cost over the preferred pool's best, if a fallback
  Usage expected;                 // estimated usage; nothing: not known (before a restart)
  std::uint32_t from_step = 0;    // training: the checkpoint it started from
  std::optional<Failed> failure;  // of the first member that failed
  double step_s = 0;              // of the whole gang, as last sent to its members

  bool over_hosts() const { return members.size() > 1; }
  Member* member(std::string_view host) { return find_by(members, &Member::host, host); }
  const Member* member(std::string_view host) const {
    return find_by(members, &Member::host, host);
  }
  std::size_t devices() const {
    std::size_t count = 0;
    for (const Member& each : members) count += each.devices.size();
    return count;
  }
  bool accepted_by_all() const { return std::ranges::all_of(members, &Member::accepted); }
  bool accepted_by_any() const { return std::ranges::any_of(members, &Member::accepted); }
  bool ended_by_all() const {
    return std::ranges::all_of(members, [](const Member& each) { return each.used.has_value(); });
  }
  /// Usage of all members that have ended.
  Usage used() const {
    Usage sum;
    for (const Member& each : members) sum += each.used.value_or(Usage{});
    return sum;
  }
  /// Outcome of the whole, from the finished members: the longest run.
  Outcome outcome() const {
    Outcome whole;
    for (const Member& each : members) {
      if (each.outcome.run_s >= whole.run_s) whole = each.outcome;
    }
    return whole;
  }
  /// The gang's step time: the slowest member's own work plus the longest exchange, once all have
  /// reported; 0 when one is paused; nothing until all have reported.
  std::optional<double> gang_step_s() const {
    double compute_s = 0, exchange_s = 0;
    bool still = false;
    for (const Member& each : members) {
      if (!each.step_time) return std::nullopt;
      still |= each.step_time->compute_s <= 0;
      compute_s = std::max(compute_s, each.step_time->compute_s);
      exchange_s = std::max(exchange_s, each.step_time->exchange_s);
    }
    return still ? 0 : compute_s + exchange_s;
  }
};

}  // namespace drover::router
