// Where the current attempt of a job runs: on one replica, on devices of one group, or, as a gang
// over hosts, on devices of several. Each host's part is a member: it takes the attempt or refuses
// it, tells its pace, and ends by itself. The attempt has begun when every member has taken it, and
// is over when every member has ended; the first that fails fails it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fleet/base/identity.h"
#include "fleet/decision.h"
#include "fleet/job.h"
#include "fleet/messages.h"

namespace drover::router {

struct Member {
  explicit Member(std::string on_host = "", std::vector<std::uint16_t> with_devices = {})
      : host(std::move(on_host)), devices(std::move(with_devices)) {}

  std::string host;
  Incarnation incarnation;             // the host's life that the attempt was given to
  std::vector<std::uint16_t> devices;  // a gang's
  bool accepted = false;
  std::optional<MemberPace> pace;  // last told, of a gang over hosts
  std::optional<Usage> used;       // up to its end; nothing: it has not ended
  bool reported = false;           // its agent has told the end, and keeps it until it is stored
  Outcome outcome;
};

struct Lease {
  std::vector<Member> members;  // at least one, unless nothing was ever leased
  std::optional<std::uint32_t> replica;
  Instant begun{};     // when it was leased; no work of it is older
  std::string target;  // as text, for people
  std::string pool;
  std::optional<Reason> fallback;  // the reason that led here, when it was a fallback
  std::string rule;                // that placed it; empty: not known (an earlier life)
  bool probe = false;  // asked the wanted pools while a sticky fallback held others back
  double predicted_s = 0;
  double ratio = 0;  // the learnt ratio that predicted_s holds; 0: not known (an earlier life)
  Estimate more;     // than the wanted pool's best would have cost, when it was a fallback
  Usage expected;    // what the attempt is believed to use; nothing: not known (an earlier life)
  std::uint32_t from_step = 0;    // of a training: the checkpoint that it began from
  std::optional<Failed> failure;  // of the first member that failed
  double step_s = 0;              // of the whole gang, as its members were told last

  bool over_hosts() const { return members.size() > 1; }
  Member* member(std::string_view host);
  const Member* member(std::string_view host) const;
  std::size_t devices() const;
  bool accepted_by_all() const;
  bool accepted_by_any() const;
  bool ended_by_all() const;
  /// Of all members that have ended.
  Usage used() const;
  /// Of the whole, from what those that finished told: the longest run.
  Outcome outcome() const;
  /// The slowest member's own work and the longest exchange between them, once all have told their
  /// paces; 0 when one stands still, nothing while one has not told.
  std::optional<double> gang_step_s() const;
};

}  // namespace drover::router
