#include "devices/case/case.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <deque>

#include "devices/case/case_model.h"
#include "devices/catalogue/spec_name_resolver.h"
#include "fleet/base/enum_tables.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::devices {
namespace {

constexpr std::array<std::string_view, case_kind_count> kind_names{
    "gemm",  "attention_prefill", "attention_decode", "train", "prefill", "decode", "serve",
    "infer", "collective"};

constexpr std::array<std::string_view, 7> collective_names{
    "all_reduce", "all_gather", "reduce_scatter", "all_to_all",
    "broadcast",  "send_recv",  "exchange"};

constexpr std::array<std::string_view, case_column_count> column_names{"id",
                                                                       "kind",
                                                                       "device",
                                                                       "devices",
                                                                       "model",
                                                                       "params_b",
                                                                       "layers",
                                                                       "hidden",
                                                                       "heads",
                                                                       "kv_heads",
                                                                       "head_dim",
                                                                       "ffn",
                                                                       "vocab",
                                                                       "experts",
                                                                       "experts_active",
                                                                       "precision",
                                                                       "seq_len",
                                                                       "global_batch",
                                                                       "micro_batch",
                                                                       "tp",
                                                                       "pp",
                                                                       "dp",
                                                                       "cp",
                                                                       "ep",
                                                                       "fsdp",
                                                                       "recompute",
                                                                       "batch",
                                                                       "context_len",
                                                                       "input_len",
                                                                       "output_len",
                                                                       "m",
                                                                       "n",
                                                                       "k",
                                                                       "bytes",
                                                                       "collective",
                                                                       "devices_per_node",
                                                                       "power_limit_w",
                                                                       "engine"};

struct NumberColumn {
  CaseColumn column;
  std::optional<double> Case::*member;
  double low, high;
};
constexpr NumberColumn number_columns[] = {
    {CaseColumn::seq_len, &Case::sequence, 1, 1e8},
    {CaseColumn::global_batch, &Case::global_batch, 1, 1e9},
    {CaseColumn::micro_batch, &Case::micro_batch, 1, 1e9},
    {CaseColumn::batch, &Case::batch, 1, 1e9},
    {CaseColumn::context_len, &Case::context, 0, 1e9},
    {CaseColumn::input_len, &Case::input, 0, 1e9},
    {CaseColumn::output_len, &Case::output, 0, 1e9},
    {CaseColumn::m, &Case::m, 1, 1e9},
    {CaseColumn::n, &Case::n, 1, 1e9},
    {CaseColumn::k, &Case::k, 1, 1e9},
    {CaseColumn::bytes, &Case::bytes, 1, 1e15},
    {CaseColumn::power_limit_w, &Case::power_limit_w, 1, 1e5},
};

struct CountColumn {
  CaseColumn column;
  std::optional<int> Case::*member;
};
constexpr CountColumn count_columns[] = {
    {CaseColumn::tp, &Case::tensor}, {CaseColumn::pp, &Case::pipeline},
    {CaseColumn::dp, &Case::data},   {CaseColumn::cp, &Case::context_parallel},
    {CaseColumn::ep, &Case::expert}, {CaseColumn::devices_per_node, &Case::devices_per_node},
};
constexpr double devices_max = 1e6;

std::string small_letters(std::string_view text) {
  std::string letters;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (std::isalpha(byte) != 0) letters += static_cast<char>(std::tolower(byte));
  }
  return letters;
}

Error unexpected(CaseColumn column, std::string_view found, std::string_view expected) {
  return error("{}: found \"{}\", expected {}", to_text(column), excerpt(found), expected);
}

Result<double> number_in(const CaseRow& row, CaseColumn column, double low, double high) {
  DROVER_ASSIGN(const auto value, parse_number(trimmed(row[column]), to_text(column)));
  if (!(value >= low && value <= high)) {
    return error("{}: found {}, expected a number {}..{}", to_text(column), value, low, high);
  }
  return value;
}

