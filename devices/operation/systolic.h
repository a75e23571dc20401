// Matrix products on the systolic arrays of TPUs.
#pragma once

#include "devices/catalogue/spec.h"
#include "devices/operation/matrix.h"

namespace drover::devices {

/// Seconds of the matrix units alone at an achievable rate; never fewer for a larger product.
double systolic_seconds(const DeviceSpec& device, double rate, const Product& product);

/// Seconds of matrix units and traffic together.
double systolic_overlap(double matrix_s, double memory_s);

}  // namespace drover::devices
