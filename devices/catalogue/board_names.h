// Real boards in the catalogue, by the names that drivers and exporters give them.
#pragma once

#include <optional>
#include <string_view>

namespace drover::devices {

/// The id of the device with this name: "NVIDIA H100 80GB HBM3" is "h100-sxm". Unlike
/// SpecNameResolver, which guesses what a person means, this finds nothing unless the name is
/// certain: a board of another size or form has other limits. `memory_bytes`, where it is known,
/// decides between boards that share a name.
std::optional<std::string_view> catalogue_id_of(std::string_view name,
                                                std::optional<double> memory_bytes = std::nullopt);

}  // namespace drover::devices
