// Matrix products on the systolic arrays of TPUs.
#pragma once

#include "devices/catalogue/spec.h"
#include "devices/operation/matrix.h"

namespace drover::devices {

/// Seconds of the matrix units alone at an achievable rate. Monotonic in the size of the product.
double systolic_seconds(const DeviceSpec& device, double rate, const Product& product);

}  // namespace drover::devices
