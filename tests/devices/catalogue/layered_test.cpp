// Models as lists of layers: what a line means, and counts against published ones.
#include "devices/catalogue/layered.h"

#include <gtest/gtest.h>

namespace drover::devices {
namespace {

LayeredModel model_of(const std::string& text) {
  Result<toml_file::Table> table = toml_file::Table::parse(text, "model.toml");
  EXPECT_TRUE(table);
  return read_layered(*table);
}

std::string problem_of(const std::string& text) {
  Result<toml_file::Table> table = toml_file::Table::parse(text, "model.toml");
  read_layered(*table);
  const Status status = table->finish();
  return status ? "" : status.error().message;
}

TEST(Layered, AConvolutionHalvesTheEdgeAndMultipliesChannels) {
  const ConvolutionSize size =
      size_of({.inputs = 3, .outputs = 64, .kernel = 7, .stride = 2, .edge = 224}, 2);
  EXPECT_EQ(size.taps, 49);
  EXPECT_EQ(size.positions, 112 * 112);
  EXPECT_EQ(size.inputs, 3 * 224 * 224);
  EXPECT_EQ(size.outputs, 64 * 112 * 112);
  EXPECT_EQ(size.parameters, 3 * 64 * 49);
}

TEST(Layered, GroupsDivideTheWorkAndTransposedLayersGrow) {
  const ConvolutionSize whole =
      size_of({.inputs = 128, .outputs = 128, .kernel = 3, .edge = 56}, 2);
  const ConvolutionSize grouped =
      size_of({.inputs = 128, .outputs = 128, .kernel = 3, .edge = 56, .groups = 32}, 2);
  EXPECT_EQ(grouped.parameters * 32, whole.parameters);
  const ConvolutionSize up =
      size_of({.inputs = 64, .outputs = 32, .kernel = 2, .up = 2, .edge = 32}, 3);
  EXPECT_EQ(up.positions, 64 * 64 * 64);
  EXPECT_EQ(up.taps, 1);
}

TEST(Layered, ALineDescribesTheLayer) {
  const LayeredModel model = model_of(R"(
convolutions = ["64 -> 256, kernel 1, edge 56, times 4"]
products = ["2048 -> 1000"]
recurrences = ["200 -> 200, steps 35, times 2"]
attentions = ["queries 4096, keys 77, width 320, heads 8"]
embeddings = ["33278 x 200, rows 35"]
norm = "batch"
)");
  EXPECT_EQ(layer_count(model), 4 + 1 + 2 + 1);
  // Weights with scale and shift; weights and bias; four gates with two biases each; a table.
  EXPECT_EQ(counted_parameters(model),
            4 * (64 * 256 + 2 * 256) + 2049 * 1000 + 2 * 4 * 200 * (200 + 200 + 2) + 33278 * 200);
  EXPECT_EQ(forward_flops(model), 2.0 * 4 * 64 * 256 * 56 * 56 + 2.0 * 2048 * 1000 +
                                      2.0 * 2 * 35 * 4 * 200 * 400 + 4.0 * 4096 * 77 * 320);
}

TEST(Layered, AMalformedLineIsNamed) {
  EXPECT_NE(problem_of("convolutions = [\"64 -> , kernel 1\"]").find("in \"64 -> , kernel 1\""),
            std::string::npos);
  EXPECT_NE(problem_of("convolutions = [\"64 -> 8, kernels 1\"]").find("kernels 1"),
            std::string::npos);
  EXPECT_NE(problem_of("convolutions = [\"64 -> 8, kernel -1\"]").find("kernel -1"),
            std::string::npos);
  EXPECT_NE(problem_of("attentions = [\"77\"]").find("77"), std::string::npos);
  EXPECT_EQ(problem_of("convolutions = [\"64 -> 8, kernel 1, shared\"]"), "");
}

TEST(Layered, DimensionsMustBeWholeNumbers) {
  EXPECT_EQ(model_of("dimensions = 3").dimensions, 3);
  EXPECT_NE(problem_of("dimensions = 2.5").find("dimensions"), std::string::npos);
  EXPECT_NE(problem_of("dimensions = 4").find("dimensions"), std::string::npos);
}

}  // namespace
}  // namespace drover::devices
