// What one estimate costs, by kind of case, whole: step, power, clock and memory (goal: 20 us).
// Beside it what reading the case from its texts costs.
#include <benchmark/benchmark.h>

#include <initializer_list>
#include <utility>

#include "devices/case/case.h"
#include "devices/catalogue/catalogue.h"
#include "devices/estimate/estimate.h"

namespace drover::devices {
namespace {

using Cells = std::initializer_list<std::pair<CaseColumn, const char*>>;

CaseRow row_of(const Cells& cells) {
  CaseRow row;
  for (const auto& [column, text] : cells) row[column] = text;
  return row;
}

const CaseRow rows[] = {
    row_of({{CaseColumn::kind, "gemm"},
            {CaseColumn::device, "A100-SXM4-80GB"},
            {CaseColumn::precision, "fp16"},
            {CaseColumn::m, "4096"},
            {CaseColumn::n, "12288"},
            {CaseColumn::k, "4096"}}),
    row_of({{CaseColumn::kind, "train"},
            {CaseColumn::device, "H100-SXM5-80GB"},
            {CaseColumn::devices, "64"},
            {CaseColumn::model, "Llama-3.1-70B"},
            {CaseColumn::seq_len, "8192"},
            {CaseColumn::global_batch, "128"},
            {CaseColumn::tp, "4"},
            {CaseColumn::pp, "4"}}),
    row_of({{CaseColumn::kind, "decode"},
            {CaseColumn::device, "H100-SXM5-80GB"},
            {CaseColumn::devices, "4"},
            {CaseColumn::model, "Llama-3.1-70B"},
            {CaseColumn::batch, "64"},
            {CaseColumn::context_len, "500"}}),
    row_of({{CaseColumn::kind, "serve"},
            {CaseColumn::device, "H100-SXM5-80GB"},
            {CaseColumn::model, "Llama-3.1-8B"},
            {CaseColumn::input_len, "128"},
            {CaseColumn::output_len, "2048"}}),
    row_of({{CaseColumn::kind, "infer"},
            {CaseColumn::device, "T4"},
            {CaseColumn::model, "resnet50"},
            {CaseColumn::batch, "32"}}),
    row_of({{CaseColumn::kind, "train"},
            {CaseColumn::device, "A100-SXM4-40GB"},
            {CaseColumn::model, "resnet50"},
            {CaseColumn::precision, "fp16 mixed"},
            {CaseColumn::batch, "256"}}),
    row_of({{CaseColumn::kind, "collective"},
            {CaseColumn::device, "A100-SXM4-80GB"},
            {CaseColumn::devices, "8"},
            {CaseColumn::collective, "all_reduce"},
            {CaseColumn::bytes, "67108864"}}),
};

void OneEstimate(benchmark::State& state) {
  CaseReader reader(Catalogue::embedded());
  const CaseRow& row = rows[state.range(0)];
  const Result<Case> question = reader.read(row);
  if (!question || !estimate(*question)) {
    state.SkipWithError("the case has no answer");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(estimate(*question));
  state.SetLabel(row[CaseColumn::kind]);
}
BENCHMARK(OneEstimate)->DenseRange(0, std::size(rows) - 1);

void ReadingACase(benchmark::State& state) {
  CaseReader reader(Catalogue::embedded());
  for (auto _ : state) benchmark::DoNotOptimize(reader.read(rows[2]));
}
BENCHMARK(ReadingACase);

}  // namespace
}  // namespace drover::devices
