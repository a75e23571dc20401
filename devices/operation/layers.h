// The matrix products of a transformer layer on one device of a tensor-parallel set.
#pragma once

#include <array>

#include "devices/catalogue/model.h"

namespace drover::devices {

/// The product (rows x inner) times (inner x columns); the rows are the tokens of the step.
struct MatrixShape {
  double inner = 0;
  double columns = 0;
};

/// The four products: query, key and value; attention output; gate and up; down.
std::array<MatrixShape, 4> layer_products(const ModelSpec& model, int devices);

/// Key and value heads on each device; at least one.
double kv_heads_each(const ModelSpec& model, int devices);

}  // namespace drover::devices
