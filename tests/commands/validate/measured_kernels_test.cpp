// kernel_timings.csv as cases.
#include <gtest/gtest.h>

#include "commands/validate/measured.h"

namespace drover::commands {
namespace {

using devices::CaseColumn;

MeasuredTable read(std::string_view rows) {
  const std::string text =
      "device,op,m,n,k,dtype,ms,tflops,notes,source,split\n" + std::string(rows);
  return measured_kernels(*CsvTable::parse(text, "kernel_timings.csv"));
}

TEST(MeasuredKernels, AMatrixProductBecomesAGemmCaseWithItsTime) {
  const MeasuredTable table = read(
      "A40,gemm:o_proj,4096,8192,1024,fp16,0.673,102,TP8,github microsoft/vidur:data/a.csv,c\n");
  ASSERT_EQ(table.measurements.size(), 1U);
  Measurement found = table.measurements[0];
  EXPECT_EQ(found.row[CaseColumn::kind], "gemm");
  EXPECT_EQ(found.row[CaseColumn::device], "A40");
  EXPECT_EQ(found.row[CaseColumn::precision], "fp16");
  EXPECT_EQ(found.row[CaseColumn::n], "8192");
  EXPECT_EQ(found.answer, "time_ms");
  EXPECT_EQ(found.value, 0.673);
  EXPECT_EQ(found.measure_class, MeasureClass::gemm);
  EXPECT_EQ(found.source, "microsoft/vidur");
  EXPECT_EQ(found.line, 2U);
}

TEST(MeasuredKernels, SmallProductsAndDevicesWithoutMatrixUnitsHaveOtherClasses) {
  const MeasuredTable table = read(
      "A40,gemm,1,8192,1024,fp16,0.031,0.5,,github a/b:c,c\n"
      "P100 (DeepBench),gemm,8448,48000,2816,fp32,250,9,,github a/b:c,c\n"
      "TPU v6e,gemm,8192,8192,8192,bf16,1.3,827,,github a/b:c,c\n");
  ASSERT_EQ(table.measurements.size(), 3U);
  EXPECT_EQ(table.measurements[0].measure_class, MeasureClass::small_kernel);
  EXPECT_EQ(table.measurements[1].measure_class, MeasureClass::other);
  EXPECT_EQ(table.measurements[2].measure_class, MeasureClass::other);
}

TEST(MeasuredKernels, PrecisionNamesOfTheTablesAreRecognized) {
  const MeasuredTable table = read(
      "T4,gemm,512,512,512,\"16 bit inputs, 16 bit multiplication\",0.1,1,,github a/b:c,c\n"
      "T4,gemm,512,512,512,\"int8 in, 32-bit accumulate\",0.1,1,,github a/b:c,c\n"
      "H20-SXM,gemm,512,512,512,\"fp8_e4m3 in, bf16 out, fast\",0.1,1,,github a/b:c,c\n"
      "H800,gemm,512,512,512,tf32,0.1,1,,github a/b:c,c\n");
  ASSERT_EQ(table.measurements.size(), 4U);
  const char* expected[] = {"fp16", "int8", "fp8", "tf32"};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(table.measurements[i].row[CaseColumn::precision], expected[i]);
  }
}

TEST(MeasuredKernels, RowsThatAreNotMatrixProductsAreSkippedWithAReason) {
  const MeasuredTable table = read(
      "A40,elementwise:add,4096,8192,,fp16,0.347,,,github a/b:c,c\n"
      "A40,gemm,0,8192,1024,fp16,0.3,,,github a/b:c,c\n"
      "A40,gemm,8,8192,1024,nonsense,0.3,,,github a/b:c,c\n");
  EXPECT_TRUE(table.measurements.empty());
  ASSERT_EQ(table.skipped.size(), 3U);
  EXPECT_EQ(table.skipped[0].line, 2U);
  EXPECT_NE(table.skipped[2].why.find("nonsense"), std::string::npos);
}

}  // namespace
}  // namespace drover::commands
