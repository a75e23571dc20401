// Recordings read by programs that are not ours: the public MCAP library, and the Python example.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <gtest/gtest.h>

#include "fleet/base/text.h"
#include "fleet/recording/index.h"
#include "fleet/recording/repair.h"
#include "tests/fleet/recording/small_recording.h"
#include "tests/recording_reader/public_reader.h"

namespace drover {
namespace {

namespace fs = std::filesystem;
using namespace recording_test;

class RecordingTools : public ::testing::Test {
 protected:
  RecordingTools() {
    std::string name = (fs::temp_directory_path() / "recording_XXXXXX").string();
    folder = mkdtemp(name.data());
    std::ofstream(file(), std::ios::binary) << bytes;
  }
  ~RecordingTools() override { fs::remove_all(folder); }
  std::string file() const { return (folder / "fleet.mcap").string(); }

  fs::path folder;
  const fs::path root = DROVER_SOURCE_DIR;
  const std::vector<RecordedMessage> messages = messages_of({});
  const std::string bytes = closed_file(messages);
};

/// What the public library must print of a recording.
std::string printed_of(const std::string& file) {
  TextSource source(file);
  RecordingReader reader = opened(source);
  std::map<std::string, std::uint64_t> counts;
  for (const ChannelFacts& one : reader.info().channels) {
    counts[std::string(to_text(one.channel))] = one.messages;
  }
  std::string channels;
  for (const auto& [topic, count] : counts) channels += fmt::format(" {}={}", topic, count);
  const std::string indexed = fmt::format("{} chunks={}\n", channels, reader.info().chunks);
  return "indexed" + indexed + "backwards" + indexed + "alone" + indexed +
         "metadata drover.recording drover.recording drover.totals\nstreamed" + channels + "\n";
}

TEST_F(RecordingTools, ThePublicMcapLibraryReadsThemForwardsBackwardsByChannelAndAsAStream) {
  const PublicReader library(root);
  if (!library.missing.empty()) GTEST_SKIP() << library.missing;
  std::map<std::string, std::string> files;
  const auto into = [&files](const std::string& name) {
    return [&files, name](std::string_view part) {
      files[name] += part;
      return Status{};
    };
  };
  files["closed"] = bytes;
  auto [writer, killed] = recorded(messages);
  TextSource killed_source(killed.file);
  ASSERT_TRUE(recover_recording(killed_source, killed.journal, into("recovered")).ok());
  // Its middle is gone and one chunk's head tells wrong times.
  std::string damaged = bytes;
  TextSource whole(bytes);
  const auto index = recording::read_index(whole);
  damaged[index->chunks[1].offset + 100] ^= 1;
  damaged[index->chunks[2].offset + recording::head_bytes + 2] ^= 1;
  TextSource damaged_source(damaged);
  const auto report = recover_recording(damaged_source, {}, into("recovered of a damaged one"));
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->lost.size(), 1u);
  const Instant middle = second(10);
  ASSERT_TRUE(cut_recording(whole, {}, middle, second(15), into("cut")).ok());
  for (const auto& [name, content] : files) {
    const std::string path = (folder / "read.mcap").string();
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
    const Ended read = library.read(path);
    EXPECT_EQ(read.status, 0) << name;
    EXPECT_EQ(read.output, printed_of(content)) << name;
  }
}

TEST_F(RecordingTools, ThePythonExampleFindsTheSameValues) {
  const std::string python = "/usr/bin/python3";
  if (run(python + " -c 'import msgpack, zstandard'").status != 0) {
    GTEST_SKIP() << "python3-msgpack and python3-zstandard are not installed";
  }
  const std::string command =
      python + " '" + (root / "examples/read_recording.py").string() + "' '" + file() + "'";
  const Ended counts = run(command);
  EXPECT_EQ(counts.status, 0) << counts.output;
  EXPECT_NE(counts.output.find("sample batches 60\n"), std::string::npos) << counts.output;
  for (const Metric metric : {Metric::power, Metric::clock, Metric::energy}) {
    std::vector<std::string> expected;
    for (const RecordedMessage& one : messages) {
      const auto* batch = std::get_if<SampleBatch>(&one.envelope.body);
      if (batch == nullptr) continue;
      for (const Sample& row : unpack(*batch)) {
        if (std::isnan(row[metric])) continue;
        expected.push_back(fmt::format("{},{},{},{:.10g}", one.arrived.time_since_epoch().count(),
                                       batch->host, row.device, row[metric]));
      }
    }
    const Ended values = run(command + " " + std::to_string(static_cast<int>(metric)));
    EXPECT_EQ(values.status, 0);
    std::vector<std::string> found = split(values.output, '\n');
    std::erase(found, "");
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace drover
