// Rows of the devices' columns.
#pragma once

#include <cstddef>

#include "router/roster/roster.h"

namespace drover::router {

/// So many rows in all; what is new is unknown or zero.
void grow(DeviceColumns& columns, std::size_t size);
/// Everything of these rows is unknown or zero again.
void clear(DeviceColumns& columns, DeviceIndex first, std::size_t count);

}  // namespace drover::router
