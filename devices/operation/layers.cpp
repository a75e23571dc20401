#include "devices/operation/layers.h"

#include <algorithm>

namespace drover::devices {

double kv_heads_each(const ModelSpec& model, int devices) {
  return std::max(1.0, static_cast<double>(model.kv_heads) / devices);
}

std::array<MatrixShape, 4> layer_products(const ModelSpec& model, int devices) {
  const double hidden = model.hidden;
  const double head = model.head_size;
  const double heads_each = static_cast<double>(model.heads) / devices;
  const double feed_forward_each = static_cast<double>(model.feed_forward) / devices;
  return {{
      {hidden, (heads_each + 2 * kv_heads_each(model, devices)) * head},
      {heads_each * head, hidden},
      {hidden, (model.gated ? 2 : 1) * feed_forward_each},
      {feed_forward_each, hidden},
  }};
}

}  // namespace drover::devices
