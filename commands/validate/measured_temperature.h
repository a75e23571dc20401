// Compares logs of boards under load with the temperatures that the thermal model predicts for the
// logged power.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "devices/catalogue/catalogue.h"
#include "fleet/base/result.h"
#include "fleet/text/csv.h"

namespace drover::commands {

struct TemperaturePoint {
  std::size_t line = 0;  // of the log
  double t_s = 0;
  double measured_c = 0;
  double modelled_c = 0;
};

/// The temperatures of one sensor over time.
struct TemperatureTrace {
  std::string device;  // catalogue id
  std::string window;  // workload of the log; empty: the log has only one
  std::string sensor;  // "die" or "memory"
  double inlet_c = 0;
  bool inlet_known = false;  // else derived from the coolest moment of the log
  std::size_t rows = 0;      // of the log
  double rms_c = 0;          // of modelled - measured, over all rows
  double bias_c = 0;
  std::vector<TemperaturePoint> points;  // about one per second
};

/// The courses of a table whose file name identifies the board and that has the columns t_s,
/// temp_gpu_c and power_avg_w or power_instant_w; empty for other tables. The error for a cell that
/// is not a number names its line.
Result<std::vector<TemperatureTrace>> temperature_courses(const CsvTable& table,
                                                          const devices::Catalogue& catalogue);

}  // namespace drover::commands
