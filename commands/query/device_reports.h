// Prints reports of devices as they arrive, one line for each: text, or with JSON one object.
#pragma once

#include <vector>

#include "commands/query/table_output.h"
#include "fleet/filter/filter.h"
#include "tui/model/model.h"

namespace drover::commands {

class DeviceReports {
 public:
  /// Prints only devices that match the filter.
  DeviceReports(bool json, filter::Filter filter, bool colour = false);

  /// The devices of a batch that the model has just taken. `at`: the time of the batch.
  void print(const tui::Model& model, Instant now, Instant at, const SampleBatch& batch);

 private:
  bool json_;
  filter::Filter filter_;
  std::vector<Heading> headings_;
  TableStyle style_;  // no line is wrapped: the columns have fixed widths
  bool headed_ = false;
};

}  // namespace drover::commands
