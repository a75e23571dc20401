// A case for the device models: an amount of work of one kind on a number of devices. Tables of
// cases have one column per property; a cell is empty when a default applies or the column does
// not.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "devices/catalogue/catalogue.h"
#include "devices/catalogue/model.h"
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
  exchange,   // "sendrecv" of nccl-tests: each device sends to the next one
};
std::string_view to_text(CollectiveKind kind);
/// Accepts the spellings of other tools too: "sendrecv" (an exchange), "alltoall", "AllReduce".
std::optional<CollectiveKind> parse_collective(std::string_view text);

enum class Recompute : std::uint8_t { none, selective, full };

/// One case. Numbers that are not given are empty; the models choose suitable values.
struct Case {
  CaseKind kind = CaseKind::gemm;
  const DeviceSpec* device = nullptr;  // of a catalogue that outlives the case
  const ModelSpec* model = nullptr;    // of the catalogue or the reader; null for gemm, collective
  Precision precision = Precision::bf16;  // of the matrix products and, serving, of the weights
  SoftwareStack software = SoftwareStack::engine;  // of models that are not language models
  std::optional<ServingEngine> engine;             // of language models, for serving
  int devices = 1;                                 // all together
  std::optional<int> tensor, pipeline, data, context_parallel, expert;  // tp, pp, dp, cp, ep
  std::optional<int> devices_per_node;
  std::optional<bool> sharded;  // fsdp: ZeRO-3
  bool adapters = false;        // "LoRA" in the model's name: only small adapters are trained
  std::optional<Recompute> recompute;

  std::optional<double> sequence;       // seq_len, tokens
  std::optional<double> global_batch;   // samples per optimiser step; batch of infer
  std::optional<double> micro_batch;    // samples per device (of a data-parallel group) at once
  std::optional<double> batch;          // concurrent sequences
  std::optional<double> context;        // context_len: tokens in the cache of each sequence
  std::optional<double> input, output;  // input_len, output_len: tokens per request
  std::optional<double> m, n, k;
  std::optional<double> bytes;  // collective: size of the whole buffer, as NCCL counts it
  CollectiveKind collective = CollectiveKind::all_reduce;
  /// Power limit of a board, W: from a column or in brackets after the device's name.
  std::optional<double> power_limit_w;
  std::string note;  // what was assumed when the texts were read

  /// Attention without a model: from heads, kv_heads and head_dim.
  int heads = 0, kv_heads = 0, head_size = 0;
};

/// The columns, in order.
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

/// Reads rows. Caches resolved names and owns the models that rows describe. The catalogue must
/// outlive the reader, and the reader the cases.
class CaseReader {
 public:
  explicit CaseReader(const Catalogue& catalogue);
  ~CaseReader();
  /// The error names the column, what was found and what was expected; the caller adds the row.
  Result<Case> read(const CaseRow& row);

 private:
  struct NameCache;
  std::unique_ptr<NameCache> memory_;
};

}  // namespace drover::devices
