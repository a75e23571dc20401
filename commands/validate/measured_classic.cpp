// Convolutional networks, encoders, diffusion, recurrent and recommendation models: the rows of the
// training and inference tables that are not decoder language models.
//
// Corrections to the rows: MLPerf's volumes of v1.1 are BraTS although the row says KiTS19 (the
// round used BraTS 2019); systems with A100 in their name are listed as A10; single-stream latency
// is that of one device; for offline throughput the model chooses the batch.
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "commands/validate/measured.h"
#include "commands/validate/measured_cells.h"
#include "fleet/base/whole_text.h"

namespace drover::commands {
namespace {

using devices::CaseColumn;

std::optional<double> number_in(const std::string& cell) {
  const auto value = parse_whole_text<double>(cell);
  return value && *value > 0 ? value : std::nullopt;
}

bool is_classic_source(std::string_view source) {
  for (const std::string_view part :
       {"gavel", "DeepLearningExamples", "deeplearning-benchmark", "mlcommons", "onnxruntime"}) {
    if (has(source, part)) return true;
  }
  return has(source, "Table 4");
}

bool is_language_model(std::string_view model) {
  for (const std::string_view part : {"GPT", "Llama", "Mixtral", "llama", "Qwen", "Mistral"}) {
    if (has(model, part)) return true;
  }
  return false;
}

struct UnitRow {
  std::string_view words;  // that the unit begins with
  std::string_view answer;
};
constexpr std::array<UnitRow, 7> units = {{{"ms", "time_ms"},
                                           {"images/s", "samples_per_s"},
                                           {"sequences/s", "samples_per_s"},
                                           {"samples_per_s", "samples_per_s"},
                                           {"samples/s", "samples_per_s"},
                                           {"inferences/s", "samples_per_s"},
                                           {"tokens/s", "tokens_per_s"}}};

const UnitRow* unit_of(std::string_view text) {
  for (const UnitRow& row : units) {
    if (text.starts_with(row.words)) return &row;
  }
  return nullptr;
}

/// The board of MLPerf systems whose name is more precise than the column.
std::string device_of(const std::string& device, std::string_view source) {
  if (device != "A10" || !has(source, "A100")) return device;
  if (has(source, "SXM-40")) return "A100-SXM4-40GB";
  return has(source, "ND96") ? "A100-SXM4-80GB" : "A100-PCIe-80GB";
}

std::string model_of(const std::string& model, std::string_view source) {
  const bool volumes = has(model, "3D-UNet") && has(source, "inference_results_v1.1");
  return volumes ? "3D-UNet BraTS" : model;
}

/// TensorRT submissions without a precision use that of the others in their benchmark.
std::string precision_of(const std::string& written, std::string_view source,
                         const devices::CaseRow& row) {
  if (!written.empty() || source.find("_TRT") == std::string_view::npos) return written;
  return row[CaseColumn::model] == "RNN-T" ? "fp16" : "int8";
}

Result<Measurement> read_common(const CsvTable& table, const CsvRow& row) {
  Measurement it;
  const std::string& source = table.cell(row, "source");
  const std::optional<double> value = number_in(table.cell(row, "measured"));
  const UnitRow* unit = unit_of(table.cell(row, "unit"));
  if (unit == nullptr) return error("unit {}", table.cell(row, "unit"));
  if (!value) return error("no measured figure");
  it.answer = unit->answer;
  it.value = *value;
  it.measure_class = MeasureClass::classic;
  it.source = repository(source);
  it.row[CaseColumn::device] = device_of(table.cell(row, "device"), source);
  it.row[CaseColumn::devices] = table.cell(row, "n_devices");
  it.row[CaseColumn::model] = model_of(table.cell(row, "model"), source);
  it.row[CaseColumn::precision] = precision_of(table.cell(row, "precision"), source, it.row);
  return it;
}

/// The classic rows of a table as cases of a kind; `add` sets the cells that only this kind has.
template <typename Add>
MeasuredTable classic_rows(const CsvTable& table, std::string_view kind, Add&& add) {
  return read_rows(table, [&](const CsvRow& row) -> std::optional<Result<Measurement>> {
    const std::string& model = table.cell(row, "model");
    if (!is_classic_source(table.cell(row, "source")) || is_language_model(model)) {
      return std::nullopt;
    }
    Result<Measurement> reading = read_common(table, row);
    if (!reading) return reading;
    reading->row[CaseColumn::kind] = kind;
    add(row, reading->row);
    return reading;
  });
}

}  // namespace

MeasuredTable measured_classic_training(const CsvTable& table) {
  return classic_rows(table, "train", [&](const CsvRow& row, devices::CaseRow& question) {
    question[CaseColumn::seq_len] = table.cell(row, "seq_len");
    question[CaseColumn::global_batch] = table.cell(row, "global_batch");
  });
}

MeasuredTable measured_classic_inference(const CsvTable& table) {
  return classic_rows(table, "infer", [&](const CsvRow& row, devices::CaseRow& question) {
    question[CaseColumn::input_len] = table.cell(row, "input_len");
    const std::string& batch = table.cell(row, "batch_or_concurrency");
    if (number_in(batch)) question[CaseColumn::batch] = batch;
    if (table.cell(row, "scenario") == "SingleStream") {
      question[CaseColumn::batch] = "1";
      question[CaseColumn::devices] = "1";
    }
  });
}

}  // namespace drover::commands
