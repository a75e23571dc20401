// One question to the device models: so much work of a kind on so many devices. And the columns in
// which questions come as tables: every cell a text, empty where a default holds or a column does
// not apply.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "devices/catalogue/catalogue.h"
#include "devices/catalogue/model.h"
#include "devices/catalogue/software.h"
#include "devices/catalogue/spec.h"
#include "fleet/base/result.h"
#include "fleet/workload.h"

namespace drover::devices {

enum class CaseKind : std::uint8_t {
  gemm,               // one product of m x k and k x n
  attention_prefill,  // attention of one layer: input_len new tokens after context_len, batch times
  attention_decode,   // attention of one layer: one new token each of batch sequences
  train,              // one optimiser step
  prefill,            // the prompts of a batch, up to the first token
  decode,             // one inter-token step of a batch
  serve,              // continuous batching at saturation
  infer,              // one static batch of a model that does not generate
  collective,
};
inline constexpr std::size_t case_kind_count = 9;
std::string_view to_text(CaseKind kind);
std::optional<CaseKind> parse_case_kind(std::string_view text);

enum class CollectiveKind : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  broadcast,
  send_recv,  // one device to one other
  exchange,   // "sendrecv" of nccl-tests: every device to the next, and from the one before
};
std::string_view to_text(CollectiveKind kind);
/// Also the spellings of other tools: "sendrecv" (an exchange), "alltoall", "AllReduce".
std::optional<CollectiveKind> parse_collective(std::string_view text);

enum class Recompute : std::uint8_t { none, selective, full };

/// What is asked. Numbers that were not given are empty: the models choose as an expert would.
struct Case {
  std::string id;
  CaseKind kind = CaseKind::gemm;
  const DeviceSpec* device = nullptr;  // of a catalogue that outlives the case
  const ModelSpec* model = nullptr;    // of the catalogue or the reader; null for gemm, collective
  Precision precision = Precision::bf16;  // of the matrix products and, serving, of the weights
  Software software = Software::engine;   // of nets that are no language models
  std::optional<Engine> engine;           // of language models that serve
  int devices = 1;                        // all together
  std::optional<int> tensor, pipeline, data, context_parallel, expert;  // tp, pp, dp, cp, ep
  std::optional<int> devices_per_node;
  std::optional<bool> sharded;  // fsdp: ZeRO-3
  bool adapters = false;        // "LoRA" in the model's name: small adapters are trained
  std::optional<Recompute> recompute;

  std::optional<double> sequence;       // seq_len, tokens
  std::optional<double> global_batch;   // samples per optimiser step; batch of infer
  std::optional<double> micro_batch;    // samples per device (of a data-parallel group) at once
  std::optional<double> batch;          // sequences at once
  std::optional<double> context;        // context_len: tokens in the cache of each sequence
  std::optional<double> input, output;  // input_len, output_len: tokens per request
  std::optional<double> m, n, k;
  std::optional<double> bytes;  // collective: as NCCL counts, the size of the whole buffer
  CollectiveKind collective = CollectiveKind::all_reduce;
  /// Limit of a board, W: given as a column or in brackets after the device's name.
  std::optional<double> power_limit_w;
  std::string note;  // what was assumed on the way from the texts

  /// Attention without a model: from heads, kv_heads and head_dim.
  int heads = 0, kv_heads = 0, head_size = 0;
};

/// Columns in their order.
enum class CaseColumn : std::uint8_t {
  id,
  kind,
  device,
  devices,
  model,
  params_b,
  layers,
  hidden,
  heads,
  kv_heads,
  head_dim,
  ffn,
  vocab,
  experts,
  experts_active,
  precision,
  seq_len,
  global_batch,
  micro_batch,
  tp,
  pp,
  dp,
  cp,
  ep,
  fsdp,
  recompute,
  batch,
  context_len,
  input_len,
  output_len,
  m,
  n,
  k,
  bytes,
  collective,
  devices_per_node,
  power_limit_w,
  engine,
};
inline constexpr std::size_t case_column_count = 38;
std::string_view to_text(CaseColumn column);
std::optional<CaseColumn> parse_case_column(std::string_view name);

/// One row of a table of cases.
struct CaseRow {
  std::array<std::string, case_column_count> cells;
  std::string& operator[](CaseColumn column) { return cells[static_cast<std::size_t>(column)]; }
  const std::string& operator[](CaseColumn column) const {
    return cells[static_cast<std::size_t>(column)];
  }
};

/// Reads rows; remembers names that it resolved and keeps models that rows describe. The catalogue
/// must outlive it, and it the cases.
class CaseReader {
 public:
  explicit CaseReader(const Catalogue& catalogue);
  ~CaseReader();
  /// The problem names the column, what was found and what was expected; the caller knows the row.
  Result<Case> read(const CaseRow& row);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace drover::devices
