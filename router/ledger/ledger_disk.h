// Whether the ledger's disk keeps up, as commits tell: what may be refused while it does not.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "fleet/base/time.h"

namespace drover::router {

/// Writes that the store has not answered: more, and new jobs are refused. A store of 80,000 rows/s
/// needs seconds for them.
inline constexpr std::uint64_t uncommitted_max = 500'000;

class LedgerDisk {
 public:
  /// `patience`: writes that wait for longer mean that it stands still.
  LedgerDisk(Instant start, Duration patience)
      : uncommitted_since_(start), looked_(start), patience_(patience) {}

  /// At each turn. `uncommitted`: writes that the store has not answered.
  void look(Instant now, std::uint64_t uncommitted) {
    looked_ = now;
    if (uncommitted == 0) uncommitted_since_ = now;
    if (stands_still(uncommitted)) stood_still_ = now;
  }
  void committed(Instant now) { uncommitted_since_ = now; }
  /// What the shell says of it; empty: all is well.
  void tell(std::string trouble) { trouble_ = std::move(trouble); }

  /// Writes have waited for so long that new ones would only wait too.
  bool stands_still(std::uint64_t uncommitted) const {
    return uncommitted > 0 && looked_ - uncommitted_since_ > patience_;
  }
  /// Nothing that can be refused is to be written now.
  bool takes_no_writes(std::uint64_t uncommitted) const {
    return uncommitted > uncommitted_max || stands_still(uncommitted);
  }
  /// What waits for a write may wait for long: the disk is full, or stands still.
  bool holds_answers(std::uint64_t uncommitted) const {
    return stands_still(uncommitted) || (uncommitted > 0 && !trouble_.empty());
  }
  bool stood_still_within(Instant now, Duration span) const {
    return stood_still_ != Instant{} && now - stood_still_ < span;
  }
  /// Why it takes no writes.
  std::string words() const {
    return trouble_.empty() ? "the ledger's disk does not keep up" : "the ledger: " + trouble_;
  }

 private:
  Instant uncommitted_since_;  // at least for so long no commit has come that writes wait for
  Instant stood_still_{};      // last; Instant{}: never
  Instant looked_;
  Duration patience_;
  std::string trouble_;
};

}  // namespace drover::router
