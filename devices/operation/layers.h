// What a transformer layer multiplies, as one device of a tensor-parallel set sees it.
#pragma once

#include <array>

#include "devices/catalogue/model.h"

namespace drover::devices {

/// (rows x inner) times (inner x columns); the rows are the tokens of the step.
struct MatrixShape {
  double inner = 0;
  double columns = 0;
};

/// Query, key and value in one; attention output; gate and up in one; down.
std::array<MatrixShape, 4> layer_products(const ModelSpec& model, int devices);

/// Key and value heads that one device holds: at least one.
double kv_heads_each(const ModelSpec& model, int devices);

}  // namespace drover::devices
