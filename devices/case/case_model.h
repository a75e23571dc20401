// The model of a case: found by name, given by dimensions, or guessed from its size alone.
#pragma once

#include <deque>
#include <string>

#include "devices/case/case.h"
#include "devices/catalogue/spec_name_resolver.h"

namespace drover::devices {

struct CaseModel {
  const ModelSpec* model = nullptr;  // null: the row has no model
  std::string note;                  // what was derived
};

/// Reads the columns model, params_b, layers, hidden, heads, kv_heads, head_dim, ffn, vocab,
/// experts, experts_active. Dimensions given with a known name replace its own if they differ. A
/// model that is not in the catalogue is added to `described`.
Result<CaseModel> case_model(const CaseRow& row, SpecNameResolver& names,
                             std::deque<ModelSpec>& described);

}  // namespace drover::devices
