// Compares predictions with measurements: the error classes with their goals, and the statistics of
// a set of comparisons. Pure, and independent of how predictions are made.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "devices/case/case.h"

namespace drover::commands {

/// How the error of a prediction is measured.
enum class DistanceKind {
  relative,  // of the measured value
  absolute,  // in the class's unit
};

/// The statistic that the goal of a class limits.
enum class GoalStatistic { mean, root_mean_square };

/// A class of measurements, most with a goal of their own.
struct ErrorClass {
  std::string_view id;     // "gemm", as in tables
  std::string_view title;  // for people
  DistanceKind distance = DistanceKind::relative;
  double goal = 0;                   // for measurements that were not fitted; 0: no goal
  std::string_view published_error;  // the best error that others have published or measured
  std::string_view unit{};           // of absolute distances
  GoalStatistic goal_statistic = GoalStatistic::mean;
};

/// The classes in the order of MeasureClass (commands/validate/measured.h), which is also that of
/// the report.
const std::vector<ErrorClass>& error_classes();
/// Null if no class has this id.
const ErrorClass* find_class(std::string_view id);

/// One measurement with its prediction.
struct Comparison {
  std::string class_id;
  std::string device;    // catalogue id
  std::string source;    // where the measurement was published
  std::string location;  // "kernel_timings.csv:812"
  std::string label;     // the case, for people
  std::string given;     // all inputs as one text: equal for repeated measurements of one case
  std::string unit;      // of both values
  devices::CaseRow row;  // the case; empty for a point of a log
  std::string answer;    // the column of the estimate; empty for logs and ratios of times
  std::string remark;    // of the measurement
  double measured = 0;
  double predicted = 0;
};

/// Signed: above zero if the prediction is too high.
double distance(const Comparison& comparison, DistanceKind kind);

struct Statistics {
  std::size_t rows = 0;
  double mean = 0;    // of |distance|
  double median = 0;  // of |distance|
  double p90 = 0;     // of |distance|
  double bias = 0;    // mean of the signed distance
  double root_mean_square = 0;
};

/// The statistics of signed distances; all zero if there are none.
Statistics statistics_of(const std::vector<double>& distances);

/// The statistic that the class's goal limits.
double goal_value(const ErrorClass& error_class, const Statistics& statistics);

/// The statistics of the comparisons that share a name.
struct Group {
  std::string class_id;
  std::string name;  // a device or a source; empty: the whole class
  Statistics statistics;
};

/// One group per class that has comparisons, in the order of the classes.
std::vector<Group> by_class(const std::vector<Comparison>& comparisons);
/// One group per class and device, or class and source, sorted by name within a class.
std::vector<Group> by_device(const std::vector<Comparison>& comparisons);
std::vector<Group> by_source(const std::vector<Comparison>& comparisons);

/// The comparisons with the largest errors in units of their class's goal, largest first, at most
/// `count`; comparisons with the same error keep their order.
std::vector<const Comparison*> worst_cases(const std::vector<Comparison>& comparisons,
                                           std::size_t count);

/// The same case measured more than once with different values: no model can match both.
struct Contradiction {
  const Comparison* low = nullptr;
  const Comparison* high = nullptr;
  std::size_t rows = 0;  // that share the case
  double ratio = 0;      // high over low
};

/// Cases whose highest measured value exceeds the lowest by more than 15 %, widest first.
std::vector<Contradiction> contradictions(const std::vector<Comparison>& comparisons);

}  // namespace drover::commands
