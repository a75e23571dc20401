// Names in the order in which people count: h2 before h10.
#pragma once

#include <string_view>

namespace drover {

/// Runs of digits compare as numbers, all else by bytes; of equal numbers the shorter one is first.
/// A strict total order: only equal texts are neither before the other.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace drover
