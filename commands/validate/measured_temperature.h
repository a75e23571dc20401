// Logs of boards under load, each held against the temperatures that the heat model gives for the
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

/// One course of one sensor: what a row of the report is about.
struct TemperatureCourse {
  std::string device;  // catalogue id
  std::string window;  // workload of the log; empty: the log has one
  std::string sensor;  // "die" or "memory"
  double inlet_c = 0;
  bool inlet_known = false;  // else it was taken from the coolest moment of the log
  std::size_t rows = 0;      // of the log
  double rms_c = 0;          // of modelled minus measured, over all rows
  double bias_c = 0;
  std::vector<TemperaturePoint> points;  // about one a second
};

/// The courses of a table whose file name tells the board and that has the columns t_s, temp_gpu_c
/// and power_avg_w or power_instant_w; none of other tables. A cell that is no number is a problem
/// that names its line.
Result<std::vector<TemperatureCourse>> temperature_courses(const CsvTable& table,
                                                           const devices::Catalogue& catalogue);

}  // namespace drover::commands
