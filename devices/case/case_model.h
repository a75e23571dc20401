// The model of a case: found by name, given by dimensions, or guessed from its size alone.
#pragma once

#include <deque>
#include <string>

#include "devices/case/case.h"
#include "devices/catalogue/names.h"

namespace drover::devices {

struct CaseModel {
  const ModelSpec* model = nullptr;  // null: the row says nothing of a model
  std::string note;                  // what was derived
};

/// From the columns model, params_b, layers, hidden, heads, kv_heads, head_dim, ffn, vocab,
/// experts, experts_active. Dimensions beside a known name replace its own where they differ.
/// A model that is not in the catalogue is added to `described` and stays there.
Result<CaseModel> case_model(const CaseRow& row, Names& names, std::deque<ModelSpec>& described);

}  // namespace drover::devices
