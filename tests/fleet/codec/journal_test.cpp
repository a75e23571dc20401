#include "fleet/codec/journal.h"

#include <gtest/gtest.h>

#include "fleet/codec/codec.h"
#include "tests/fleet/codec/decode_journal.h"

namespace drover {
namespace {

Instant at(std::int64_t nanoseconds) { return Instant{Duration{nanoseconds}}; }

std::vector<JournalRecord> some_records() {
  const JobId job{0x0123456789abcdef, 42};
  const std::string bytes = encode({"h1", 7, at(5), Accepted{job, 1}});
  return {
      JournalStart{"router", "seed = 7\nname = \"\xff\"\n"},
      JournalRestore{
          {{Transition::accepted, at(1), job, 0, bytes}, {Transition::stale, at(2), job, 3, ""}}},
      JournalRestore{},
      JournalReceive{at(10), {Channel::publish, 9}, bytes, {}},
      JournalReceive{
          at(11), {Channel::control, 3}, std::string("\0\xff not a message", 16), "alice"},
      JournalTick{never},
      JournalTick{},
      JournalCommitted{at(12), 99},
      JournalDropped{at(13), {Channel::samples, 0}, "no message", "samples door, from \x01"},
      JournalLeave{at(14), "SIGTERM"},
      JournalOutboxDigest{0xfedcba9876543210},
  };
}

std::string journal_of(const std::vector<JournalRecord>& records) {
  std::string bytes;
  for (const JournalRecord& record : records) bytes += encode_record(record);
  return bytes;
}

TEST(Journal, GivesBackEveryRecordInOrder) {
  const auto records = decode_journal(journal_of(some_records()));
  ASSERT_TRUE(records.ok()) << records.error().message;
  EXPECT_EQ(*records, some_records());
}

TEST(Journal, WithoutBytesHasNoRecords) {
  const auto records = decode_journal("");
  ASSERT_TRUE(records.ok());
  EXPECT_TRUE(records->empty());
}

TEST(Journal, SkipsATruncatedLastRecordWhereverItIsCut) {
  const std::vector<JournalRecord> all = some_records();
  const std::string bytes = journal_of(all);
  std::size_t whole = 0;  // records that end at or before the cut
  std::size_t end = encode_record(all[0]).size();
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    while (whole < all.size() && end <= size) {
      ++whole;
      if (whole < all.size()) end += encode_record(all[whole]).size();
    }
    const auto records = decode_journal(std::string_view(bytes).substr(0, size));
    ASSERT_TRUE(records.ok()) << records.error().message;
    ASSERT_EQ(*records, std::vector<JournalRecord>(all.begin(), all.begin() + whole)) << size;
  }
}

TEST(Journal, NamesTheByteOfAnInvalidRecord) {
  const std::string first = encode_record(JournalTick{at(1)});
  std::string second = encode_record(JournalCommitted{at(2), 3});
  second[9] = '\x08';
  const auto kind = decode_journal(first + second);
  ASSERT_FALSE(kind.ok());
  EXPECT_EQ(kind.error().message, "journal, byte 16: kind: found 8, expected 0..7");

  second = encode_record(JournalCommitted{at(2), 3});
  second[second.size() - 1] = '\xff';
  const auto field = decode_journal(first + second + first);
  ASSERT_FALSE(field.ok());
  EXPECT_EQ(field.error().message,
            "journal, byte 16: JournalCommitted.sequence: found -1, expected "
            "0..18446744073709551615");
}

TEST(Journal, RefusesBytesAfterARecord) {
  std::string record = encode_record(JournalTick{at(1)});
  record[0] = static_cast<char>(record[0] + 1);
  const auto records = decode_journal(record + "\xc0");
  ASSERT_FALSE(records.ok());
  EXPECT_EQ(records.error().message,
            "journal, byte 0: found 1 bytes after the record, expected none");
}

Outbox some_outbox() {
  Outbox outbox;
  outbox.sends.push_back({router_peer, {"h1", 1, at(1), Accepted{{1, 2}, 3}}, 4});
  outbox.writes.push_back({4, {Transition::leased, at(1), {1, 2}, 3, "payload"}});
  return outbox;
}

TEST(OutboxBytes, AreEqualForEqualOutboxes) {
  EXPECT_EQ(outbox_bytes(some_outbox()), outbox_bytes(some_outbox()));
}

TEST(OutboxBytes, DifferForEveryDifference) {
  const std::string same = outbox_bytes(some_outbox());
  std::vector<Outbox> others(8, some_outbox());
  others[0].sends.clear();
  others[1].writes.clear();
  others[2].sends[0].to.number = 1;
  others[3].sends[0].after_write = 5;
  others[4].sends[0].envelope.sequence = 2;
  others[5].writes[0].sequence = 5;
  others[6].writes[0].row.payload = "";
  others[7].writes[0].row.at = at(2);
  for (const Outbox& other : others) EXPECT_NE(outbox_bytes(other), same);
}

}  // namespace
}  // namespace drover
