// Natural order of names: h2 before h10.
#pragma once

#include <string_view>

namespace drover {

/// Runs of digits compare as numbers, everything else by bytes. Of equal numbers the one with fewer
/// digits is first. A strict total order.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace drover
