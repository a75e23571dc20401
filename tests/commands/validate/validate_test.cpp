// `drover validate`: tables of measurements become cases, and the models' answers stand beside.
#include "commands/validate/validate_run.h"
#include "commands/validate/validate_tables.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "commands/estimate/catalogue_files.h"
#include "commands/shell/files.h"
#include "commands/validate/validation_report.h"

namespace drover::commands {
namespace {

const devices::Catalogue& loaded_catalogue() {
  static const devices::Catalogue embedded = *load_catalogue("");
  return embedded;
}

CsvTable table(std::string_view text) { return *CsvTable::parse(text, "table.csv"); }

constexpr std::string_view collectives_head =
    "device,collective,n_devices,devices_per_node,size_bytes,ms,notes,source,split\n";

std::string collectives(std::string_view rows) {
  return std::string(collectives_head) + std::string(rows);
}

TEST(MeasuredCollectives, BecomeCasesWithTheirColumns) {
  const auto rows = measured_rows(table(collectives(
      "H100 DGX (NVSwitch),all_reduce,8,8,64880640,0.339,,github microsoft/vidur:a/b.csv,\n"
      "H100 DGX (NVSwitch),all_reduce,8,8,2048,0.037,,github microsoft/vidur:a/b.csv,\n")));
  ASSERT_TRUE(rows.has_value());
  ASSERT_EQ(rows->measurements.size(), 2U);
  const Measurement& large = rows->measurements[0];
  EXPECT_EQ(large.row[devices::CaseColumn::kind], "collective");
  EXPECT_EQ(large.row[devices::CaseColumn::bytes], "64880640");
  EXPECT_EQ(large.measure_class, MeasureClass::collective);
  EXPECT_EQ(large.source, "microsoft/vidur");
  EXPECT_EQ(large.line, 2U);
  EXPECT_EQ(rows->measurements[1].measure_class, MeasureClass::other);
}

TEST(Validate, ReportsBadRowsAndContinues) {
  const auto rows = measured_rows(
      table(collectives("H100 DGX,all_reduce,8,8,64880640,fast,,github a/b:c,\n"
                        "H100 DGX,all_reduce,8,8,64880640,0.339,,github a/b:c,\n"
                        "Abacus 9000,all_reduce,8,8,64880640,0.339,,github a/b:c,\n")));
  const ValidationReport report = validate(*rows, loaded_catalogue());
  ASSERT_EQ(report.comparisons.size(), 1U);
  EXPECT_EQ(report.comparisons[0].location, "table.csv:3");
  ASSERT_EQ(report.left_out.size(), 2U);
  EXPECT_EQ(report.left_out[0].location, "table.csv:2");
  EXPECT_NE(report.left_out[0].reason.find("fast"), std::string::npos);
  EXPECT_EQ(report.left_out[1].location, "table.csv:4");
  EXPECT_NE(report.left_out[1].reason.find("Abacus 9000"), std::string::npos);
}

TEST(Validate, ReportsCasesThatWereMeasuredTwice) {
  const auto rows =
      measured_rows(table(collectives("H100 DGX,all_reduce,8,8,64880640,0.339,,github a/b:c,\n"
                                      "H100 DGX,all_reduce,8,8,64880640,0.600,,github d/e:f,\n")));
  const ValidationReport report = validate(*rows, loaded_catalogue());
  ASSERT_EQ(contradictions(report.comparisons).size(), 1U);
}

TEST(Validate, RecognizesTablesByTheirColumnsOnly) {
  EXPECT_FALSE(measured_rows(table("id,name\n1,a\n")).has_value());
  EXPECT_TRUE(measured_rows(table("kind,device,answer,value\n")).has_value());
}

TEST(Validate, ComparesRatesUnderACapWithThoseWithout) {
  MeasuredRows rows;
  Measurement free;
  free.row[devices::CaseColumn::kind] = "decode";
  free.row[devices::CaseColumn::device] = "h100-sxm";
  free.row[devices::CaseColumn::model] = "llama-3.1-8b";
  free.row[devices::CaseColumn::batch] = "8";
  free.row[devices::CaseColumn::context_len] = "450";
  free.answer = "time_ms";
  free.value = 7.0;
  free.measure_class = MeasureClass::capped;
  free.table = "table.csv";
  free.line = 2;
  Measurement capped = free;
  capped.row[devices::CaseColumn::power_limit_w] = "700";
  capped.value = 10.0;
  capped.line = 3;
  capped.uncapped_line = 2;
  capped.uncapped_value = 7.0;
  rows.measurements = {free, capped};
  const ValidationReport report = validate(rows, loaded_catalogue());
  ASSERT_EQ(report.comparisons.size(), 1U);
  EXPECT_DOUBLE_EQ(report.comparisons[0].measured, 0.7);
  EXPECT_LE(report.comparisons[0].predicted, 1.0 + 1e-9);
  EXPECT_EQ(report.comparisons[0].class_id, "power-cap");
}

TEST(ReferencePoints, AreAllAnswered) {
  const auto rows = reference_rows(loaded_catalogue());
  ASSERT_TRUE(rows) << rows.error().message;
  for (const LeftOut& row : rows->left_out) ADD_FAILURE() << row.location << ": " << row.reason;
  const ValidationReport report = validate(*rows, loaded_catalogue());
  for (const LeftOut& row : report.left_out) ADD_FAILURE() << row.location << ": " << row.reason;
  EXPECT_EQ(report.comparisons.size(), rows->measurements.size() + rows->courses.size());
}

// Who has no tables sees errors like those over all rows (docs/devices.md), class by class.
TEST(ReferencePoints, AreMetAsDocumented) {
  struct Reached {
    const char* class_id;
    double mean;
  };
  const Reached reached[] = {{"gemm", 0.09},      {"kernel", 0.19},    {"collective", 0.075},
                             {"train-gpu", 0.08}, {"train-tpu", 0.06}, {"decode", 0.13},
                             {"prefill", 0.10},   {"serve", 0.11},     {"classic", 0.15},
                             {"power", 0.09},     {"power-cap", 0.05}, {"temperature", 2}};
  const auto groups =
      by_class(validate(*reference_rows(loaded_catalogue()), loaded_catalogue()).comparisons);
  for (const Reached& it : reached) {
    const auto found = std::ranges::find(groups, it.class_id, &Group::class_id);
    ASSERT_NE(found, groups.end()) << it.class_id;
    EXPECT_LT(found->statistics.mean, it.mean) << it.class_id;
  }
}

TEST(ReferencePoints, EachNamesItsSource) {
  const MeasuredRows rows = *reference_rows(loaded_catalogue());
  for (const Measurement& it : rows.measurements) {
    EXPECT_FALSE(it.source.empty()) << it.table << ":" << it.line;
  }
}

TEST(ReferencePoints, CountOnceWhenATableContainsThemToo) {
  const MeasuredRows own = *reference_rows(loaded_catalogue());
  // vTrain's row of eight A100, as somebody's table may have it, and one of another figure.
  MeasuredRows tables;
  tables.measurements =
      measured_points(
          table("devices,device,kind,collective,bytes,devices_per_node,value,answer,class\n"
                "8,a100-sxm-80gb,collective,all_reduce,1073741824,8,8.170,time_ms,collective\n"
                "8,a100-sxm-80gb,collective,all_reduce,1073741824,8,9.9,time_ms,collective\n"))
          .measurements;
  ASSERT_EQ(tables.measurements.size(), 2U);
  const MeasuredRows left = without_repeats(own, tables);
  EXPECT_EQ(left.measurements.size(), own.measurements.size() - 1);
  EXPECT_EQ(left.courses.size(), own.courses.size());
}

TEST(ReferencePoints, UnderAPowerCapAreFractionsOfTheUncappedRate) {
  const std::string_view columns =
      "kind,device,model,precision,batch,power_limit_w,answer,value,class\n";
  const MeasuredTable read = measured_points(
      table(std::string(columns) +
            "infer,a100-pcie-80gb,resnet-50,int8,128,150,samples_per_s,0.6,power-cap\n"
            "infer,a100-pcie-80gb,resnet-50,int8,128,,samples_per_s,1,power-cap\n"
            "infer,l4,resnet-50,int8,128,50,time_ms,0.6,power-cap\n"
            "infer,l4,resnet-50,int8,128,50,cost_usd,0.6,power-cap\n"));
  ASSERT_EQ(read.measurements.size(), 1U);
  ASSERT_EQ(read.skipped.size(), 3U);
  EXPECT_EQ(read.skipped[0].why, "power_limit_w is required: the limit under which it ran");
  EXPECT_EQ(read.skipped[1].why,
            "answer: found \"time_ms\", expected a rate, such as samples_per_s");
  EXPECT_EQ(read.skipped[2].why,
            "answer: found \"cost_usd\", expected a figure of the estimate, such as time_ms");
  MeasuredRows rows;
  rows.measurements = read.measurements;
  const ValidationReport report = validate(rows, loaded_catalogue());
  ASSERT_EQ(report.comparisons.size(), 1U);
  EXPECT_DOUBLE_EQ(report.comparisons[0].measured, 0.6);
  EXPECT_GT(report.comparisons[0].predicted, 0.3);
  EXPECT_LT(report.comparisons[0].predicted, 0.95);
}

TEST(ReferencePoints, RefuseInvalidValues) {
  const MeasuredTable read =
      measured_points(table("kind,device,answer,value,class\n"
                            "gemm,l4,time_ms,0,gemm\n"
                            "gemm,l4,happiness,1,gemm\n"
                            "gemm,l4,time_ms,1,joy\n"));
  EXPECT_TRUE(read.measurements.empty());
  ASSERT_EQ(read.skipped.size(), 3U);
  EXPECT_EQ(read.skipped[2].line, 4U);
}

TEST(ErrorClassesOfMeasurements, AreInTheSameOrder) {
  const auto id = [](MeasureClass of) { return error_classes()[static_cast<std::size_t>(of)].id; };
  EXPECT_EQ(id(MeasureClass::gemm), "gemm");
  EXPECT_EQ(id(MeasureClass::small_kernel), "kernel");
  EXPECT_EQ(id(MeasureClass::collective), "collective");
  EXPECT_EQ(id(MeasureClass::train_gpu), "train-gpu");
  EXPECT_EQ(id(MeasureClass::train_tpu), "train-tpu");
  EXPECT_EQ(id(MeasureClass::decode), "decode");
  EXPECT_EQ(id(MeasureClass::prefill), "prefill");
  EXPECT_EQ(id(MeasureClass::serve), "serve");
  EXPECT_EQ(id(MeasureClass::classic), "classic");
  EXPECT_EQ(id(MeasureClass::power), "power");
  EXPECT_EQ(id(MeasureClass::capped), "power-cap");
  EXPECT_EQ(id(MeasureClass::temperature), "temperature");
  EXPECT_EQ(id(MeasureClass::other), "other");
  EXPECT_EQ(error_classes().size(), static_cast<std::size_t>(MeasureClass::other) + 1);
}

TEST(ValidationRows, RoundTripAsTheSameMeasurements) {
  const auto rows = measured_rows(table(collectives(
      "\"H100 DGX (NVSwitch, 8)\",all_reduce,8,8,64880640,0.339,,github microsoft/vidur:a/b.csv,\n"
      "H100 DGX,send_recv,2,8,64880640,0.25,,github a/b:c,\n")));
  const ValidationReport first = validate(*rows, loaded_catalogue());
  ASSERT_EQ(first.comparisons.size(), 2U);
  const auto again = measured_rows(table(validation_rows(first)));
  ASSERT_TRUE(again.has_value());
  const ValidationReport second = validate(*again, loaded_catalogue());
  ASSERT_EQ(second.comparisons.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(second.comparisons[i].class_id, first.comparisons[i].class_id);
    EXPECT_EQ(second.comparisons[i].source, first.comparisons[i].source);
    EXPECT_DOUBLE_EQ(second.comparisons[i].measured, first.comparisons[i].measured);
    EXPECT_DOUBLE_EQ(second.comparisons[i].predicted, first.comparisons[i].predicted);
  }
}

TEST(ValidationRows, OmitSingleLogReadings) {
  ValidationReport report;
  Comparison moment;
  moment.class_id = "temperature";
  report.comparisons.push_back(moment);
  const std::string text = validation_rows(report);
  EXPECT_EQ(text.find('\n'), text.size() - 1) << "a header and nothing else";
}

TEST(MeasuredTraining, WithoutContextParallelHasContextDegreeOne) {
  const auto rows = measured_rows(table(
      "device,n_devices,model,params_b,layers,hidden,seq_len,global_batch,micro_batch,"
      "precision,parallelism,measured,unit,tflops_per_device,mfu_pct,"
      "tokens_per_s_per_device,step_time_s,notes,source,split\n"
      "H100-SXM5-80GB,32,LLAMA2-7B,6.74,32,4096,32768,128,,fp8,"
      "\"without CP (best config, unlisted)\",595,tflops_per_device,595,,,,,github a/b:c,\n"));
  ASSERT_TRUE(rows.has_value());
  ASSERT_EQ(rows->measurements.size(), 1U);
  EXPECT_EQ(rows->measurements[0].row[devices::CaseColumn::cp], "1");
}

// The tables of the measurements themselves, where they are at hand: what a fit reached stays so.
struct Reached {
  const char* table;
  const char* class_id;
  std::size_t rows;
  double error;
};

void PrintTo(const Reached& reached, std::ostream* out) { *out << reached.class_id; }

class PublishedMeasurements : public testing::TestWithParam<Reached> {};

TEST_P(PublishedMeasurements, ArePredictedAsWellAsDocumented) {
  const char* shared = std::getenv("DROVER_SHARED");
  if (shared == nullptr) GTEST_SKIP() << "DROVER_SHARED is not set";
  const auto text = read_file(fmt::format("{}/data/{}", shared, GetParam().table));
  if (!text) GTEST_SKIP() << text.error().message;
  for (const Group& group :
       by_class(validate(*measured_rows(table(*text)), loaded_catalogue()).comparisons)) {
    if (group.class_id != GetParam().class_id) continue;
    EXPECT_EQ(group.statistics.rows, GetParam().rows);
    EXPECT_LT(group.statistics.mean, GetParam().error);
    return;
  }
  ADD_FAILURE() << "no rows of " << GetParam().class_id;
}

INSTANTIATE_TEST_SUITE_P(Tables, PublishedMeasurements,
                         testing::Values(Reached{"kernel_timings.csv", "gemm", 1008, 0.08},
                                         Reached{"kernel_timings.csv", "kernel", 359, 0.15},
                                         Reached{"collective_timings.csv", "collective", 374,
                                                 0.075},
                                         Reached{"training_throughput.csv", "train-gpu", 321, 0.08},
                                         Reached{"training_throughput.csv", "train-tpu", 51, 0.045},
                                         Reached{"inference_throughput.csv", "prefill", 16, 0.15},
                                         Reached{"inference_throughput.csv", "serve", 475, 0.11},
                                         Reached{"training_throughput.csv", "classic", 622, 0.115},
                                         Reached{"inference_throughput.csv", "classic", 808, 0.17},
                                         Reached{"power_capping.csv", "power", 567, 0.04},
                                         Reached{"power_capping.csv", "power-cap", 528, 0.03},
                                         Reached{"energy_power.csv", "decode", 715, 0.225},
                                         Reached{"energy_power.csv", "power", 749, 0.30}));

}  // namespace
}  // namespace drover::commands
