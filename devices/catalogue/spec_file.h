// Reads a device spec from parsed files, because those of generations are used many times.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "devices/catalogue/spec.h"
#include "fleet/text/toml.h"

namespace drover::devices {

/// The names in files, in the order of Torus.
inline constexpr std::array<std::string_view, 3> torus_names{"", "2d", "3d"};

/// Reads a spec with the files of its generation and of every generation, which have the defaults.
/// Missing keys, unknown keys and impossible values of `device` are errors that name place and key.
/// Problems in the other two are not reported: they were checked when they were added.
Result<DeviceSpec> read_device_spec(const toml_file::Table& device,
                                    const std::optional<toml_file::Table>& generation,
                                    const std::optional<toml_file::Table>& every = {});

}  // namespace drover::devices
