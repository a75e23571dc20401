// Measurements answered by the device models.
#pragma once

#include "commands/validate/measured.h"
#include "commands/validate/validate_tables.h"
#include "commands/validate/validation_report.h"
#include "devices/catalogue/catalogue.h"
#include "devices/estimate/estimate.h"

namespace drover::commands {

/// The figure under a column of the estimate, in its unit; nothing where it does not apply.
std::optional<double> answer_of(const devices::Estimate& estimate, std::string_view column);

/// "train llama-2-7b, 8 x a100-sxm-80gb, seq_len 4096, ..", for people.
std::string case_text(const devices::CaseRow& row);

/// The name of a column of the estimate that is a figure; nothing where there is none of that name.
std::optional<std::string_view> figure_column(std::string_view name);
/// Whether more is faster. REQUIRES figure_column(name).
bool grows_with_speed(std::string_view figure_column);

/// Of a capped measurement: its rate as a share of that without the cap.
double capped_share(const Measurement& measurement);

/// Predicts every measurement; what cannot be predicted is left out with its reason.
ValidationReport validate(const MeasuredRows& rows, const devices::Catalogue& catalogue);

}  // namespace drover::commands
