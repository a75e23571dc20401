// Numbers in filters, with the units of their field.
#pragma once

#include <string_view>

#include "fleet/base/result.h"
#include "fleet/filter/fields.h"

namespace drover::filter {

/// Parses a value into the field's unit, which is also the unit of a bare number. A share is
/// written 80% or 0.8; a bare number above 1 is percent. The error names the field, what was found
/// and what was expected. REQUIRES the field is not text.
Result<double> parse_value(std::string_view text, const FieldFacts& field);

}  // namespace drover::filter
