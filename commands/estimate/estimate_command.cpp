// `drover estimate`: predicts one case, or a table of cases, with the device models.
#include <algorithm>
#include <cstddef>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "commands/estimate/catalogue_files.h"
#include "commands/shell/files.h"
#include "commands/shell/json_null.h"
#include "commands/shell/output.h"
#include "commands/subcommands.h"
#include "devices/catalogue/catalogue.h"
#include "devices/estimate/estimate.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/text/csv.h"
#include "fleet/text/json.h"

namespace drover::commands {
namespace {

using devices::Case;
using devices::CaseColumn;
using devices::CaseRow;

struct EstimatedTable {
  std::string text;  // CSV: the input columns, then those of the estimate
  std::size_t rows = 0;
  std::size_t failed = 0;                    // rows without an answer; their note says why
  std::vector<std::string> unknown_columns;  // copied to the output, not read
};

using EstimateCells = std::array<std::string, devices::estimate_columns.size()>;

void append_row(std::string& text, const CsvRow& row, std::size_t columns,
                const EstimateCells& answer) {
  for (std::size_t i = 0; i < columns; ++i) {
    if (i < row.cells.size()) text += csv_cell(row.cells[i]);
    text += ',';
  }
  for (std::size_t i = 0; i < answer.size(); ++i) {
    text += csv_cell(answer[i]);
    text += i + 1 < answer.size() ? ',' : '\n';
  }
}

EstimateCells refusal(const std::string& why) {
  EstimateCells cells;
  cells[devices::estimate_columns.size() - 1] = why;
  return cells;
}

EstimatedTable estimate_table(const CsvTable& table, const devices::Catalogue& catalogue) {
  EstimatedTable answer;
  std::vector<std::optional<CaseColumn>> columns;
  for (const std::string& name : table.columns) {
    columns.push_back(devices::parse_case_column(trimmed(name)));
    if (!columns.back()) answer.unknown_columns.push_back(name);
    answer.text += csv_cell(name) + ',';
  }
  answer.text += fmt::format("{}\n", joined(devices::estimate_columns, ","));
  devices::CaseReader reader(catalogue);
  for (const CsvRow& row : table.rows) {
    CaseRow cells;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (columns[i]) cells[*columns[i]] = trimmed(row.cells[i]);
    }
    ++answer.rows;
    const Result<devices::Case> question = reader.read(cells);
    const Result<devices::Estimate> estimate =
        question ? devices::estimate(*question) : Result<devices::Estimate>(question.error());
    if (!estimate) ++answer.failed;
    append_row(answer.text, row, table.columns.size(),
               estimate ? estimate_cells(*estimate)
                        : refusal(fmt::format("{}:{}: {}", table.place, row.line,
                                              estimate.error().message)));
  }
  return answer;
}

struct ColumnHelp {
  CaseColumn column;
  const char* value;
  const char* help;
};
constexpr const char* kinds =
    "gemm, attention_prefill, attention_decode, train, prefill, decode, serve, infer, collective";
constexpr ColumnHelp column_helps[] = {
    {CaseColumn::kind, "KIND", kinds},
    {CaseColumn::device, "NAME", "a device of the catalogue, or a common spelling of it"},
    {CaseColumn::devices, "COUNT", "total number of devices (default 1)"},
    {CaseColumn::model, "NAME", "a model of the catalogue, or a common spelling of it"},
    {CaseColumn::params_b, "NUMBER", "unknown model: parameters in billions"},
    {CaseColumn::layers, "COUNT", "unknown model: layers"},
    {CaseColumn::hidden, "COUNT", "unknown model: hidden size"},
    {CaseColumn::heads, "COUNT", "unknown model: attention heads"},
    {CaseColumn::kv_heads, "COUNT", "unknown model: key-value heads"},
    {CaseColumn::head_dim, "COUNT", "unknown model: head dimension"},
    {CaseColumn::ffn, "COUNT", "unknown model: feed-forward size"},
    {CaseColumn::vocab, "COUNT", "unknown model: vocabulary size"},
    {CaseColumn::experts, "COUNT", "unknown model: experts"},
    {CaseColumn::experts_active, "COUNT", "unknown model: active experts"},
    {CaseColumn::precision, "NAME",
     "fp64, fp32, tf32, bf16, fp16, fp8, int8, fp4 or int4 (default: bf16, if the device has it)"},
    {CaseColumn::seq_len, "TOKENS", "train: tokens per sample"},
    {CaseColumn::global_batch, "COUNT", "train: samples per optimiser step"},
    {CaseColumn::micro_batch, "COUNT", "train: samples per micro-batch"},
    {CaseColumn::tp, "COUNT", "tensor-parallel size"},
    {CaseColumn::pp, "COUNT", "pipeline stages"},
    {CaseColumn::dp, "COUNT", "data-parallel size"},
    {CaseColumn::cp, "COUNT", "context-parallel size"},
    {CaseColumn::ep, "COUNT", "expert-parallel size"},
    {CaseColumn::fsdp, "0|1", "1: shard weights, gradients and optimizer states (ZeRO-3, FSDP)"},
    {CaseColumn::recompute, "HOW", "activation recomputation: none, selective or full"},
    {CaseColumn::batch, "COUNT", "concurrent sequences or items"},
    {CaseColumn::context_len, "TOKENS", "cached tokens per sequence"},
    {CaseColumn::input_len, "TOKENS", "prompt tokens per request"},
    {CaseColumn::output_len, "TOKENS", "output tokens per request"},
    {CaseColumn::m, "COUNT", "gemm: rows"},
    {CaseColumn::n, "COUNT", "gemm: columns"},
    {CaseColumn::k, "COUNT", "gemm: inner dimension (k)"},
    {CaseColumn::bytes, "BYTES", "collective: size of the whole buffer"},
    {CaseColumn::collective, "NAME",
     "all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, send_recv, exchange"},
    {CaseColumn::devices_per_node, "COUNT", "devices per host"},
    {CaseColumn::power_limit_w, "WATTS", "power limit of each board"},
    {CaseColumn::engine, "NAME",
     "decode: vllm-0.11 or vllm-0.5 (default: the one measured on the device); prefill, serve: "
     "also offline (default)"},
};

std::string option_name(CaseColumn column) {
  std::string name(to_text(column));
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

CommandOutcome run_table(Arguments& arguments, const devices::Catalogue& catalogue) {
  const std::string path = arguments.text("cases");
  DROVER_ASSIGN(const auto text, read_file(path));
  DROVER_ASSIGN(const auto table, CsvTable::parse(text, printable(path)));
  const EstimatedTable answer = estimate_table(table, catalogue);
  std::vector<std::string> known;
  for (std::size_t i = 0; i < devices::case_column_count; ++i) {
    known.emplace_back(to_text(static_cast<CaseColumn>(i)));
  }
  for (const std::string& column : answer.unknown_columns) {
    write_stderr("drover: {}: column \"{}\" is ignored{}\n", printable(path), excerpt(column),
                 suggestion(column, known));
  }
  const std::string out = arguments.text("out", "-");
  if (out == "-") {
    write_stdout_text(answer.text);
  } else {
    std::ofstream file(out, std::ios::binary | std::ios::trunc);
    file << answer.text;
    file.close();
    if (!file) return error(ErrorKind::io, "--out {}: cannot be written", printable(out));
    write_stdout("{}, {} without an estimate\n", counted(answer.rows, "row"), answer.failed);
  }
  return CommandOutcome::done();
}

void print_figure(std::string_view name, const std::string& value) {
  if (!value.empty()) write_stdout("{:<18}{}\n", name, value);
}

std::string parts_text(const devices::Estimate& answer) {
  std::string text;
  for (std::size_t i = 0; i < devices::part_count; ++i) {
    const double share = answer.parts[i] / answer.seconds;
    if (share < 0.0005) continue;
    text += fmt::format("{}{} {:.1f} %", text.empty() ? "" : ", ",
                        to_text(static_cast<devices::TimeComponent>(i)), share * 100);
  }
  return text;
}

std::string memory_text(const devices::MemoryUse& memory) {
  struct Kind {
    const char* name;
    double bytes;
  };
  std::string text;
  for (const Kind& kind : {Kind{"weights", memory.weights}, Kind{"states", memory.states},
                           Kind{"activations", memory.activations}, Kind{"cache", memory.cache},
                           Kind{"reserved", memory.reserved}}) {
    if (kind.bytes <= 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kind.name, bytes_text(kind.bytes));
  }
  return text;
}

void print(const Case& question, const devices::Estimate& answer) {
  const auto cells = estimate_cells(answer);
  write_stdout("{} on {} x {}{}{}\n\n", to_text(question.kind), question.devices,
               question.device->id, question.model ? ", " : "",
               question.model ? question.model->id : "");
  for (std::size_t i = 0; i < cells.size(); ++i) {
    print_figure(devices::estimate_columns[i], cells[i]);
    if (devices::estimate_columns[i] == "time_ms") print_figure("parts", parts_text(answer));
  }
  if (const auto engine = devices::engine_of(question)) {
    print_figure("engine", std::string(to_text(*engine)));
  }
  print_figure("memory", memory_text(answer.memory));
  print_figure("clock_share", fmt::format("{:.2f}", answer.clock_share));
  if (answer.temperature_c > 0) {
    print_figure("temperature_c", fmt::format("{:.0f}", answer.temperature_c));
  }
  print_figure("confidence", std::string(devices::confidence(question)));
  for (const devices::EstimateProvenance& fact : devices::provenance(question)) {
    print_figure("provenance",
                 fmt::format("{}, {}: {}", fact.fact, to_text(fact.basis), printable(fact.note)));
  }
}

Json to_json(const Case& question, const devices::Estimate& answer) {
  Json json = Json::object();
  json.set("kind", to_text(question.kind)).set("device", question.device->id);
  const auto cells = estimate_cells(answer);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto number = parse_number(cells[i], "");
    const std::string name(devices::estimate_columns[i]);
    if (number) {
      json.set(name, *number);
    } else if (name == "feasible") {
      json.set(name, answer.feasible);
    } else {
      json.set(name, text_or_null(cells[i]));
    }
  }
  Json parts = Json::object();
  for (std::size_t i = 0; i < devices::part_count; ++i) {
    parts.set(std::string(to_text(static_cast<devices::TimeComponent>(i))), answer.parts[i] * 1e3);
  }
  Json provenance = Json::array();
  for (const devices::EstimateProvenance& fact : devices::provenance(question)) {
    provenance.add(Json::object()
                       .set("fact", fact.fact)
                       .set("basis", to_text(fact.basis))
                       .set("note", fact.note));
  }
  const auto engine = devices::engine_of(question);
  return json.set("engine", engine ? Json(to_text(*engine)) : Json())
      .set("time_breakdown_ms", std::move(parts))
      .set("clock_share", answer.clock_share)
      .set("temperature_c", when(answer.temperature_c > 0, answer.temperature_c))
      .set("confidence", devices::confidence(question))
      .set("provenance", std::move(provenance));
}

}  // namespace

