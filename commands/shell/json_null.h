// Missing values in the JSON that commands print are null, never 0 and never "".
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "fleet/text/json.h"

namespace drover::commands {

inline Json when(bool known, Json value) { return known ? std::move(value) : Json(); }
inline Json text_or_null(std::string_view text) { return when(!text.empty(), text); }

/// A count or a number of bytes that is stored as a double: 85899345920, not 85899345920.0.
inline Json whole(double value) {
  if (!(std::fabs(value) < 0x1p63)) return {};
  return static_cast<std::int64_t>(std::round(value));
}

/// Enough digits for every value, and few enough to hide binary rounding.
inline std::string digits_text(double value) { return fmt::format("{:.15g}", value); }

/// The number with these digits; null for NaN.
inline Json number_or_null(double value) {
  const auto parsed = Json::parse(digits_text(value));
  return parsed ? *parsed : Json();
}

}  // namespace drover::commands
