// Published serving measurements as cases.
//
// inference_throughput.csv: output tokens/s at saturation and of static batches (TensorRT-LLM,
// ROCm/vllm, vLLM on TPU, MLPerf), times to the first token, times per output token.
// energy_power.csv: inter-token times of the ML.ENERGY leaderboards.
//
// Values that the tables lack are filled in from the sources:
// - The context of a chat step is the task's usual prompt and half of the mean answer. The prompts
//   are fitted, one number per task, to the growth of the time with the batch.
// - MLPerf rows carry the precision of the submission's default; NVIDIA's Llama 2 70B and GPT-J ran
//   in fp8 (fp4 on B200), as the submissions' descriptions say.
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "commands/validate/measured.h"
#include "commands/validate/measured_cells.h"

namespace drover::commands {
namespace {

using devices::CaseColumn;

std::optional<double> leading_number(std::string_view text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

/// The number that follows a word: "avg_batch=7.99", "TP8".
std::optional<double> leading_number_after(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  return at == std::string_view::npos ? std::nullopt
                                      : leading_number(text.substr(at + word.size()));
}

std::string serving_source(std::string_view source) {
  if (has(source, "mlcommons")) return "mlcommons/inference";
  if (has(source, "(v0.6.1 / v0.5)")) return "TensorRT-LLM 0.5";
  if (has(source, "(v1.0)")) return "TensorRT-LLM 1.0";
  if (has(source, "TensorRT-LLM")) return "TensorRT-LLM 0.14";
  if (has(source, "ROCm/vllm")) return "ROCm/vllm";
  if (has(source, "tpu-recipes")) return "AI-Hypercomputer/tpu-recipes";
  if (has(source, "leaderboard-v2")) return "ml-energy/leaderboard-v2";
  return "ml-energy/leaderboard";
}

void set(Measurement& found, CaseColumn column, double value) {
  found.row[column] = fmt::format("{:g}", value);
}

Measurement measurement(const CsvTable& table, const CsvRow& row, std::string_view kind,
                        std::string_view answer) {
  Measurement found;
  found.row[CaseColumn::kind] = kind;
  found.row[CaseColumn::device] = table.cell(row, "device");
  found.row[CaseColumn::devices] = table.cell(row, "n_devices");
  found.row[CaseColumn::model] = table.cell(row, "model");
  found.row[CaseColumn::precision] = table.cell(row, "precision");
  found.answer = answer;
  found.source = serving_source(table.cell(row, "source"));
  // The second leaderboard ran vLLM 0.5.4, the third 0.11; both stream tokens.
  if (has(found.source, "leaderboard")) {
    found.row[CaseColumn::engine] = has(found.source, "v2") ? "vllm-0.5" : "vllm-0.11";
  }
  return found;
}

/// Whether a row of inference_throughput.csv is about text generation.
bool is_generation(const CsvTable& table, const CsvRow& row) {
  const std::string& source = table.cell(row, "source");
  const std::string& model = table.cell(row, "model");
  return has(source, "TensorRT-LLM") || has(source, "ROCm/vllm") ||
         has(source, "tpu-recipes:inference") || has(model, "Llama2-70B") || has(model, "GPT-J");
}

std::optional<double> batch_of(std::string_view text) {
  if (const auto concurrency = leading_number_after(text, "concurrency=")) return concurrency;
  return leading_number(text);
}

/// Requests of MLPerf: mean tokens of OpenOrca, and of CNN/DailyMail articles and summaries.
void set_mlperf(Measurement& found, const CsvTable& table, const CsvRow& row) {
  if (has(found.row[CaseColumn::device], "B200")) {
    found.row[CaseColumn::precision] = "fp4";
  } else {
    found.row[CaseColumn::precision] = "fp8";
  }
  found.remark = "precision of the submission, not of its default";
  if (!has(table.cell(row, "unit"), "samples")) {
    set(found, CaseColumn::input_len, 294);
    set(found, CaseColumn::output_len, 294);
    return;
  }
  constexpr double summary_tokens = 69 * 4;  // four beams
  set(found, CaseColumn::input_len, 924);
  set(found, CaseColumn::output_len, summary_tokens);
  found.value *= summary_tokens;
  found.remark += "; each of four beams counted as answer";
}

void set_request(Measurement& found, const CsvTable& table, const CsvRow& row, bool answers) {
  if (const auto batch = batch_of(table.cell(row, "batch_or_concurrency"))) {
    set(found, CaseColumn::batch, *batch);
  }
  if (const auto input = leading_number(table.cell(row, "input_len"))) {
    set(found, CaseColumn::input_len, *input);
  }
  const auto output = leading_number(table.cell(row, "output_len"));
  if (answers && output) set(found, CaseColumn::output_len, *output);
  auto tensor = leading_number_after(table.cell(row, "scenario"), ", TP");
  if (!tensor) tensor = leading_number_after(table.cell(row, "notes"), " TP");
  if (tensor) set(found, CaseColumn::tp, *tensor);
}

std::optional<Result<Measurement>> serving_row(const CsvTable& table, const CsvRow& row) {
  if (!is_generation(table, row)) return std::nullopt;
  const std::string& scenario = table.cell(row, "scenario");
  const std::optional<double> value = leading_number(table.cell(row, "measured"));
  if (!value) return error("no figure");
  const bool mlperf = has(table.cell(row, "source"), "mlcommons");
  if (mlperf && scenario != "Offline") return error("latency of one request with four beams");
  Measurement found = measurement(table, row, "serve", "tokens_per_s");
  found.value = *value;
  found.measure_class = MeasureClass::serve;
  const bool first = has(scenario, "first token") || has(scenario, "TTFT");
  if (has(scenario, "TTFT")) return error("time to first token behind other prompts");
  set_request(found, table, row, !first);
  if (first) {
    found.row[CaseColumn::kind] = "prefill";
    found.answer = "time_ms";
    found.measure_class = MeasureClass::prefill;
  } else if (has(scenario, "TPOT")) {
    found.row[CaseColumn::kind] = "decode";
    found.answer = "time_ms";
    found.measure_class = MeasureClass::decode;
  } else if (has(scenario, "latency of one static batch")) {
    const double tokens = leading_number(found.row[CaseColumn::batch]).value_or(1) *
                          leading_number(found.row[CaseColumn::output_len]).value_or(1);
    found.value = tokens / (*value / 1e3);
  }
  if (mlperf) set_mlperf(found, table, row);
  if (has(found.row[CaseColumn::precision], "recipe")) found.row[CaseColumn::precision] = "fp8";
  return found;
}

/// Tokens before the answer in energy_power.csv: system prompt, question, earlier turns, image or
/// video.
struct TaskPrompt {
  std::string_view task;
  double tokens;
};
constexpr std::array<TaskPrompt, 8> task_prompts{{{"lm-arena-chat", 550},
                                                  {"gpqa", 300},
                                                  {"image-chat", 550},
                                                  {"video-chat", 1100},
                                                  {"sourcegraph-fim", 550},
                                                  {"mllm_text_generation", 900},
                                                  {"serving (chat)", 300},
                                                  {"serving (code)", 300}}};

double prompt_tokens(std::string_view workload) {
  for (const TaskPrompt& prompt : task_prompts) {
    if (has(workload, prompt.task)) return prompt.tokens;
  }
  return 300;
}

void set_degree(Measurement& found, CaseColumn column, std::string_view workload,
                std::string_view word) {
  if (const auto degree = leading_number_after(workload, word)) set(found, column, *degree);
}

Measurement decode_row(const CsvTable& table, const CsvRow& row, double value) {
  Measurement found = measurement(table, row, "decode", "time_ms");
  found.value = value;
  found.measure_class = MeasureClass::decode;
  const std::string& workload = table.cell(row, "workload");
  const std::string& batch = table.cell(row, "batch_or_concurrency");
  const std::string& notes = table.cell(row, "notes");
  if (!has(found.row[CaseColumn::precision], "fp8")) found.row[CaseColumn::precision] = "bf16";
  set_degree(found, CaseColumn::tp, workload, "TP");
  set_degree(found, CaseColumn::pp, workload, " PP");
  set_degree(found, CaseColumn::ep, workload, " EP");
  set_degree(found, CaseColumn::dp, workload, " DP");
  auto sequences = leading_number_after(batch, "avg_batch=");
  if (!sequences) sequences = leading_number_after(batch, "avg_bs=");
  if (sequences) set(found, CaseColumn::batch, *sequences);
  auto answer = leading_number_after(notes, "output len ");
  if (!answer) answer = leading_number_after(notes, "output tokens ");
  set(found, CaseColumn::context_len, prompt_tokens(workload) + answer.value_or(400) / 2);
  return found;
}

}  // namespace

MeasuredTable measured_serving(const CsvTable& table) {
  return read_rows(table, [&](const CsvRow& row) { return serving_row(table, row); });
}

MeasuredTable measured_serving_energy(const CsvTable& table) {
  return read_rows(table, [&](const CsvRow& row) -> std::optional<Result<Measurement>> {
    const std::string& unit = table.cell(row, "latency_unit");
    if (unit != "ms median inter-token" && unit != "ms mean TPOT") return std::nullopt;
    const std::optional<double> value = leading_number(table.cell(row, "latency"));
    if (!value) return error("no figure");
    return decode_row(table, row, *value);
  });
}

}  // namespace drover::commands
