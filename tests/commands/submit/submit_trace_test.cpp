// Traces of other formats, submitted to a router and an agent that are processes.
#include <gtest/gtest.h>

#include "fleet/text/json.h"
#include "tests/commands/small_fleet.h"

namespace drover::commands {
namespace {

TEST(SubmitTrace, TrainingJobsOfEachFormatRunToTheirEnd) {
  SmallFleet fleet({}, "1000");
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  const TestFolder folder;
  const struct {
    std::string name, text;
    std::vector<std::string> options;
  } cases[] = {
      {"g.tsv",
       "ResNet-50 (batch size 16)\tx\t-n\t1\t20\t0\t1\n"
       "ResNet-18 (batch size 32)\tx\tfolder\t-n\t1\t20\t1\t1\t-1\t2\n",
       {"--format", "gavel"}},
      {"t.csv",
       "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n"
       "0,1,0,20,resnet50,4,1\n1,1,5,20,resnet101,4,1\n",
       {"--format", "tiresias", "--measured-on", "l4"}},
      {"c.csv",
       "when,n,who\n2026-01-01T00:00:00Z,20,ana\n2026-01-01T00:00:03Z,20,ben\n",
       {"--format", "csv", "--columns",
        "arrival=when:iso,steps=n,tenant=who,kind='train',model='resnet-50'"}},
  };
  for (const auto& row : cases) {
    std::vector<std::string> words{"submit", "--trace", folder.write(row.name, row.text), "--wait",
                                   "--json"};
    words.insert(words.end(), row.options.begin(), row.options.end());
    const ProcessResult ran = fleet.ask(words);
    EXPECT_EQ(ran.exit_code, 0) << row.name << ran.err;
    const Json said = only_object(ran.out);
    EXPECT_EQ(said["accepted"].integer(), 2) << row.name << ran.out << ran.err;
    EXPECT_EQ(said["finished"].integer(), 2) << row.name << ran.out << ran.err;
  }
}

TEST(SubmitTrace, BadRowsAreReportedAndCountedAndTheOthersAreSubmitted) {
  SmallFleet fleet;
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  const TestFolder folder;
  const std::string path = folder.write(
      "m.jsonl",
      "{\"timestamp\": 0, \"input_length\": 9, \"output_length\": 2, \"hash_ids\": [1]}\n"
      "{\"timestamp\": 1, \"input_length\": -9, \"output_length\": 2, \"hash_ids\": []}\n");
  const ProcessResult ran = fleet.ask(
      {"submit", "--trace", path, "--format", "mooncake", "--model", "llama-3.1-8b", "--json"});
  EXPECT_EQ(ran.exit_code, 3) << ran.err;
  const Json said = only_object(ran.out);
  EXPECT_EQ(said["accepted"].integer(), 1) << ran.out;
  EXPECT_EQ(said["skipped_rows"].integer(), 1) << ran.out;
  EXPECT_NE(ran.err.find("m.jsonl:2: input_length: found -9"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace drover::commands
