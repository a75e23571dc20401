// A device spec from files that are parsed already: those of generations are read many times.
#pragma once

#include <optional>

#include "devices/spec.h"
#include "fleet/toml.h"

namespace drover::devices {

/// As `parse_device_spec`. A problem of the generation's file is not reported: it was checked.
Result<DeviceSpec> read_device_spec(const toml_file::Table& device,
                                    const std::optional<toml_file::Table>& generation);

}  // namespace drover::devices
