// Training steps of language models, from training_throughput.csv.
//
// The compared figure is the time of a step if the row has it, else tokens/s, else TFLOP/s if its
// source counts flop as the estimates do (6 N + 12 L h s, non-causal, no recomputation: MaxText to
// 2024, NeMo 24.03, the Llama 3 paper). Megatron-LM's tables of 2020 to 2022 count recomputation:
// their rate is converted to time with their own formula (arXiv:2104.04473, equation 3).
#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "commands/validate/measured.h"
#include "commands/validate/measured_cells.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::commands {
namespace {

using devices::CaseColumn;
using devices::CaseRow;

std::optional<double> number(std::string_view text) {
  const auto value = parse_number(trimmed(text), "number");
  return value ? std::optional(*value) : std::nullopt;
}

std::string text_of(double value) { return fmt::format("{:.10g}", value); }

/// The digits right after a separate word: 4 in "with CP: TP4 PP1" for "TP".
std::optional<int> degree(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    if (at > 0 && std::isalpha(static_cast<unsigned char>(text[at - 1])) != 0) continue;
    int value = -1;
    for (std::size_t i = at + word.size(); i < text.size(); ++i) {
      if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) break;
      value = std::max(value, 0) * 10 + (text[i] - '0');
    }
    if (value >= 0) return value;
  }
  return std::nullopt;
}

/// The cells of one row that the conversion needs.
struct TrainingRow {
  std::string device, model, parallelism, notes, source, unit;
  bool tpu = false;
  std::optional<double> devices, layers, hidden, sequence, batch, micro_batch;
  std::optional<double> measured, tflops, mfu, tokens_per_s, step_s;
};

TrainingRow read_training_row(const CsvTable& table, const CsvRow& row) {
  const auto text = [&](std::string_view column) { return table.cell(row, column); };
  const auto value = [&](std::string_view column) { return number(table.cell(row, column)); };
  TrainingRow it;
  it.device = text("device");
  it.model = text("model");
  it.parallelism = text("parallelism");
  it.notes = text("notes");
  it.source = text("source");
  it.unit = text("unit");
  it.tpu = it.device.starts_with("TPU");
  it.devices = value("n_devices");
  it.layers = value("layers");
  it.hidden = value("hidden");
  it.sequence = value("seq_len");
  it.batch = value("global_batch");
  it.micro_batch = value("micro_batch");
  it.measured = value("measured");
  it.tflops = value("tflops_per_device");
  it.mfu = value("mfu_pct");
  it.tokens_per_s = value("tokens_per_s_per_device");
  it.step_s = value("step_time_s");
  return it;
}

bool is_language_model(const TrainingRow& row) {
  for (const char* other : {"DeepLearningExamples", "lambdal", "gavel"}) {
    if (has(row.source, other)) return false;
  }
  if (!has(row.source, "training_results")) return true;
  return has(row.model, "GPT") || has(row.model, "Llama") || has(row.model, "Mixtral");
}

/// "github mosaicml/llm-foundry:scripts/..": mosaicml/llm-foundry.
std::string training_source(std::string_view source) {
  std::string_view name = source.starts_with("github ") ? source.substr(7) : source;
  return std::string(name.substr(0, std::min(name.find(':'), name.find('('))));
}

struct PaperShape {
  const char* model;
  int devices, tensor, pipeline, batch, micro_batch;
};
/// Table 3 of arXiv:2205.05198: data-parallel size 1.
constexpr PaperShape selective_shapes[] = {{"GPT-22B", 8, 8, 1, 4, 4},
                                           {"GPT-175B", 64, 8, 8, 64, 1},
                                           {"GPT-530B", 280, 8, 35, 280, 1},
                                           {"GPT-1000B", 512, 8, 64, 512, 1}};

void set_degrees(CaseRow& out, const TrainingRow& row) {
  const std::string_view text = row.parallelism;
  const auto set = [&](CaseColumn column, std::string_view word) {
    if (const auto value = degree(text, word); value && *value > 0) {
      out[column] = std::to_string(*value);
    }
  };
  set(CaseColumn::tp, "TP");
  set(CaseColumn::tp, "ici_tensor_parallelism=");
  set(CaseColumn::pp, "PP");
  set(CaseColumn::cp, "CP");
  if (has(text, "without CP")) out[CaseColumn::cp] = "1";
  set(CaseColumn::ep, "EP");
  if (!row.tpu) set(CaseColumn::dp, "DP");
  // "model-parallel (TPxPP) size 64": tensor parallel inside a node first.
  if (const auto size = degree(text, "size "); size && *size > 0) {
    const int tensor = std::min(8, *size);
    out[CaseColumn::tp] = std::to_string(tensor);
    out[CaseColumn::pp] = std::to_string(*size / tensor);
  }
  const bool shards = has(text, "SHARD") || has(text, "MaxText FSDP");
  const auto group = degree(text, "FSDP");
  if (row.tpu ? has(text, "FSDP") || has(text, "fsdp") : shards) {
    out[CaseColumn::fsdp] = "1";
  } else if (group) {
    out[CaseColumn::fsdp] = std::to_string(*group);
  }
}

