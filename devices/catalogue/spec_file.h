// A device spec from files that are parsed already: those of generations are read many times.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "devices/catalogue/spec.h"
#include "fleet/text/toml.h"

namespace drover::devices {

/// As files write them, in the order of Torus.
inline constexpr std::array<std::string_view, 3> torus_names{"", "2d", "3d"};

/// As `parse_device_spec`, with the files of its generation and of every generation. A problem of
/// those is not reported: they were checked.
Result<DeviceSpec> read_device_spec(const toml_file::Table& device,
                                    const std::optional<toml_file::Table>& generation,
                                    const std::optional<toml_file::Table>& every = {});

}  // namespace drover::devices
