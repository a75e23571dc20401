// What the model knows about why a device is slow, and about why a metric of it is not known.
#pragma once

#include <string>
#include <vector>

#include "fleet/diagnosis/diagnosis.h"
#include "tui/model/model.h"

namespace drover::tui {

/// What is known now. `jobs`: those on it. REQUIRES that the device's samples are not too old.
DeviceEvidence evidence_about(const Model& model, Instant now, DeviceTable::Row row,
                              const std::vector<const JobRow*>& jobs);

/// Empty also if its samples are too old.
std::vector<LikelyCause> likely_causes_of(const Model& model, Instant now, DeviceTable::Row row,
                                          const std::vector<const JobRow*>& jobs);
std::vector<LikelyCause> likely_causes_of(const Model& model, Instant now, DeviceTable::Row row);

/// Why there is no value: as its agent or page says, or where the device is emulated. REQUIRES that
/// its reading is NaN.
std::string why_missing(const Model& model, DeviceTable::Row row, Metric metric);

/// The metrics on which causes rest that such a device may have and this one does not report.
std::vector<Metric> unknown_evidence(const Model& model, DeviceTable::Row row);

}  // namespace drover::tui
