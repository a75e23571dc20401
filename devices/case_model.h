// The model of a case: found by name, given by dimensions, or guessed from its size alone.
#pragma once

#include <memory>
#include <string>

#include "devices/case.h"
#include "devices/names.h"

namespace drover::devices {

struct CaseModel {
  std::shared_ptr<const ModelSpec> model;  // null: the row says nothing of a model
  std::string note;                        // what was derived
};

/// From the columns model, params_b, layers, hidden, heads, kv_heads, head_dim, ffn, vocab,
/// experts, experts_active. Dimensions beside a known name replace its own where they differ.
Result<CaseModel> case_model(const CaseRow& row, Names& names);

}  // namespace drover::devices