CommandUsage estimate_usage() {
  CommandUsage usage{
      "usage: drover estimate --kind KIND --device NAME [options]\n"
      "       drover estimate --cases IN.csv [--out OUT.csv]",
      "Predicts time and its parts, memory, power and cost with the device models: for one case "
      "given by options, or for a CSV table of cases (a column has the name of an option, with _ "
      "instead of -).",
      {{"cases", "FILE", "a CSV table of cases"},
       {"out", "FILE", "with --cases: the output file (default standard output)"},
       {"catalogue", "DIR", "more devices and models: a folder of *.toml specs"},
       {"json", "", "JSON on stdout"}},
      {},
      "  drover estimate --kind decode --device h100-sxm --model llama-3.1-8b \\\n"
      "    --batch 32\n"
      "  drover estimate --cases cases.csv --out answers.csv\n"
      "  drover estimate --kind gemm --device a100-sxm-80gb --m 4096 --n 4096 \\\n"
      "    --k 4096 --set a100-sxm-80gb.memory.bandwidth_gb_s=3000"};
  usage.options.push_back(setting_option());
  for (const ColumnHelp& it : column_helps) {
    usage.options.push_back({option_name(it.column), it.value, it.help});
  }
  return usage;
}

CommandOutcome run_estimate(Arguments& arguments) {
  DROVER_ASSIGN(auto catalogue, load_catalogue(arguments.text("catalogue")));
  DROVER_TRY(apply_settings(catalogue, arguments.text_list("set")));
  if (arguments.has("cases")) return run_table(arguments, catalogue);
  devices::CaseRow row;
  for (const ColumnHelp& it : column_helps) row[it.column] = arguments.text(option_name(it.column));
  // In a table an empty cell is a wrong value; here the option is missing.
  if (row[CaseColumn::kind].empty()) {
    return error("--kind is required: one of {}", kinds);
  }
  if (row[CaseColumn::device].empty()) {
    return error("--device is required, such as h100-sxm");
  }
  devices::CaseReader reader(catalogue);
  DROVER_ASSIGN(const auto question, reader.read(row));
  DROVER_ASSIGN(const auto answer, devices::estimate(question));
  if (arguments.has("json")) {
    write_stdout("{}\n", to_json(question, answer).dump());
  } else {
    print(question, answer);
  }
  return CommandOutcome::done();
}

}  // namespace drover::commands
