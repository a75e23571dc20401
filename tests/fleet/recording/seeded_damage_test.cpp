// A thousand seeded damages: whatever happens to a recording or to its journal, every message whose
// bytes are untouched is there afterwards, none is wrong, and whatever is missing is told.
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "fleet/recording/chunks.h"
#include "fleet/recording/repair.h"
#include "tests/fleet/recording/damaged_recording.h"
#include "tests/fleet/recording/small_recording.h"

namespace drover {
namespace {

using namespace recording_test;

struct Extent {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::set<std::uint64_t> ordinals;
};

/// A recording with a keyframe every few ticks, closed or as a killed recorder leaves it.
class WholeRecording {
 public:
  WholeRecording(const Fleet& fleet, bool closed) : messages(messages_of(fleet)), closed_(closed) {
    RecordingWriter writer(small_blocks());
    take(writer.begin(start_of_test()));
    take(writer.keyframe(second(0), state()));
    for (const RecordedMessage& message : messages) {
      take(writer.add(message));
      if (message.ordinal % 40 == 0) take(writer.keyframe(message.arrived, state()));
    }
    if (closed) take(writer.end());
    find_chunks();
  }

  std::vector<RecordedMessage> messages;
  Files files;
  std::vector<Extent> chunks;

  /// Where the first copy of the metadata ends, by which a file is known to be a recording.
  std::size_t header_end() const {
    // An MCAP record: opcode, length (8 bytes), then here the length of the name (4 bytes).
    const std::size_t name = files.file.find("drover.recording");
    std::uint64_t length = 0;
    for (std::size_t i = 8; i-- > 0;) {
      length = length << 8 | static_cast<unsigned char>(files.file[name - 12 + i]);
    }
    return name - 4 + length;
  }
  std::vector<Extent> entries;  // of the journal
  bool closed() const { return closed_; }

 private:
  static std::vector<std::string> state() { return {encode(short_row(0)), encode(short_row(1))}; }
  void take(const RecordingBytes& bytes) {
    if (bytes.folded) {
      files.journal.clear();
      entries.clear();
    }
    const std::size_t begin = files.journal.size();
    files.take(bytes);
    if (bytes.folded || bytes.journal.empty()) return;
    entries.push_back({begin, files.journal.size(), {}});
  }
  void find_chunks() {
    // Entries stand in the order of places, up to the last message.
    for (std::size_t i = 0; i < entries.size(); ++i) {
      entries[i].ordinals = {messages.size() - entries.size() + i + 1};
    }
    TextSource source(files.file);
    const auto index = recording::read_index(source);
    for (const recording::ChunkIndex& chunk : index->chunks) {
      Extent extent{chunk.offset, chunk.offset + chunk.length, {}};
      const auto open = recording::open_chunk(source, chunk);
      recording::visit_ordinals(
          **open, [&](std::uint64_t ordinal, Instant) { extent.ordinals.insert(ordinal); });
      chunks.push_back(std::move(extent));
    }
  }

  bool closed_;
};

std::set<std::uint64_t> untouched(const std::vector<Extent>& extents, const Damage& damage) {
  std::set<std::uint64_t> ordinals;
  for (const Extent& one : extents) {
    if (!damage.touches(one.begin, one.end))
      ordinals.insert(one.ordinals.begin(), one.ordinals.end());
  }
  return ordinals;
}

std::set<std::uint64_t> all_places(const std::vector<Extent>& extents) {
  std::set<std::uint64_t> ordinals;
  for (const Extent& one : extents) ordinals.insert(one.ordinals.begin(), one.ordinals.end());
  return ordinals;
}

/// What is read of damaged files, or made of them.
class Outcome {
 public:
  Outcome(const WholeRecording& whole, const std::string& file, const std::string& journal)
      : whole_(whole), file_(file), journal_(journal) {}

  void check(const std::set<std::uint64_t>& expected) {
    check_reader(expected);
    if (!testing::Test::HasFatalFailure()) check_recovery(expected);
    if (!testing::Test::HasFatalFailure()) check_cut(expected);
  }

 private:
  std::optional<std::string_view> journal() const {
    if (whole_.closed()) return {};
    return journal_;
  }

  std::set<std::uint64_t> check_messages(RecordingReader& reader,
                                         const std::set<std::uint64_t>& expected) {
    std::set<std::uint64_t> found;
    for (const RecordedMessage& one : all_of(reader)) {
      EXPECT_LE(one.ordinal, whole_.messages.size());
      EXPECT_TRUE(whole_.messages[one.ordinal - 1] == one) << "place " << one.ordinal;
      found.insert(one.ordinal);
    }
    for (const std::uint64_t ordinal : expected) {
      EXPECT_TRUE(found.contains(ordinal)) << "place " << ordinal << " is untouched and not there";
    }
    return found;
  }

  /// Each that is not there lies in a gap; or behind the end of a file that says it was torn; or
  /// before the first, where the recording's beginning is lost and with it the time when it began.
  void check_gaps(RecordingReader& reader, const std::set<std::uint64_t>& found, bool open_end) {
    const auto gaps = reader.gaps();
    ASSERT_TRUE(gaps.ok()) << gaps.error().message;
    for (const RecordedMessage& one : whole_.messages) {
      if (found.contains(one.ordinal)) continue;
      const bool told = std::any_of(gaps->begin(), gaps->end(), [&](const RecordingGap& gap) {
        return gap.from <= one.arrived && one.arrived <= gap.end;
      });
      const bool behind = open_end && (found.empty() || one.ordinal > *found.rbegin());
      const bool before = !found.empty() && one.ordinal < *found.begin() && !gaps->empty() &&
                          gaps->front().from <= whole_.messages[*found.begin() - 1].arrived;
      EXPECT_TRUE(told || behind || before)
          << "place " << one.ordinal << " is missing and not told";
    }
  }

