// Predictions beside measurements: the classes with the errors to reach, and the statistics of a
// set of comparisons. Pure; nothing here knows how a prediction is made.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "devices/case/case.h"

namespace drover::commands {

/// How far a prediction is from its measurement.
enum class Distance {
  relative,  // of the measured value
  absolute,  // in the class's unit
};

/// Which statistic of a class its goal is about.
enum class Judged { mean, root_mean_square };

/// A class of measurements, most with a goal of their own.
struct ErrorClass {
  std::string_view id;     // "gemm", what conversions write
  std::string_view title;  // what people read
  Distance distance = Distance::relative;
  double goal = 0;             // to reach on measurements that were not fitted; 0: none is set
  std::string_view elsewhere;  // the best error published or measured by others
  std::string_view unit{};     // of absolute distances
  Judged judged = Judged::mean;
};

/// In the order in which they are shown, which is that of MeasureClass
/// (commands/validate/measured.h).
const std::vector<ErrorClass>& error_classes();
/// Null where no class has that id.
const ErrorClass* find_class(std::string_view id);

/// One prediction beside its measurement.
struct Comparison {
  std::string class_id;
  std::string device;    // catalogue id
  std::string source;    // where the measurement was published
  std::string place;     // "kernel_timings.csv:812"
  std::string label;     // what ran, for people
  std::string given;     // all inputs as one text: equal for repeated measurements of one case
  std::string unit;      // of both values
  devices::CaseRow row;  // what was asked; empty for a moment of a log
  std::string answer;    // the column of the estimate; empty for logs and ratios of times
  std::string remark;    // of the measurement
  double measured = 0;
  double predicted = 0;
};

/// Signed: above zero where the prediction is too high.
double distance(const Comparison& comparison, Distance kind);

struct Statistics {
  std::size_t rows = 0;
  double mean = 0;       // of |distance|
  double median = 0;     // of |distance|
  double ninetieth = 0;  // percentile of |distance|
  double bias = 0;       // mean of the signed distance
  double root_mean_square = 0;
};

/// Of signed distances; empty: all zero.
Statistics statistics_of(const std::vector<double>& distances);

/// The statistic that the class's goal is about.
double judged(const ErrorClass& error_class, const Statistics& statistics);

/// The statistics of the comparisons that share a name.
struct Group {
  std::string class_id;
  std::string name;  // a device, a source, or empty: all of the class
  Statistics statistics;
};

/// One group per class that has comparisons, in the classes' order.
std::vector<Group> by_class(const std::vector<Comparison>& comparisons);
/// One group per class and device, or class and source; names in order within their class.
std::vector<Group> by_device(const std::vector<Comparison>& comparisons);
std::vector<Group> by_source(const std::vector<Comparison>& comparisons);

/// The comparisons farthest from their measurement in units of their class's goal, farthest first,
/// at most `count`; comparisons of the same distance keep their order.
std::vector<const Comparison*> worst_cases(const std::vector<Comparison>& comparisons,
                                           std::size_t count);

/// The same case measured more than once with values that differ: no model can meet both.
struct Contradiction {
  const Comparison* low = nullptr;
  const Comparison* high = nullptr;
  std::size_t rows = 0;  // that share the case
  double ratio = 0;      // high over low
};

/// Cases whose highest measured value exceeds their lowest by more than `share`, widest first.
std::vector<Contradiction> contradictions(const std::vector<Comparison>& comparisons,
                                          double share = 0.15);

}  // namespace drover::commands
