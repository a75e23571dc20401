// Cases as tables give them: what empty cells mean, and which cells cannot be.
#include "devices/case/case.h"

#include <initializer_list>
#include <utility>

#include <gtest/gtest.h>

#include "devices/estimate/estimate.h"
#include "tests/devices/embedded.h"

namespace drover::devices {
namespace {

CaseRow row_of(std::initializer_list<std::pair<CaseColumn, const char*>> cells) {
  CaseRow row;
  row[CaseColumn::kind] = "train";
  row[CaseColumn::device] = "h100-sxm";
  row[CaseColumn::model] = "llama-3.1-8b";
  for (const auto& [column, text] : cells) row[column] = text;
  return row;
}

TEST(Case, UsesTheDeviceCountOfItsLayoutByDefault) {
  CaseReader reader(Catalogue::embedded());
  EXPECT_EQ(reader.read(row_of({}))->devices, 1);
  EXPECT_EQ(reader.read(row_of({{CaseColumn::tp, "8"}, {CaseColumn::pp, "2"}}))->devices, 16);
  EXPECT_EQ(reader.read(row_of({{CaseColumn::tp, "4"}, {CaseColumn::dp, "4"}}))->devices, 16);
}

TEST(Case, NamesTheInvalidCell) {
  struct Wrong {
    CaseColumn column;
    const char* text;
    const char* message;
  };
  CaseReader reader(Catalogue::embedded());
  for (const Wrong& it :
       {Wrong{CaseColumn::kind, "gem", "kind: found \"gem\""},
        Wrong{CaseColumn::device, "h100-sxn", "did you mean h100-sxm"},
        Wrong{CaseColumn::model, "nobody's", "give its dimensions"},
        Wrong{CaseColumn::precision, "fp61", "precision: found \"fp61\""},
        Wrong{CaseColumn::seq_len, "0", "seq_len: found 0, expected a number 1.."},
        Wrong{CaseColumn::global_batch, "many", "global_batch: found \"many\""},
        Wrong{CaseColumn::tp, "2.5", "tp: found \"2.5\", expected a whole number"},
        Wrong{CaseColumn::recompute, "some", "recompute: found \"some\""},
        Wrong{CaseColumn::fsdp, "perhaps", "fsdp: found \"perhaps\""},
        Wrong{CaseColumn::params_b, "-7", "params_b: found -7"}}) {
    const Result<Case> read = reader.read(row_of({{it.column, it.text}}));
    ASSERT_FALSE(read) << it.text;
    EXPECT_NE(read.error().message.find(it.message), std::string::npos) << read.error().message;
  }
  const Result<Case> few = reader.read(row_of({{CaseColumn::devices, "2"}, {CaseColumn::tp, "3"}}));
  ASSERT_FALSE(few);
  EXPECT_EQ(few.error().message, "devices: found 2, expected at least tp x pp x cp = 3");
}

TEST(Case, ConfidenceIsThatOfTheNumbersBehindTheTime) {
  CaseReader reader(Catalogue::embedded());
  EXPECT_EQ(confidence(*reader.read(row_of({}))), "fitted");
  // Of v4i nothing but inference in the maker's own words is published.
  EXPECT_EQ(confidence(*reader.read(row_of({{CaseColumn::device, "tpu-v4i"}}))), "assumed");
}

TEST(Case, AnswersNameTheirInputNumbersAndTheProvenance) {
  CaseReader reader(Catalogue::embedded());
  const std::vector<EstimateProvenance> found =
      provenance(*reader.read(row_of({{CaseColumn::kind, "decode"},
                                      {CaseColumn::device, "a100-sxm-40gb"},
                                      {CaseColumn::model, "llama-3.1-8b"}})));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].fact, "serving.early_request_us");
  EXPECT_EQ(found[1].basis, Basis::fitted);
  EXPECT_NE(found[1].note.find("vLLM 0.5"), std::string::npos) << "an engine of 2024";
}

TEST(Case, AKernelUsesNoMorePowerThanItsBoardAllows) {
  CaseReader reader(Catalogue::embedded());
  for (const auto& [id, entry] : Catalogue::embedded().devices()) {
    for (const char* edge : {"64", "8192"}) {
      const Result<Estimate> answer =
          estimate(*reader.read(row_of({{CaseColumn::kind, "gemm"},
                                        {CaseColumn::device, id.c_str()},
                                        {CaseColumn::m, edge},
                                        {CaseColumn::n, edge},
                                        {CaseColumn::k, edge}})));
      if (!answer) continue;  // not that precision
      EXPECT_LE(answer->power_w, entry.spec.power.tdp_w) << id;
      EXPECT_GT(answer->power_w, entry.spec.power.idle_w) << id;
    }
  }
}

TEST(Case, AnswersUseTheNumbersOfTheirModelAndComputePrecision) {
  struct Question {
    const char *kind, *device, *model, *precision, *fact;
  };
  const Question questions[] = {
      {"train", "a100-sxm-80gb", "llama-2-7b", "bf16", "training.matrix_share"},
      {"train", "a100-sxm-80gb", "resnet-50", "fp16", "layers.fp16"},
      {"train", "a100-sxm-80gb", "resnet-50", "tf32", "layers.tf32"},
      {"train", "v100-sxm2-16gb", "resnet-50", "fp32", "layers.fp32"},
      {"infer", "a100-sxm-80gb", "bert-large", "int8", "layers.int8"},
      {"train", "a40", "resnet-50", "fp32", "layers.tf32"},  // frameworks let convolutions
      {"infer", "a40", "bert-base", "fp32", "layers.fp32"},  // and products not
      {"infer", "v100-sxm2-16gb", "resnet-50", "bf16", "layers.fp16"},  // not native there
  };
  CaseReader reader(Catalogue::embedded());
  for (const Question& it : questions) {
    CaseRow row;
    row[CaseColumn::kind] = it.kind;
    row[CaseColumn::device] = it.device;
    row[CaseColumn::model] = it.model;
    row[CaseColumn::precision] = it.precision;
    const Result<Case> question = reader.read(row);
    ASSERT_TRUE(question) << question.error().message;
    const std::vector<EstimateProvenance> found = provenance(*question);
    ASSERT_FALSE(found.empty()) << it.fact;
    EXPECT_EQ(found.front().fact, it.fact);
  }
  const auto of_gemm = [&](const char* device, const char* precision) {
    const CaseRow row = row_of({{CaseColumn::kind, "gemm"},
                                {CaseColumn::m, "64"},
                                {CaseColumn::n, "64"},
                                {CaseColumn::k, "64"},
                                {CaseColumn::device, device},
                                {CaseColumn::precision, precision}});
    return provenance(*reader.read(row)).front().fact;
  };
  EXPECT_EQ(of_gemm("h100-sxm", "fp8"), "matrix.fp8_efficiency");
  EXPECT_EQ(of_gemm("h100-sxm", "bf16"), "matrix.efficiency");
  EXPECT_EQ(of_gemm("a100-sxm-80gb", "fp8"), "matrix.efficiency") << "fp8 is widened to 16 bits";
}

TEST(Case, NumbersMissingFromEveryFileCountAsAssumed) {
  const DeviceSpec& device = device_named("h100-sxm");
  EXPECT_EQ(basis_of(device, "memory.bandwidth_gb_s"), Basis::datasheet);
  EXPECT_EQ(basis_of(device, "matrix.efficiency"), Basis::fitted);
  EXPECT_EQ(basis_of(device, "links.pcie_lanes"), Basis::assumed) << "the program's default";
}

}  // namespace
}  // namespace drover::devices
