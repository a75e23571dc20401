#include "tui/model/errors.h"

#include <array>

#include "fleet/base/result.h"

namespace drover::tui {
namespace {

using enum ModelErrorClass;
constexpr std::array<ModelErrorInfo, error_class_count> error_table = {{
    {products, "gemm", "matrix products from 1 GFLOP, GPUs with tensor cores", "1,008", "7.7 %"},
    {training, "train-gpu", "LLM training step, GPUs / TPUs", "321 / 51", "7.3 % / 3.9 %"},
    {decode, "decode", "decode, inter-token time", "717", "14.8 % (median 8.0)"},
    {serving, "prefill", "prefill / serving throughput", "16 / 475", "13.7 % / 10.5 %"},
    {nets, "classic", "CNN, BERT and other training and inference", "1,430", "14.1 % (median 9.5)"},
    {power, "power", "board power under load", "1,316", "10.9 % (median 5.5)"},
    {power_cap, "power-cap", "relative throughput under a power cap, absolute", "528",
     "0.030 (median 0.017)"},
    {temperature, "temperature", "temperature after a load step, RMS", "4,543", "0.8 C"},
}};

}  // namespace

const ModelErrorInfo& facts(ModelErrorClass error_class) {
  const ModelErrorInfo& row = error_table[static_cast<std::size_t>(error_class)];
  DROVER_REQUIRE(row.error_class == error_class);
  return row;
}

}  // namespace drover::tui
