#include "commands/submit/trace_source.h"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/commands/program.h"

namespace drover::commands {
namespace {

const char* const header = "TIMESTAMP,ContextTokens,GeneratedTokens\r\n";

struct Read {
  std::vector<Arrival> arrivals;
  std::vector<std::string> told;
  std::uint64_t skipped = 0;
};

TraceOptions options_of(std::string file, std::string format, std::string model = "",
                        std::string columns = "", std::string throughputs = "") {
  TraceOptions options;
  options.file = std::move(file);
  options.format = std::move(format);
  options.model = std::move(model);
  options.columns = std::move(columns);
  options.throughputs = std::move(throughputs);
  return options;
}

Read read_trace(const TraceOptions& options) {
  Read read;
  auto source = TraceSource::open(options, devices::Catalogue::embedded(),
                                  [&](const std::string& line) { read.told.push_back(line); });
  EXPECT_TRUE(source.ok()) << source.error().message;
  if (!source) return read;
  while (auto arrival = (*source)->next()) read.arrivals.push_back(std::move(*arrival));
  read.skipped = (*source)->skipped();
  return read;
}

Read read_trace(const std::string& path, double load = 1) {
  TraceOptions options = options_of(path, "azure", "llama-3.1-8b");
  options.load = load;
  return read_trace(options);
}

std::string problem_of(const TraceOptions& options) {
  const auto source = TraceSource::open(options, devices::Catalogue::embedded(), {});
  return source ? "" : source.error().message;
}

TEST(TraceSource, TurnsRowsIntoJobsAtTheirTimes) {
  const TestFolder folder;
  const auto read = read_trace(folder.write("t.csv", std::string(header) +
                                                         "2023-11-16 18:17:03.0000000,100,10\r\n"
                                                         "2023-11-16 18:17:05.5000000,200,20"));
  ASSERT_EQ(read.arrivals.size(), 2U);
  EXPECT_EQ(read.arrivals[0].at, Duration{0});
  EXPECT_EQ(read.arrivals[1].at, std::chrono::milliseconds(2500));
  EXPECT_EQ(read.arrivals[1].job.work.input_tokens, 200U);
  EXPECT_EQ(read.arrivals[1].job.work.output_tokens, 20U);
  EXPECT_EQ(read.skipped, 0U);
}

TEST(TraceSource, LoadBringsArrivalsCloserTogether) {
  const TestFolder folder;
  const auto read =
      read_trace(folder.write("t.csv", std::string(header) + "2023-11-16 18:17:03,100,10\n"
                                                             "2023-11-16 18:17:05,200,20\n"),
                 4);
  ASSERT_EQ(read.arrivals.size(), 2U);
  EXPECT_EQ(read.arrivals[1].at, std::chrono::milliseconds(500));
}

TEST(TraceSource, SkipsBadRowsAndNamesTheFirstOnes) {
  const TestFolder folder;
  std::string text = header;
  for (int i = 0; i < 15; ++i) text += "2023-11-16 18:17:03,nonsense,10\n";
  text += "2023-11-16 18:17:04,100,10\n";
  const auto read = read_trace(folder.write("bad.csv", text));
  EXPECT_EQ(read.arrivals.size(), 1U);
  EXPECT_EQ(read.skipped, 15U);
  ASSERT_EQ(read.told.size(), bad_rows_reported_max + 1);
  EXPECT_NE(read.told[0].find("bad.csv:2"), std::string::npos) << read.told[0];
  EXPECT_NE(read.told[0].find("ContextTokens"), std::string::npos) << read.told[0];
}

TEST(TraceSource, SurvivesAnOverlongLine) {
  const TestFolder folder;
  const auto read = read_trace(folder.write(
      "t.csv", std::string(header) + std::string(1 << 20, '7') + "\n2023-11-16 18:17:03,100,10\n"));
  EXPECT_EQ(read.arrivals.size(), 1U);
  EXPECT_EQ(read.skipped, 1U);
}

TEST(TraceSource, SaysWhichFileCannotBeRead) {
  const TestFolder folder;
  for (const std::string& path : {folder.file("absent.csv"), folder.file("")}) {
    const std::string problem = problem_of(options_of(path, "azure", "llama-3.1-8b"));
    EXPECT_NE(problem.find(path), std::string::npos) << problem;
  }
}

TEST(TraceSource, LinesMayContainNulBytesAndLastRowsMayBeTruncated) {
  const TestFolder folder;
  const auto zeros = read_trace(
      folder.write("t.csv", std::string(header) + "2023-11-16 18:17:03,100," +
                                std::string("1\0002\n", 4) + "2023-11-16 18:17:03,100,10\n"));
  EXPECT_EQ(zeros.arrivals.size(), 1U);
  EXPECT_EQ(zeros.skipped, 1U);
  TraceOptions options = options_of(folder.write("c.csv", "at,in,out,note\n0,1,2,x\n1,1,2,\"cut"),
                                    "csv", "llama-3.1-8b", "arrival=at,input=in,output=out");
  const auto cut = read_trace(options);
  EXPECT_EQ(cut.arrivals.size(), 1U);
  EXPECT_EQ(cut.skipped, 1U);
}

constexpr const char* tiresias_header =
    "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n";

TEST(TraceSource, ModelsAndDevicesAreFoundInTheCatalogueByTheirOtherNames) {
  const TestFolder folder;
  TraceOptions options = options_of(
      folder.write("t.csv", std::string(tiresias_header) +
                                "0,2,0,600,resnet50,120,30\n1,1,1,600,inception3,120,30\n"),
      "tiresias");
  options.measured_on = "P100";
  const auto read = read_trace(options);
  ASSERT_EQ(read.arrivals.size(), 1U);
  EXPECT_EQ(read.arrivals[0].job.work.model, "resnet-50");
  EXPECT_EQ(read.arrivals[0].job.work.throughputs,
            (std::vector<MeasuredThroughput>{{"p100-pcie", 2, 5}}));
  ASSERT_EQ(read.told.size(), 1U);
  EXPECT_NE(
      read.told[0].find("t.csv:3: model_name: unknown model \"inception3\", expected one that "
                        "`drover catalogue models` lists"),
      std::string::npos)
      << read.told[0];
  options.measured_on = "p100-pci";
  EXPECT_EQ(problem_of(options).substr(0, 49),
            "--measured-on: unknown device \"p100-pci\"; did you");
}

TEST(TraceSource, MapsThroughputsToDevicesOfTheCatalogue) {
  const TestFolder folder;
  TraceOptions options =
      options_of(folder.write("g.tsv", "ResNet-18 (batch size 32)\tx\t-n\t1\t50\t0\t2\n"), "gavel");
  options.throughputs =
      folder.write("t.json", R"json({"k80": {"('ResNet-18 (batch size 32)', 2)": {"null": 4.5}},
                        "H100": {"('ResNet-18 (batch size 32)', 2)": {"null": 90}}})json");
  const auto read = read_trace(options);
  ASSERT_EQ(read.arrivals.size(), 1U);
  EXPECT_EQ(read.arrivals[0].job.work.throughputs,
            (std::vector<MeasuredThroughput>{{"h100-sxm", 2, 45}, {"k80", 2, 2.25}}));
  EXPECT_TRUE(read.told.empty());
  options.throughputs = folder.write("u.json", R"({"warp-core": {}})");
  EXPECT_NE(problem_of(options).find("u.json: warp-core: unknown device \"warp-core\""),
            std::string::npos)
      << problem_of(options);
  options.throughputs = folder.file("absent.json");
  EXPECT_NE(problem_of(options).find("absent.json"), std::string::npos) << problem_of(options);
}

TEST(TraceSource, EverySubstituteModelIsInTheCatalogue) {
  const TestFolder folder;
  std::string text;
  for (const char* type :
       {"ResNet-18", "ResNet-50", "Transformer", "LM", "Recommendation", "A3C", "CycleGAN"}) {
    text += std::string(type) + "\tx\t-n\t1\t50\t0\t2\n";
  }
  const auto read = read_trace(options_of(folder.write("g.tsv", text), "gavel"));
  EXPECT_EQ(read.arrivals.size(), 7U);
  EXPECT_EQ(read.skipped, 0U);
  EXPECT_EQ(read.told.size(), 3U);
}

TEST(TraceSource, RealTracesAreReadWithTheirOwnModels) {
  const char* shared = std::getenv("DROVER_SHARED");
  if (shared == nullptr) GTEST_SKIP() << "DROVER_SHARED does not name the folder of shared data";
  const std::string folder = std::string(shared) + "/traces/";
  const struct {
    TraceOptions options;
    std::size_t rows, skipped;
  } cases[] = {
      {options_of(folder + "azure2023_code.csv", "azure", "llama-3.1-70b"), 8819, 0},
      {options_of(folder + "azure2023_code.csv", "csv", "llama-3.1-70b",
                  "arrival=TIMESTAMP:iso,input=ContextTokens,output=GeneratedTokens"),
       8819, 0},
      {options_of(folder + "mooncake_synthetic.jsonl", "mooncake", "llama-3.1-70b"), 3993, 0},
      {options_of(folder + "gavel_philly_vc_ee9e8c_seed0.tsv", "gavel", "", "",
                  folder + "gavel_simulation_throughputs.json"),
       2000, 0},
      {options_of(folder + "tiresias_60_job.csv", "tiresias", "resnet-50"), 60, 0},
      // The catalogue has three of its ten models, six rows each.
      {options_of(folder + "tiresias_60_job.csv", "tiresias"), 18, 42},
  };
  for (const auto& row : cases) {
    if (!std::filesystem::exists(row.options.file))
      GTEST_SKIP() << row.options.file << " is absent";
    const Read read = read_trace(row.options);
    EXPECT_EQ(read.arrivals.size(), row.rows) << row.options.file;
    EXPECT_EQ(read.skipped, row.skipped) << row.options.file;
  }
}

}  // namespace
}  // namespace drover::commands
