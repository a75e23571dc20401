// Published figures that stand in the program itself: the texts of commands/reference/*.csv as
// CMake wrote them into it, in order of file name.
//
//   points.csv      cases with the figure that was measured, each with its source: of each class,
//                   source and device of the measurements that the models were held against one
//                   row, or some evenly spaced ones; none was chosen by how well it is met. Of
//                   sources that allow no copies single figures.
//   *_step.csv      two boards that are loaded: mean watts before and after, and what their
//                   sensor showed at the beginning and at the end (yqg9651/cuda_test)
#pragma once

#include <string_view>
#include <vector>

namespace drover::commands {

struct ReferenceTable {
  std::string_view file;  // "points.csv"
  std::string_view text;
};
std::vector<ReferenceTable> reference_tables();

}  // namespace drover::commands