/// Model flop with recomputation, as Megatron-LM counts it.
bool counts_recomputation(const TrainingRow& row) {
  return has(row.notes, "recompute FLOPs") || has(row.notes, "hardware FLOPs") ||
         has(row.notes, "includes activation recompute");
}

std::string recompute_of(const TrainingRow& row) {
  const std::string both = row.parallelism + " " + row.notes;
  if (has(both, "act_ckpt=True") || counts_recomputation(row)) return "full";
  if (has(both, "act_ckpt=False")) return "none";
  if (has(both, "full remat") || has(both, "remat=full")) return "full";
  if (has(both, "selective recompute") || has(both, "remat=custom") || has(both, "remat=minimal")) {
    return "selective";
  }
  return "";
}

void set_shape(CaseRow& out, TrainingRow& row) {
  if (has(row.parallelism, "data-parallel size 1")) {
    for (const PaperShape& shape : selective_shapes) {
      if (row.model != shape.model) continue;
      row.devices = shape.devices;
      row.batch = shape.batch;
      row.micro_batch = shape.micro_batch;
      out[CaseColumn::tp] = std::to_string(shape.tensor);
      out[CaseColumn::pp] = std::to_string(shape.pipeline);
    }
  }
  // MaxText's table of tiers has no batch: two samples of 8192 tokens per chip.
  if (!row.batch && row.tokens_per_s && row.devices && row.sequence) {
    constexpr double default_sequence_tokens = 16384;
    row.batch = *row.devices * row.micro_batch.value_or(std::max(
                                   1.0, std::floor(default_sequence_tokens / *row.sequence)));
  }
}

CaseRow question_of(const CsvTable& table, const CsvRow& line, TrainingRow& row) {
  CaseRow out;
  set_degrees(out, row);
  set_shape(out, row);
  out[CaseColumn::id] = fmt::format("training-{}", line.line);
  out[CaseColumn::kind] = "train";
  out[CaseColumn::device] = row.device;
  out[CaseColumn::model] = row.model;
  out[CaseColumn::params_b] = table.cell(line, "params_b");
  out[CaseColumn::layers] = table.cell(line, "layers");
  out[CaseColumn::hidden] = table.cell(line, "hidden");
  out[CaseColumn::precision] = table.cell(line, "precision");
  out[CaseColumn::recompute] = recompute_of(row);
  const auto set = [&](CaseColumn column, const std::optional<double>& value) {
    if (value) out[column] = text_of(*value);
  };
  set(CaseColumn::devices, row.devices);
  set(CaseColumn::seq_len, row.sequence);
  set(CaseColumn::global_batch, row.batch);
  set(CaseColumn::micro_batch, row.micro_batch);
  return out;
}

struct Figure {
  std::string_view answer;
  double value = 0;
};

/// 96 B s l h^2 (1 + s / 6h + V / 16 l h) flop per step.
double megatron_step_s(const TrainingRow& row) {
  constexpr double vocabulary = 51200;
  const double hidden = *row.hidden, layers = *row.layers, sequence = *row.sequence;
  const double flops = 96 * *row.batch * sequence * layers * hidden * hidden *
                       (1 + sequence / (6 * hidden) + vocabulary / (16 * layers * hidden));
  return flops / (*row.tflops * 1e12) / *row.devices;
}

std::optional<Figure> figure_of(const TrainingRow& row) {
  if (row.step_s) return Figure{"time_ms", *row.step_s * 1e3};
  if (has(row.unit, "samples_per_s") && row.measured) return Figure{"samples_per_s", *row.measured};
  if (row.tokens_per_s) return Figure{"tokens_per_s", *row.tokens_per_s * row.devices.value_or(1)};
  if (counts_recomputation(row)) {
    const bool complete = row.tflops && row.hidden && row.layers && row.sequence && row.batch;
    return complete ? std::optional(Figure{"time_ms", megatron_step_s(row) * 1e3}) : std::nullopt;
  }
  if (row.tflops) return Figure{"tflops_per_device", *row.tflops};
  if (row.mfu) return Figure{"mfu_pct", *row.mfu};
  return std::nullopt;
}

std::string remark_of(const TrainingRow& row) {
  if (has(row.notes, "INCONSISTENT")) return "the source contradicts itself";
  if (has(row.parallelism, "unlisted")) return "the source does not give the layout";
  return "";
}

std::optional<Result<Measurement>> training_row(const CsvTable& table, const CsvRow& line) {
  TrainingRow row = read_training_row(table, line);
  if (!is_language_model(row)) return std::nullopt;
  Measurement measurement;
  measurement.row = question_of(table, line, row);
  const std::optional<Figure> figure = figure_of(row);
  if (!figure || !row.devices || !row.sequence || !row.batch) {
    return error("devices, sequence, batch or figure missing");
  }
  measurement.answer = figure->answer;
  measurement.value = figure->value;
  measurement.measure_class = row.tpu ? MeasureClass::train_tpu : MeasureClass::train_gpu;
  measurement.source = training_source(row.source);
  measurement.remark = remark_of(row);
  return measurement;
}

}  // namespace

MeasuredTable measured_training(const CsvTable& table) {
  return read_rows(table, [&](const CsvRow& line) { return training_row(table, line); });
}

}  // namespace drover::commands
