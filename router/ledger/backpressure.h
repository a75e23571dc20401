// Whether the ledger's disk keeps up with writes, and what may be rejected while it does not.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "fleet/base/time.h"

namespace drover::router {

/// Above this number of uncommitted writes, new jobs are rejected. A store of 80,000 rows/s needs
/// seconds for them.
inline constexpr std::uint64_t uncommitted_max = 500'000;

class LedgerBackpressure {
 public:
  /// `stall_timeout`: the disk is stalled once writes have waited longer than this.
  LedgerBackpressure(Instant start, Duration stall_timeout)
      : uncommitted_since_(start), updated_at_(start), stall_timeout_(stall_timeout) {}

  /// Called each turn. `uncommitted`: writes that the store has not committed.
  void update(Instant now, std::uint64_t uncommitted) {
    updated_at_ = now;
    if (uncommitted == 0) uncommitted_since_ = now;
    if (is_stalled(uncommitted)) last_stall_ = now;
  }
  void committed(Instant now) { uncommitted_since_ = now; }
  /// Sets the problem that the shell reports; empty: none.
  void set_problem(std::string problem) { problem_ = std::move(problem); }

  /// Whether writes have waited so long that new ones would only wait too.
  bool is_stalled(std::uint64_t uncommitted) const {
    return uncommitted > 0 && updated_at_ - uncommitted_since_ > stall_timeout_;
  }
  /// Whether to reject everything that can be rejected instead of writing it.
  bool rejects_writes(std::uint64_t uncommitted) const {
    return uncommitted > uncommitted_max || is_stalled(uncommitted);
  }
  /// Whether replies that depend on a write may be late: the disk is full or stalled.
  bool delays_replies(std::uint64_t uncommitted) const {
    return is_stalled(uncommitted) || (uncommitted > 0 && !problem_.empty());
  }
  bool stalled_within(Instant now, Duration span) const {
    return last_stall_ != Instant{} && now - last_stall_ < span;
  }
  /// Why it accepts no writes.
  std::string text() const {
    return problem_.empty() ? "the ledger's disk does not keep up" : "the ledger: " + problem_;
  }

 private:
  Instant uncommitted_since_;  // start of the time without a commit while writes waited
  Instant last_stall_{};       // last stalled; Instant{}: never
  Instant updated_at_;
  Duration stall_timeout_;
  std::string problem_;
};

}  // namespace drover::router
