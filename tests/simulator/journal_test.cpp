// Every input of a router, fed to a fresh one, gives the same outboxes byte for byte.
#include <gtest/gtest.h>

#include "devices/catalogue/catalogue.h"
#include "fleet/codec/codec.h"
#include "simulator/simulation.h"
#include "tests/fleet/codec/decode_journal.h"
#include "tests/simulator/fleet_under_test.h"

namespace drover::simulator {
namespace {

void feed(router::Router& router, const JournalRecord& record) {
  if (const auto* receive = std::get_if<JournalReceive>(&record)) {
    const Result<Envelope> envelope = decode(receive->bytes);
    ASSERT_TRUE(envelope.ok());
    router.receive(receive->now, receive->from, *envelope);
  } else if (const auto* tick = std::get_if<JournalTick>(&record)) {
    router.tick(tick->now);
  } else if (const auto* committed = std::get_if<JournalCommitted>(&record)) {
    router.committed(committed->now, committed->sequence);
  } else if (const auto* restore = std::get_if<JournalRestore>(&record)) {
    ASSERT_TRUE(router.restore(restore->rows).ok());
  }
}

TEST(Journal, AFreshRouterReplaysTheJournalByteForByte) {
  Scenario scenario = mixed_scenario(11, 30, 8);
  scenario.journal = true;
  const Scenario same = scenario;
  Simulation world(std::move(scenario), devices::Catalogue::embedded());
  world.run_for(std::chrono::minutes(2));
  ASSERT_GT(world.journal().size(), 500u);

  router::Router fresh(same.router, same.policy, devices::Catalogue::embedded(), same.start);
  for (std::size_t turn = 0; turn < world.journal().size(); ++turn) {
    for (const JournalRecord& record : world.journal()[turn].inputs) {
      // Through the file format and back, as a journal file would be.
      const auto records = decode_journal(encode_record(record));
      ASSERT_TRUE(records.ok()) << records.error().message;
      ASSERT_EQ(records->size(), 1u);
      feed(fresh, records->front());
    }
    ASSERT_EQ(outbox_bytes(fresh.take_outbox()), world.journal()[turn].outbox) << "turn " << turn;
  }
}

}  // namespace
}  // namespace drover::simulator
