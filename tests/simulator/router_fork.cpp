#include "tests/simulator/router_fork.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "fleet/codec/codec.h"

namespace drover::simulator {
namespace {

constexpr Peer client{Channel::control, 1'000'000};
constexpr Duration step = std::chrono::milliseconds(100);

/// Where the present life of the router begins in the journal.
std::size_t birth(const std::vector<JournalTurn>& journal) {
  for (std::size_t at = journal.size(); at-- > 0;) {
    for (const JournalRecord& record : journal[at].inputs) {
      if (std::holds_alternative<JournalRestore>(record)) return at;
    }
  }
  return 0;
}

Instant first_tick(const JournalTurn& turn) {
  for (const JournalRecord& record : turn.inputs) {
    if (const auto* tick = std::get_if<JournalTick>(&record)) return tick->now;
  }
  return {};
}

}  // namespace

RouterFork::RouterFork(const Simulation& world, const Scenario& scenario,
                       const devices::Catalogue& catalogue)
    : now_(world.now()) {
  const auto& journal = world.journal();
  DROVER_REQUIRE(!journal.empty());
  const std::size_t begin = birth(journal);
  router_ = std::make_unique<router::Router>(scenario.router, scenario.policy, catalogue,
                                             first_tick(journal[begin]));
  for (std::size_t at = begin; at < journal.size(); ++at) {
    for (const JournalRecord& record : journal[at].inputs) {
      if (const auto* restore = std::get_if<JournalRestore>(&record)) {
        DROVER_REQUIRE(router_->restore(restore->rows).ok());
      } else if (const auto* receive = std::get_if<JournalReceive>(&record)) {
        const auto envelope = decode(receive->bytes);
        if (envelope) router_->receive(receive->now, receive->from, *envelope);
      } else if (const auto* committed = std::get_if<JournalCommitted>(&record)) {
        router_->committed(committed->now, committed->sequence);
      } else if (const auto* tick = std::get_if<JournalTick>(&record)) {
        router_->tick(tick->now);
      }
    }
    router_->take_outbox();
  }
  tell(Join{Role::client, "fork", "simulator"});
}

void RouterFork::tell(Message message) {
  router_->receive(now_, client, {"fork", ++sequence_, now_, std::move(message)});
  turn();
}

void RouterFork::turn() {
  router_->tick(now_);
  const Outbox outbox = router_->take_outbox();
  if (!outbox.writes.empty()) router_->committed(now_, outbox.writes.back().sequence);
}

void RouterFork::run_for(Duration span) {
  const Instant end = now_ + span;
  while (now_ < end) {
    now_ = std::min(end, std::max(now_ + step, router_->next_deadline()));
    turn();
  }
}

}  // namespace drover::simulator