Status read_counts(const CaseRow& row, Case& question) {
  for (const CountColumn& it : count_columns) {
    if (row[it.column].empty()) continue;
    DROVER_ASSIGN(const auto value, number_in(row, it.column, 1, devices_max));
    if (value != std::floor(value)) return unexpected(it.column, row[it.column], "a whole number");
    question.*it.member = static_cast<int>(value);
  }
  // The devices of one copy of the model; data-parallel copies are additional.
  const double copy = double{1} * question.tensor.value_or(1) * question.pipeline.value_or(1) *
                      question.context_parallel.value_or(1);
  if (row[CaseColumn::devices].empty()) {
    question.devices = static_cast<int>(std::min(devices_max, copy * question.data.value_or(1)));
    return {};
  }
  DROVER_ASSIGN(const auto devices, number_in(row, CaseColumn::devices, 1, devices_max));
  if (copy > devices) {
    return error("devices: found {}, expected at least tp x pp x cp = {}", devices, copy);
  }
  question.devices = static_cast<int>(devices);
  return {};
}

Status read_numbers(const CaseRow& row, Case& question) {
  for (const NumberColumn& it : number_columns) {
    if (row[it.column].empty()) continue;
    DROVER_ASSIGN(const auto value, number_in(row, it.column, it.low, it.high));
    question.*it.member = value;
  }
  struct HeadColumn {
    CaseColumn column;
    int Case::*member;
  };
  for (const HeadColumn& it : {HeadColumn{CaseColumn::heads, &Case::heads},
                               HeadColumn{CaseColumn::kv_heads, &Case::kv_heads},
                               HeadColumn{CaseColumn::head_dim, &Case::head_size}}) {
    if (row[it.column].empty()) continue;
    DROVER_ASSIGN(const auto value, number_in(row, it.column, 1, 1e5));
    question.*it.member = static_cast<int>(value);
  }
  return {};
}

Status read_words(const CaseRow& row, Case& question) {
  const std::string sharded = small_letters(row[CaseColumn::fsdp]);
  if (const std::string& cell = row[CaseColumn::fsdp]; !cell.empty()) {
    // FULL_SHARD, SHARD_GRAD_OP and HYBRID_SHARD of PyTorch all gather weights.
    const bool yes = cell == "1" || sharded == "true" || sharded == "yes" || sharded == "full" ||
                     sharded.find("fsdp") != std::string::npos ||
                     (sharded.find("shard") != std::string::npos && sharded != "noshard");
    const bool no = cell == "0" || sharded == "false" || sharded == "no" || sharded == "none" ||
                    sharded == "noshard";
    // A number above 1 is the size of the group that shares the states.
    const auto size = parse_number(cell, "fsdp");
    if (!yes && !no && !(size && *size > 1)) {
      return unexpected(CaseColumn::fsdp, cell, "0, 1, true, false or the size of the group");
    }
    question.sharded = !no;
  }
  if (const std::string& cell = row[CaseColumn::recompute]; !cell.empty()) {
    const std::string word = small_letters(cell);
    if (word == "none" || word == "no" || word == "false" || cell == "0") {
      question.recompute = Recompute::none;
    } else if (word.starts_with("selective") || word == "custom" || word == "minimal" ||
               word == "partial" || word == "block") {  // also MaxText's policies
      question.recompute = Recompute::selective;
    } else if (word.starts_with("full") || word == "true" || word == "yes" || cell == "1") {
      question.recompute = Recompute::full;
    } else {
      return unexpected(CaseColumn::recompute, cell, "none, selective or full");
    }
  }
  if (const std::string& cell = row[CaseColumn::engine]; !cell.empty()) {
    question.engine = parse_engine(cell);
    if (!question.engine) return unexpected(CaseColumn::engine, cell, engine_choice);
  }
  if (const std::string& cell = row[CaseColumn::collective]; !cell.empty()) {
    const auto collective = parse_collective(cell);
    if (!collective) return unexpected(CaseColumn::collective, cell, "all_reduce, all_gather, ..");
    question.collective = *collective;
  }
  return {};
}

void add_note(std::string& note, std::string_view text) {
  if (text.empty()) return;
  if (!note.empty()) note += "; ";
  note += text;
}

}  // namespace

std::string_view to_text(CaseKind kind) { return row_at(kind_names, kind); }
std::string_view to_text(CollectiveKind kind) { return row_at(collective_names, kind); }
std::string_view to_text(CaseColumn column) { return row_at(column_names, column); }

std::optional<CaseKind> parse_case_kind(std::string_view text) {
  return enumerator_named<CaseKind>(kind_names, text);
}