  void check_reader(const std::set<std::uint64_t>& expected) {
    TextSource source(file_);
    auto reader = RecordingReader::open(source, journal(), RecordingReader::Survey::always);
    ASSERT_TRUE(reader.ok()) << reader.error().message;
    const std::set<std::uint64_t> found = check_messages(*reader, expected);
    const RecordingInfo& info = reader->info();
    torn_ = !info.ended;
    closed_ = info.closed;
    check_gaps(*reader, found, torn_);
    if (found.size() == whole_.messages.size()) return;
    EXPECT_TRUE(!info.lost.empty() || !info.journal_lost.empty() || info.journal_absent)
        << "something is missing, and nothing is said to be lost";
  }

  void check_recovery(const std::set<std::uint64_t>& expected) {
    std::string out;
    TextSource source(file_);
    const auto report = recover_recording(source, journal(), [&](std::string_view bytes) {
      out += bytes;
      return Status{};
    });
    ASSERT_TRUE(report.ok()) << report.error().message;
    TextSource made(out);
    EXPECT_EQ(verify_recording(made)->problems, std::vector<std::string>{});
    auto reader = RecordingReader::open(made, {}, RecordingReader::Survey::always);
    ASSERT_TRUE(reader.ok()) << reader.error().message;
    const std::set<std::uint64_t> found = check_messages(*reader, expected);
    check_gaps(*reader, found, torn_);
    const std::uint64_t missing = whole_.messages.size() - found.size();
    if (missing == 0) return;
    EXPECT_FALSE(report->whole());
    EXPECT_GE(report->missing, 1u);
    EXPECT_EQ(reader->info().dropped, report->missing) << "the new file says so";
  }

  /// All of it cut out: the new file has places of its own, and tells what is missing all the same.
  void check_cut(const std::set<std::uint64_t>& expected) {
    std::string out;
    TextSource source(file_);
    const auto report = cut_recording(source, journal(), Instant::min(), Instant::max(),
                                      [&](std::string_view bytes) {
                                        out += bytes;
                                        return Status{};
                                      });
    if (!report.ok()) {
      // Of a file that is closed only what is asked for is read: it is to be recovered first.
      EXPECT_TRUE(closed_) << report.error().message;
      return;
    }
    TextSource made(out);
    EXPECT_EQ(verify_recording(made)->problems, std::vector<std::string>{});
    auto reader = RecordingReader::open(made, {}, RecordingReader::Survey::always);
    ASSERT_TRUE(reader.ok()) << reader.error().message;
    std::set<std::uint64_t> found;
    for (RecordedMessage& one : all_of(*reader)) {
      const auto same = std::find_if(whole_.messages.begin(), whole_.messages.end(),
                                     [&](const RecordedMessage& other) {
                                       one.ordinal = other.ordinal;
                                       return other == one;
                                     });
      ASSERT_NE(same, whole_.messages.end());
      found.insert(same->ordinal);
    }
    for (const std::uint64_t ordinal : expected) {
      EXPECT_TRUE(found.contains(ordinal)) << "place " << ordinal << " is untouched and not there";
    }
    check_gaps(*reader, found, torn_);
    if (found.size() == whole_.messages.size()) return;
    EXPECT_GE(reader->info().dropped, 1u) << "the new file says so";
  }

  const WholeRecording& whole_;
  std::string file_;
  std::string journal_;
  bool torn_ = false;    // the file has no end any more
  bool closed_ = false;  // it has its footer
};

class SeededDamage : public testing::TestWithParam<bool> {};

TEST_P(SeededDamage, KeepsUndamagedDataAndReportsWhatIsMissing) {
  const bool closed = GetParam();
  Fleet fleet;
  fleet.ticks = 40;
  const WholeRecording whole(fleet, closed);
  ASSERT_GT(whole.chunks.size(), 12u);
  ASSERT_EQ(whole.entries.size() > 10, !closed);
  const std::set<std::uint64_t> in_file = all_places(whole.chunks);
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    RandomStream random(seed);
    const bool in_journal = !closed && random.chance(0.4);
    const std::string& target = in_journal ? whole.files.journal : whole.files.file;
    const Damage damage = draw_damage(random, target.size());
    const std::string made = damaged(target, damage, random);
    std::set<std::uint64_t> expected = in_journal ? in_file : untouched(whole.chunks, damage);
    const auto kept = in_journal ? untouched(whole.entries, damage) : all_places(whole.entries);
    expected.insert(kept.begin(), kept.end());
    SCOPED_TRACE(fmt::format("seed {}: {} of {} bytes at {} of the {}", seed, to_text(damage.kind),
                             damage.bytes, damage.at, in_journal ? "journal" : "file"));
    if (expected.empty()) continue;
    // As if the recorder had been killed earlier: nobody can know that there was more.
    const bool between_entries = std::ranges::any_of(
        whole.entries, [&](const Extent& one) { return one.begin == damage.at; });
    if (in_journal && damage.kind == Damage::Kind::cut && between_entries) continue;
    // A file that was cut within its header is not a recording, whatever its journal holds.
    if (!in_journal && damage.kind == Damage::Kind::cut && damage.at < whole.header_end()) {
      TextSource source(made);
      const auto reader = RecordingReader::open(source, whole.files.journal);
      EXPECT_FALSE(reader.ok());
      continue;
    }
    Outcome(whole, in_journal ? whole.files.file : made, in_journal ? made : whole.files.journal)
        .check(expected);
    if (HasFailure()) break;
  }
}

INSTANTIATE_TEST_SUITE_P(OfARecording, SeededDamage, testing::Bool(),
                         [](const auto& one) { return one.param ? "closed" : "killed"; });

}  // namespace
}  // namespace drover
