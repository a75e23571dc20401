#include "fleet/workload.h"

#include <array>

#include "fleet/base/enum_tables.h"
#include "fleet/base/text.h"

namespace drover {
namespace {

constexpr std::array<std::string_view, work_kind_count> work_kind_names{"serve", "train", "batch"};

struct PrecisionFacts {
  std::string_view name;
  double bytes;
};
// tf32 is a format for multiplying fp32 numbers, which have 4 bytes in memory (NVIDIA A100 white
// paper).
constexpr std::array<PrecisionFacts, precision_count> precisions{{{"fp32", 4},
                                                                  {"tf32", 4},
                                                                  {"bf16", 2},
                                                                  {"fp16", 2},
                                                                  {"fp8", 1},
                                                                  {"int8", 1},
                                                                  {"int4", 0.5},
                                                                  {"fp4", 0.5},
                                                                  {"fp64", 8}}};

const PrecisionFacts& facts_of(Precision precision) { return row_at(precisions, precision); }

}  // namespace

std::string_view to_text(WorkKind kind) { return row_at(work_kind_names, kind); }

std::string_view to_text(Precision precision) { return facts_of(precision).name; }

std::optional<WorkKind> parse_work_kind(std::string_view text) {
  return enumerator_named<WorkKind>(work_kind_names, text);
}

std::string precision_list() {
  std::vector<std::string_view> names;
  for (const PrecisionFacts& each : precisions) names.push_back(each.name);
  return joined(names, ", ");
}

std::optional<Precision> parse_precision(std::string_view text) {
  for (std::size_t index = 0; index < precisions.size(); ++index) {
    if (precisions[index].name == text) return static_cast<Precision>(index);
  }
  return std::nullopt;
}

const MeasuredThroughput* measured_throughput(const Workload& work, std::string_view device,
                                              int devices, bool over_hosts) {
  for (const MeasuredThroughput& throughput : work.throughputs) {
    const bool same = throughput.devices == devices && throughput.over_hosts == over_hosts;
    if (same && throughput.device == device) return &throughput;
  }
  return nullptr;
}

double bytes_each(Precision precision) { return facts_of(precision).bytes; }

}  // namespace drover