std::optional<CollectiveKind> parse_collective(std::string_view text) {
  if (text == "sendrecv") return CollectiveKind::exchange;
  const std::string letters = small_letters(text);
  for (std::size_t i = 0; i < collective_names.size(); ++i) {
    if (letters == small_letters(collective_names[i])) return static_cast<CollectiveKind>(i);
  }
  if (letters == "reduce" || letters == "bcast") return CollectiveKind::broadcast;  // the same ring
  if (letters == "send") return CollectiveKind::send_recv;
  return std::nullopt;
}

std::optional<CaseColumn> parse_case_column(std::string_view name) {
  return enumerator_named<CaseColumn>(column_names, name);
}

struct CaseReader::NameCache {
  explicit NameCache(const Catalogue& catalogue) : names(catalogue) {}

  SpecNameResolver names;
  std::deque<ModelSpec> described;
  std::map<std::string, FoundDevice> devices;
  std::map<std::pair<std::string, const DeviceSpec*>, FoundPrecision> precisions;
};

namespace {

/// The meaning of "submission default" in MLPerf training of language models: fp8 on GPUs that have
/// it; int8 on v5p (round v4.0), bf16 on Trillium and later (v4.1).
constexpr std::uint32_t trillium_year = 2024;

std::optional<Precision> submitted_precision(const CaseRow& row, const Case& question) {
  const bool decoder = question.model && question.model->architecture == Architecture::decoder;
  if (question.kind != CaseKind::train || !decoder) return std::nullopt;
  if (row[CaseColumn::precision].find("submission default") == std::string::npos) {
    return std::nullopt;
  }
  const DeviceSpec& device = *question.device;
  if (device.device_class == DeviceClass::gpu) {
    return device.runs(Precision::fp8) ? std::optional(Precision::fp8) : std::nullopt;
  }
  const bool int8 = device.runs(Precision::int8) && device.year < trillium_year;
  return int8 ? std::optional(Precision::int8) : std::nullopt;
}

}  // namespace

CaseReader::CaseReader(const Catalogue& catalogue)
    : memory_(std::make_unique<NameCache>(catalogue)) {}
CaseReader::~CaseReader() = default;

Result<Case> CaseReader::read(const CaseRow& row) {
  Case question;
  const std::string& kind = row[CaseColumn::kind];
  const auto known_kind = parse_case_kind(kind);
  if (!known_kind) {
    return unexpected(CaseColumn::kind, kind, fmt::format("one of {}", joined(kind_names, ", ")));
  }
  question.kind = *known_kind;

  const std::string& device = row[CaseColumn::device];
  auto found = memory_->devices.find(device);
  if (found == memory_->devices.end()) {
    const Result<FoundDevice> named = memory_->names.device(device);
    if (!named) return error("device: {}", named.error().message);
    found = memory_->devices.emplace(device, *named).first;
  }
  question.device = found->second.spec;

  question.precision = Precision::bf16;
  if (const std::string& precision = row[CaseColumn::precision]; !precision.empty()) {
    const auto key = std::pair(precision, question.device);
    auto known = memory_->precisions.find(key);
    if (known == memory_->precisions.end()) {
      const auto read = find_precision(precision, *question.device);
      if (!read) {
        return unexpected(CaseColumn::precision, precision, "one of " + precision_list());
      }
      known = memory_->precisions.emplace(key, *read).first;
    }
    question.precision = known->second.precision;
    question.software = known->second.software;
  } else if (!question.device->runs(Precision::bf16)) {
    question.precision = question.device->runs(Precision::fp16) ? Precision::fp16 : Precision::fp32;
  }

  for (const Status& status :
       {read_counts(row, question), read_numbers(row, question), read_words(row, question)}) {
    if (!status) return status.error();
  }
  if (!question.power_limit_w) question.power_limit_w = found->second.power_limit_w;
  DROVER_ASSIGN(auto model, case_model(row, memory_->names, memory_->described));
  question.model = model.model;
  question.adapters = small_letters(row[CaseColumn::model]).find("lora") != std::string::npos;
  question.precision = submitted_precision(row, question).value_or(question.precision);
  add_note(question.note, model.note);
  return question;
}

}  // namespace drover::devices
