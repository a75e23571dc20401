#include "commands/why/journal_replay.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "commands/connection/router_start.h"
#include "fleet/base/overloaded.h"
#include "fleet/base/text.h"
#include "fleet/codec/codec.h"

namespace drover::commands {

std::optional<Instant> time_of(const JournalRecord& record) {
  return std::visit(
      [](const auto& body) -> std::optional<Instant> {
        if constexpr (requires { body.now; }) return body.now;
        return {};
      },
      record);
}

Status JournalReplay::feed(const JournalRecord& record) {
  outbox_ = {};
  if (const auto* recorded = std::get_if<JournalOutboxDigest>(&record)) return compare(recorded);
  // A router that was killed may not have written its last digest.
  if (const auto* start = std::get_if<JournalStart>(&record)) return begin(*start);
  DROVER_TRY(compare(nullptr));
  if (!router_) return error("found an input before the start of a router");
  if (const auto now = time_of(record)) now_ = *now;
  if (const auto* rows = std::get_if<JournalRestore>(&record)) return restore(*rows);
  return input(record);
}

Status JournalReplay::begin(const JournalStart& start) {
  if (start.core != "router") {
    return error("found the journal of an {}, expected a router's",
                 printable(start.core.substr(0, 40)));
  }
  DROVER_ASSIGN(const auto settings, parse_router_start(start.settings));
  DROVER_ASSIGN(router_, make_router(settings, catalogue_));
  restoring_ = true;
  uncompared_.reset();
  now_ = settings.start;
  ++counts_.router_runs;
  return {};
}

Status JournalReplay::restore(const JournalRestore& rows) {
  if (!restoring_) return error("found rows of a ledger after the first input");
  for (const LedgerRow& row : rows.rows) {
    DROVER_TRY(router_->restore_row(row));
  }
  return {};
}

Status JournalReplay::settle() {
  return std::exchange(restoring_, false) ? router_->restored() : Status();
}

Status JournalReplay::input(const JournalRecord& record) {
  DROVER_TRY(settle());
  ++counts_.inputs;
  return std::visit(
      Overloaded{[&](const JournalReceive& receive) -> Status {
                   const auto envelope = decode(receive.bytes);
                   if (!envelope) return error("a message: {}", envelope.error().message);
                   router_->receive(receive.now, receive.from, *envelope, receive.key);
                   return {};
                 },
                 [&](const JournalDropped& dropped) -> Status {
                   router_->reject_message(dropped.now,
                                           {dropped.from, dropped.sender, dropped.why, dropped.key,
                                            dropped.address, dropped.asked, dropped.retryable});
                   return {};
                 },
                 [&](const JournalCommitted& committed) -> Status {
                   router_->committed(committed.now, committed.sequence);
                   return {};
                 },
                 [&](const JournalTick& tick) -> Status {
                   turn(tick);
                   return {};
                 },
                 [](const auto&) -> Status {
                   return error("found an input that does not belong to a router");
                 }},
      record);
}

void JournalReplay::turn(const JournalTick& tick) {
  router_->tick(tick.now);
  outbox_ = router_->take_outbox();
  if (!outbox_.empty()) uncompared_ = outbox_digest(outbox_);
  counts_.decisions += static_cast<std::uint64_t>(std::count_if(
      outbox_.sends.begin(), outbox_.sends.end(),
      [](const Send& send) { return std::holds_alternative<Decision>(send.envelope.body); }));
}

/// `recorded`: the router's digest of the turn before; null: it had no output.
Status JournalReplay::compare(const JournalOutboxDigest* recorded) {
  const auto here = std::exchange(uncompared_, std::nullopt);
  if (recorded == nullptr && !here) return {};
  if (recorded != nullptr && here && *here == *recorded) {
    ++counts_.reproduced_turns;
    return {};
  }
  return error(
      "{}: the replay's output has digest {:016x}, the router's {:016x}; a replay needs the same "
      "version of drover, the same --catalogue and the unchanged journal",
      to_iso8601(now_), here ? here->digest : 0, recorded != nullptr ? recorded->digest : 0);
}

}  // namespace drover::commands
