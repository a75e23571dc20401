// `drover recording`: what it says of a file, and the files that it makes of one.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/codec/codec.h"
#include "fleet/recording/index.h"
#include "fleet/recording/reader.h"
#include "tests/commands/program.h"
#include "tests/commands/record/recorded_story.h"
#include "tests/recording_reader/public_reader.h"

namespace drover::commands {
namespace {

using std::chrono::seconds;

constexpr int story_s = 130;
constexpr int devices = 32;  // of hosts that are not lost
constexpr int h100s = 8;     // which alone tell the heat of their memory and the time slowed
constexpr int others_tell = static_cast<int>(Metric::running) + 1;
// Emulated devices report those up to board_limit_violation; the others are of real ones.
constexpr int emulated_metrics = static_cast<int>(Metric::board_limit_violation) + 1;
constexpr int values_each_s = h100s * emulated_metrics + (devices - h100s) * others_tell;

/// One story, written once: whole, and as a killed recorder leaves it.
class RecordingVerbs : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TestFolder;
    const RecordedStory story = story_of(story_s);
    const RecordedFiles whole = recording_of(story);
    const RecordedFiles killed = recording_of(story, false);
    folder_->write("whole.mcap", whole.file);
    folder_->write("killed.mcap", killed.file);
    folder_->write("killed.mcap.journal", killed.journal);
    // The journal is gone and so is the end of the file's last chunk.
    folder_->write("torn.mcap", killed.file.substr(0, killed.file.size() - 5));
  }
  static void TearDownTestSuite() { delete folder_; }

  static std::string file(const std::string& name) { return folder_->file(name); }
  static ProcessResult recording(std::vector<std::string> words) {
    words.insert(words.begin(), "recording");
    return run_drover(words);
  }

 private:
  static inline TestFolder* folder_ = nullptr;
};

