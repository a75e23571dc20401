// Values as filters write them: numbers with the units of their field.
#pragma once

#include <string_view>

#include "fleet/base/result.h"
#include "fleet/filter/filter_fields.h"

namespace drover::filter {

/// In the field's own unit, which a number without a unit is in. A share is written 80% or 0.8; a
/// number above 1 without a sign is percent. The problem names the field, what was found and what
/// was expected. REQUIRES the field is not text.
Result<double> parse_value(std::string_view text, const FieldFacts& field);

}  // namespace drover::filter
