// The numbers that determine an estimate, by its kind and its computing precision.
#include <algorithm>

#include "devices/case/case.h"
#include "devices/classic/layer_rates.h"
#include "devices/estimate/estimate.h"
#include "devices/operation/matrix.h"
#include "fleet/base/result.h"

namespace drover::devices {
namespace {

/// The two numbers that determine most of the estimated time.
using MainFacts = std::array<std::string_view, 2>;

std::string_view request_fact(ServingEngine engine) {
  switch (engine) {
    case ServingEngine::vllm_0_11:
      return "serving.request_us";
    case ServingEngine::vllm_0_5:
      return "serving.early_request_us";
    case ServingEngine::offline:
      return "serving.offline_request_us";
  }
  return {};
}

MainFacts main_facts(const Case& question) {
  const DeviceSpec& device = *question.device;
  const bool decoder = question.model && question.model->architecture == Architecture::decoder;
  switch (question.kind) {
    case CaseKind::gemm:
      return {matrix_fact(device, question.precision), "matrix.operand_efficiency"};
    case CaseKind::attention_prefill:
    case CaseKind::attention_decode:
      return {"attention.matrix_share", "attention.cache_efficiency"};
    case CaseKind::train:
      if (decoder) return {"training.matrix_share", "training.attention_share"};
      [[fallthrough]];
    case CaseKind::infer:
      DROVER_REQUIRE(question.model != nullptr);
      return {layer_fact(device, layer_precision(device, *question.model, question.precision)),
              "layers.kernel_cycles"};
    case CaseKind::decode:
      return {"serving.weights_share", request_fact(*engine_of(question))};
    case CaseKind::prefill:
    case CaseKind::serve:
      return {"serving.product_share", "serving.weights_share"};
    case CaseKind::collective:
      return {"links.ring_share", "links.ring_start_us"};
  }
  return {};
}

}  // namespace

std::string_view confidence(const Case& question) {
  Basis weakest = Basis::datasheet;
  for (const EstimateProvenance& entry : provenance(question))
    weakest = std::max(weakest, entry.basis);
  return to_text(weakest);
}

std::vector<EstimateProvenance> provenance(const Case& question) {
  std::vector<EstimateProvenance> found;
  for (const std::string_view fact : main_facts(question)) {
    const auto basis = question.device->bases.find(fact);
    if (basis == question.device->bases.end() || basis->second.basis == Basis::datasheet) continue;
    found.push_back({fact, basis->second.basis, basis->second.note});
  }
  return found;
}

}  // namespace drover::devices
