// The texts of devices/specs/*.toml, embedded by CMake, sorted by file name.
#pragma once

#include <string_view>
#include <vector>

namespace drover::devices {

struct EmbeddedSpec {
  std::string_view file;  // "h100-sxm.toml"
  std::string_view text;
};
std::vector<EmbeddedSpec> embedded_specs();

}  // namespace drover::devices
