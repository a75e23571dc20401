// Predicts measurements with the device models.
#pragma once

#include "commands/validate/measured.h"
#include "commands/validate/validate_tables.h"
#include "commands/validate/validation_report.h"
#include "devices/catalogue/catalogue.h"

namespace drover::commands {

/// The column of the estimate with this name that is a figure; no value if there is none.
std::optional<std::string_view> figure_column(std::string_view name);
/// Whether a higher figure means faster. REQUIRES figure_column(name).
bool grows_with_speed(std::string_view figure_column);

/// The rate of a capped measurement as a share of the rate without the cap.
double capped_share(const Measurement& measurement);

/// Predicts every measurement. Those that cannot be predicted are left out with the reason.
ValidationReport validate(const MeasuredRows& rows, const devices::Catalogue& catalogue);

}  // namespace drover::commands
