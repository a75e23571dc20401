// Published measurements as cases with their measured figure, for `drover validate`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "devices/case/case.h"
#include "fleet/base/result.h"
#include "fleet/text/csv.h"

namespace drover::commands {

/// The error classes, in the order of the report.
enum class MeasureClass : std::uint8_t {
  gemm,          // GPUs with tensor cores, 1 GFLOP and more
  small_kernel,  // smaller products, attention, element-wise
  collective,    // from 1 MiB
  train_gpu,     // LLM training step
  train_tpu,
  decode,
  prefill,
  serve,
  classic,  // CNN, BERT and other training and inference
  power,    // of a board under load
  capped,   // relative throughput under a power cap; its error is an absolute difference
  temperature,
  other,  // measured, but outside the goals (small collectives, GEMM without tensor cores)
};

struct Measurement {
  devices::CaseRow row;     // the case
  std::string_view answer;  // the column of the estimate: "time_ms", "tokens_per_s", ..
  double value = 0;         // measured, in that column's unit
  MeasureClass measure_class = MeasureClass::other;
  std::string source;    // short: "mosaicml/llm-foundry"
  std::string table;     // the file
  std::size_t line = 0;  // of the file
  std::string remark;    // contradiction, convention, ..
  /// capped only: the line of the same table with the same work without the cap. The error is
  /// |measured ratio - predicted ratio|. If it is the row's own line, the value is the ratio, and
  /// the row is compared with itself without the limit.
  std::size_t uncapped_line = 0;
  double uncapped_value = 0;
};

/// A row that is not a case (an idle figure, a sum) or cannot be read.
struct SkippedRow {
  std::size_t line = 0;
  std::string why;
};

struct MeasuredTable {
  std::vector<Measurement> measurements;
  std::vector<SkippedRow> skipped;
};

// One converter per table of measurements; pure. Each reads the columns of its own table and
// converts the rows of its classes.
MeasuredTable measured_kernels(const CsvTable& table);
MeasuredTable measured_collectives(const CsvTable& table);
MeasuredTable measured_training(const CsvTable& table);          // language models
MeasuredTable measured_classic_training(const CsvTable& table);  // everything else
MeasuredTable measured_serving(const CsvTable& table);           // inference_throughput
MeasuredTable measured_classic_inference(const CsvTable& table);
MeasuredTable measured_serving_energy(const CsvTable& table);  // energy_power, decode times
MeasuredTable measured_power(const CsvTable& table);           // energy_power, watts
MeasuredTable measured_capping(const CsvTable& table);

}  // namespace drover::commands