TEST_F(RecordingVerbs, InfoDescribesTheContents) {
  const ProcessResult ran = recording({"info", file("whole.mcap"), "--json"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  const Json said = only_object(ran.out);
  EXPECT_EQ(said["span_s"].number(), story_s - 1) << ran.out;
  EXPECT_EQ(said["closed"], Json(true));
  EXPECT_TRUE(said["state"].is_null());
  EXPECT_EQ(said["hosts"].integer(), 5);
  EXPECT_EQ(said["devices"].integer(), devices + 4);
  EXPECT_EQ(said["sample_batches"].integer(), 4 * story_s);
  EXPECT_EQ(said["sample_values"].integer(), values_each_s * story_s);
  EXPECT_GT(said["bytes_per_value"].number(), 0);
  EXPECT_EQ(said["dropped"].integer(), 0);
  std::set<std::string> channels;
  for (std::size_t i = 0; i < said["channels"].size(); ++i) {
    channels.insert(said["channels"][i]["channel"].text());
  }
  for (const char* channel : {"samples", "jobs", "decisions", "events", "audit", "alerts"}) {
    EXPECT_TRUE(channels.contains(channel)) << channel;
  }
  const ProcessResult text = recording({"info", file("whole.mcap")});
  EXPECT_NE(text.out.find("5 hosts, 36 devices"), std::string::npos) << text.out;
}

TEST_F(RecordingVerbs, VerifyDistinguishesIntactLossyAndUnreadableFiles) {
  const ProcessResult whole = recording({"verify", file("whole.mcap")});
  EXPECT_EQ(whole.exit_code, 0) << whole.out << whole.err;
  const ProcessResult killed = recording({"verify", file("killed.mcap"), "--json"});
  EXPECT_EQ(killed.exit_code, 3) << killed.out;
  EXPECT_EQ(only_object(killed.out)["complete"], Json(false));
  EXPECT_NE(only_object(killed.out)["state"].text().find("not closed"), std::string::npos);
  const TestFolder folder;
  EXPECT_EQ(recording({"verify", folder.write("text", "what is this?\n")}).exit_code, 1);
  EXPECT_EQ(recording({"verify", folder.file("absent")}).exit_code, 1);
}

TEST_F(RecordingVerbs, InfoAndVerifyReportWhatTheRecorderDropped) {
  const TestFolder folder;
  RecordingWriter writer;
  std::string bytes = writer.begin({Instant(seconds(0)), 1, "test", {}, {1, 2}}).file;
  bytes += writer.dropped({Instant(seconds(1)), Instant(seconds(5)), 20}).file;
  bytes += writer.end().file;
  const std::string path = folder.write("lossy.mcap", bytes);
  const Json said = only_object(recording({"info", path, "--json"}).out);
  EXPECT_EQ(said["dropped"].integer(), 20) << said.dump();
  EXPECT_EQ(said["drops"][0]["from"].text(), "1970-01-01T00:00:01.000Z") << said.dump();
  EXPECT_EQ(said["drops"][0]["to"].text(), "1970-01-01T00:00:05.000Z") << said.dump();
  EXPECT_EQ(recording({"verify", path}).exit_code, 3) << "whole, but not all that there was";
}

TEST_F(RecordingVerbs, InfoCountsTheFleetOfAFinalKeyframe) {
  HostChanged host;
  host.registration.host = "h-1";
  host.registration.groups.resize(1);
  host.registration.groups[0].count = 8;
  const TestFolder folder;
  RecordingWriter writer;
  std::string bytes = writer.begin({Instant(seconds(0)), 1, "test", {}, {1, 2}}).file;
  bytes += writer.keyframe(Instant(seconds(0)), {}).file;
  bytes += writer.keyframe(Instant(seconds(60)), {encode({"router", 1, {}, host})}).file;
  bytes += writer.end().file;
  const Json said = only_object(recording({"info", folder.write("a.mcap", bytes), "--json"}).out);
  EXPECT_EQ(said["keyframes"].integer(), 2) << said.dump();
  EXPECT_EQ(said["hosts"].integer(), 1) << said.dump();
  EXPECT_EQ(said["devices"].integer(), 8) << said.dump();
}

TEST_F(RecordingVerbs, RecoverLosesNothingThatTheJournalHolds) {
  const TestFolder folder;
  const std::string out = folder.file("out.mcap");
  const ProcessResult ran = recording({"recover", file("killed.mcap"), "-o", out});
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_EQ(recording({"verify", out}).exit_code, 0);
  EXPECT_EQ(recording({"export", out}).out, recording({"export", file("whole.mcap")}).out);
  const ProcessResult again = recording({"recover", file("killed.mcap"), "-o", out});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_NE(again.err.find("--force"), std::string::npos) << again.err;
  const ProcessResult itself = recording({"recover", out, "-o", out, "--force"});
  EXPECT_EQ(itself.exit_code, 2);
  EXPECT_EQ(recording({"verify", out}).exit_code, 0) << "and nothing has happened to it";
}

TEST_F(RecordingVerbs, RecoverSaysExactlyWhatIsLost) {
  const TestFolder folder;
  const ProcessResult ran =
      recording({"recover", file("torn.mcap"), "-o", folder.file("out.mcap")});
  EXPECT_EQ(ran.exit_code, 3) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("lost: "), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("missing: at least 1 message;"), std::string::npos) << ran.out;
  const ProcessResult verified = recording({"verify", folder.file("out.mcap")});
  EXPECT_EQ(verified.exit_code, 3) << "the new file says so as well: " << verified.out;
}

/// One of its chunks has a flipped bit.
std::string damaged(const std::string& path) {
  std::string bytes = run_shell("cat " + path).out;
  TextSource source(bytes);
  const auto index = recording::read_index(source);
  EXPECT_TRUE(index.ok());
  const recording::ChunkIndex& chunk = index->chunks.at(1);
  bytes[chunk.offset + chunk.length / 2] ^= 1;
  return bytes;
}

TEST_F(RecordingVerbs, AFailedCutOrExportLeavesTheExistingFile) {
  const TestFolder folder;
  const std::string bad = folder.write("bad.mcap", damaged(file("whole.mcap")));
  const std::string kept = folder.write("kept.mcap", "precious");
  folder.write("kept.mcap.journal", "precious too");
  for (const char* action : {"cut", "export"}) {
    const ProcessResult ran = recording({action, bad, "-o", kept, "--force"});
    EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
    EXPECT_EQ(run_shell(fmt::format("cat {0} {0}.journal", kept)).out, "preciousprecious too");
    EXPECT_FALSE(std::filesystem::exists(kept + ".new"));
  }
  const ProcessResult made = recording({"cut", file("whole.mcap"), "-o", kept, "--force"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(recording({"verify", kept}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(kept + ".journal")) << "it was of the file before";
  EXPECT_FALSE(std::filesystem::exists(kept + ".new"));
}

TEST_F(RecordingVerbs, WriteThroughSymlinksAndToDevices) {
  const TestFolder folder;
  const std::string kept = folder.write("kept.csv", "old");
  std::filesystem::create_symlink(kept, folder.file("link.csv"));
  EXPECT_EQ(
      recording({"export", file("whole.mcap"), "-o", folder.file("link.csv"), "--force"}).exit_code,
      0);
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link.csv")));
  EXPECT_GT(std::filesystem::file_size(kept), 1000U);
  std::filesystem::create_symlink("/dev/full", folder.file("full.csv"));
  const ProcessResult full =
      recording({"export", file("whole.mcap"), "-o", folder.file("full.csv"), "--force"});
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_NE(full.err.find("No space left"), std::string::npos) << full.err;
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("full.csv"))) << "it is not ours to remove";
}

TEST_F(RecordingVerbs, CutAndExportUseTheIntactPartOfAnUnclosedFile) {
  const TestFolder folder;
  const std::string all = recording({"export", file("whole.mcap")}).out;
  const ProcessResult exported = recording({"export", file("torn.mcap")});
  EXPECT_EQ(exported.exit_code, 3) << exported.err;
  EXPECT_NE(exported.err.find("damaged"), std::string::npos) << exported.err;
  EXPECT_GT(exported.out.size(), all.size() / 2) << "most of it is whole";
  EXPECT_TRUE(all.starts_with(exported.out));
  const std::string out = folder.file("cut.mcap");
  const ProcessResult cut = recording({"cut", file("torn.mcap"), "-o", out});
  EXPECT_EQ(cut.exit_code, 3) << cut.out << cut.err;
  EXPECT_NE((cut.out + cut.err).find("damaged"), std::string::npos) << cut.out << cut.err;
  EXPECT_EQ(recording({"export", out}).out, exported.out);
}

TEST_F(RecordingVerbs, CutAndExportSayThatTheJournalIsGone) {
  const TestFolder folder;
  const std::string torn = folder.file("alone.mcap");
  ASSERT_EQ(run_shell(fmt::format("cp {} {}", file("killed.mcap"), torn)).exit_code, 0);
  const std::string out = folder.file("cut.mcap");
  for (const ProcessResult& ran :
       {recording({"cut", torn, "-o", out}), recording({"export", torn})}) {
    EXPECT_EQ(ran.exit_code, 3) << ran.err;
    EXPECT_NE(ran.err.find("alone.mcap.journal is missing"), std::string::npos) << ran.err;
  }
}

TEST_F(RecordingVerbs, ADamagedSummaryIsReported) {
  const TestFolder folder;
  const std::string path = folder.file("summary.mcap");
  ASSERT_EQ(run_shell(fmt::format("cp {} {}", file("whole.mcap"), path)).exit_code, 0);
  // The footer's last bytes, before the magic.
  ASSERT_EQ(run_shell(fmt::format("printf x | dd of={} bs=1 conv=notrunc seek=$(($(stat -c %s {}) "
                                  "- 12)) 2>/dev/null",
                                  path, path))
                .exit_code,
            0);
  const ProcessResult info = recording({"info", path});
  EXPECT_NE(info.out.find("its summary is damaged (`drover recording recover`"), std::string::npos)
      << info.out << info.err;
}

TEST_F(RecordingVerbs, CutKeepsTheRequestedTimeRange) {
  const TestFolder folder;
  const std::string out = folder.file("cut.mcap");
  const ProcessResult ran = recording(
      {"cut", file("whole.mcap"), "--from", "20s", "--to", "2025-11-21T02:38:41Z", "-o", out});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.out.find("of fleet time before --from, at the preceding keyframe"),
            std::string::npos)
      << ran.out;
  EXPECT_EQ(recording({"verify", out}).exit_code, 0);
  const ProcessResult rows = recording({"export", out, "--from", "2025-11-21T02:38:22Z"});
  // The first tick came a second after the start, and the end is not included.
  EXPECT_EQ(std::count(rows.out.begin(), rows.out.end(), '\n'), 1 + devices * 19) << rows.err;
  const ProcessResult never =
      recording({"cut", file("whole.mcap"), "--from", "1h", "-o", out, "--force"});
  EXPECT_EQ(never.exit_code, 2);
  EXPECT_NE(never.err.find("the recording covers"), std::string::npos) << never.err;
}

TEST_F(RecordingVerbs, ExportsSamplesAsCsv) {
  const ProcessResult ran = recording({"export", file("whole.mcap"), "--format", "csv"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  const auto lines = split(ran.out, '\n');
  ASSERT_EQ(lines.size(), 1U + devices * story_s + 1U);
  EXPECT_EQ(lines[0],
            "time,host,index,utilization,tensor_activity,memory_activity,memory_used_bytes,"
            "memory_total_bytes,power_w,power_cap_w,temperature_c,clock_mhz,throttle_bits,"
            "energy_j,queue,running,memory_temperature_c,power_violation_s,thermal_violation_s,"
            "board_limit_violation_s,memory_clock_mhz,pcie_sent_bytes_per_s,"
            "pcie_received_bytes_per_s,link_sent_bytes_per_s,link_received_bytes_per_s,"
            "pcie_generation,pcie_lanes,ecc_corrected,ecc_uncorrected,xid,fan,busiest_cpu_core");
  EXPECT_EQ(lines[1].rfind("2025-11-21T02:38:02.000Z,gpu-a,0,", 0), 0U) << lines[1];
  const auto first = split(lines[1], ',');
  ASSERT_EQ(first.size(), 3U + metric_count);
  EXPECT_EQ(first[9], "700");
  EXPECT_EQ(lines[1].find("nan"), std::string::npos) << "what is absent is empty";
}

TEST_F(RecordingVerbs, ExportsEachChannelAsLinesOfJson) {
  const struct {
    const char* channel;
    const char* key;
    std::int64_t lines;
  } cases[] = {{"samples", "power_w", devices * story_s}, {"jobs", "state", story_s},
               {"decisions", "rule", story_s / 4},        {"events", "subject", story_s / 10},
               {"alerts", "raised", story_s / 10},        {"audit", "who", story_s / 25}};
  for (const auto& expected : cases) {
    const ProcessResult ran = recording(
        {"export", file("whole.mcap"), "--format", "ndjson", "--channel", expected.channel});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), expected.lines) << expected.channel;
    const auto line = Json::parse(ran.out.substr(0, ran.out.find('\n')));
    ASSERT_TRUE(line.ok()) << expected.channel << ": " << ran.out.substr(0, 300);
    EXPECT_TRUE(line->has(expected.key)) << line->dump();
    EXPECT_TRUE(line->has("time")) << line->dump();
  }
}

/// The records of an MCAP file that is not compressed: opcodes and contents, chunks taken apart.
std::vector<std::pair<int, std::string>> records_of(std::string_view bytes) {
  std::vector<std::pair<int, std::string>> records;
  recording::Cursor cursor(bytes);
  while (!cursor.at_end() && !cursor.failed()) {
    const int opcode = cursor.u8();
    const std::string content(cursor.raw(cursor.u64()));
    records.emplace_back(opcode, content);
    if (opcode != static_cast<int>(recording::Opcode::chunk)) continue;
    const auto inside = recording::chunk_records(content);
    EXPECT_TRUE(inside.ok()) << inside.error().message;
    if (!inside) continue;
    for (auto& record : records_of(*inside)) records.push_back(std::move(record));
  }
  EXPECT_FALSE(cursor.failed());
  return records;
}

TEST_F(RecordingVerbs, ThePublicMcapLibraryReadsWhatIsExported) {
  const recording_test::PublicReader library(DROVER_SOURCE_DIR);
  if (!library.missing.empty()) GTEST_SKIP() << library.missing;
  const TestFolder folder;
  const std::string out = folder.file("json.mcap");
  ASSERT_EQ(recording({"export", file("whole.mcap"), "--format", "json-mcap", "-o", out}).exit_code,
            0);
  const recording_test::Ended read = library.read(out);
  EXPECT_EQ(read.status, 0) << read.output;
  const std::string counts =
      fmt::format(" alerts={} audit={} decisions={} events={} jobs={} samples={}", story_s / 10,
                  story_s / 25, story_s / 4, story_s / 10, story_s, devices * story_s);
  for (const char* way : {"indexed", "backwards", "alone", "streamed"}) {
    EXPECT_NE(read.output.find(way + counts), std::string::npos) << read.output;
  }
}

TEST_F(RecordingVerbs, ExportsAnMcapFileOfJsonMessages) {
  const TestFolder folder;
  const std::string out = folder.file("json.mcap");
  const ProcessResult ran =
      recording({"export", file("whole.mcap"), "--format", "json-mcap", "-o", out});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  const std::string bytes = run_shell("cat " + out).out;
  const std::size_t magic = recording::magic.size();
  ASSERT_GT(bytes.size(), 2 * magic);
  EXPECT_EQ(bytes.substr(0, magic), recording::magic);
  EXPECT_EQ(bytes.substr(bytes.size() - magic), recording::magic);
  std::map<int, int> counts;
  std::string sample;
  for (const auto& [opcode, content] :
       records_of(std::string_view(bytes).substr(magic, bytes.size() - 2 * magic))) {
    ++counts[opcode];
    const bool message = opcode == static_cast<int>(recording::Opcode::message);
    if (message && sample.empty()) sample = content.substr(22);
  }
  EXPECT_EQ(counts[static_cast<int>(recording::Opcode::message)],
            devices * story_s + story_s + story_s / 4 + 2 * (story_s / 10) + story_s / 25);
  EXPECT_EQ(counts[static_cast<int>(recording::Opcode::channel)], 2 * 6) << "and in the summary";
  EXPECT_EQ(counts[static_cast<int>(recording::Opcode::statistics)], 1);
  const auto json = Json::parse(sample);
  ASSERT_TRUE(json.ok()) << sample;
  EXPECT_EQ((*json)["id"].text(), "gpu-a/0");
  EXPECT_TRUE((*json)["temperature_c"].is_number());
}

TEST_F(RecordingVerbs, UsageErrorsSayWhatWasExpected) {
  const struct {
    std::vector<std::string> words;
    const char* said;
  } cases[] = {{{}, "ACTION is required"},
               {{"inof", "x"}, "did you mean info?"},
               {{"info"}, "FILE is required"},
               {{"cut", "x"}, "-o FILE"},
               {{"export", "x", "--channel", "job"}, "did you mean jobs?"},
               {{"export", "x", "--format", "csv", "--channel", "jobs"}, "--format ndjson"},
               {{"cut", "x", "-o", "y", "--from", "soon"}, "--from: found \"soon\""}};
  for (const auto& expected : cases) {
    const ProcessResult ran = recording(expected.words);
    EXPECT_EQ(ran.exit_code, 2) << expected.said;
    EXPECT_NE(ran.err.find(expected.said), std::string::npos) << ran.err;
  }
}

}  // namespace
}  // namespace drover::commands
