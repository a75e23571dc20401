// What all answers of a Prometheus server to queries have in common.
#pragma once

#include <string_view>

#include "fleet/base/result.h"
#include "fleet/text/json.h"

namespace drover::agents {

/// The data of an answer. The error says why the server refused the query, or that the text is no
/// answer.
Result<Json> prometheus_data(std::string_view json);

/// The value of `[1764300000.1,"61"]`, which is a text, for NaN and infinities; NaN if it is none.
double prometheus_value(const Json& sample);

}  // namespace drover::agents
