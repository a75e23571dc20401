// Recordings read by programs that are not ours: the public MCAP library, and the Python example.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <gtest/gtest.h>

#include "fleet/text.h"
#include "tests/fleet/small_recording.h"

namespace drover {
namespace {

namespace fs = std::filesystem;
using namespace recording_test;

struct Ended {
  int status = -1;
  std::string output;
};

Ended run(const std::string& command) {
  Ended result;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  char bytes[4096];
  for (std::size_t got; (got = fread(bytes, 1, sizeof bytes, pipe)) > 0;) {
    result.output.append(bytes, got);
  }
  result.status = pclose(pipe);
  return result;
}

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
  const std::vector<Recorded> messages = messages_of({});
  const std::string bytes = closed_file(messages);
};

TEST_F(RecordingTools, ThePublicMcapLibraryReadsThemByIndexAndAsAStream) {
  if (run("node --version && npm --version").status != 0) {
    GTEST_SKIP() << "node and npm are not installed";
  }
  for (const char* name : {"package.json", "read.mjs"}) {
    fs::copy_file(root / "tests/recording_reader" / name, folder / name);
  }
  const std::string there = "cd '" + folder.string() + "' && ";
  const Ended install = run(
      there + "timeout 120 npm install --no-package-lock --no-audit --no-fund --loglevel=error");
  if (install.status != 0) GTEST_SKIP() << "npm gave no @mcap/core: " << install.output;
  const Ended read = run(there + "timeout 60 node read.mjs '" + file() + "'");
  EXPECT_EQ(read.status, 0);
  TextSource source(bytes);
  RecordingReader reader = opened(source);
  std::map<std::string, std::uint64_t> counts;
  for (const ChannelFacts& one : reader.info().channels) {
    counts[std::string(to_text(one.channel))] = one.messages;
  }
  std::string expected;
  for (const auto& [topic, count] : counts) expected += fmt::format(" {}={}", topic, count);
  EXPECT_EQ(read.output, fmt::format("indexed{} chunks={}\nstreamed{}\n", expected,
                                     reader.info().chunks, expected));
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
    for (const Recorded& one : messages) {
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
