// Missing values in the JSON that commands print are null, never 0 and never "".
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include "fleet/text/json.h"

namespace drover::commands {

inline Json when(bool known, Json value) { return known ? std::move(value) : Json(); }
inline Json text_or_null(std::string_view text) { return when(!text.empty(), text); }

/// A count or a number of bytes that is stored as a double: 85899345920, not 85899345920.0.
inline Json whole(double value) {
  if (!(std::fabs(value) < 0x1p63)) return {};
  return static_cast<std::int64_t>(std::round(value));
}

}  // namespace drover::commands
