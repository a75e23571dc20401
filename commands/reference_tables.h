// Published figures that stand in the program itself: the texts of commands/reference/*.csv as
// CMake wrote them into it, in order of file name.
//
//   points.csv      cases with the figure that was measured, each with its source. Of every class,
//                   source and device of the measurements that the models were held against: one
//                   row, or some evenly spaced ones; none was chosen by how well it is met. Of
//                   sources without a licence single figures.
//   *_step.csv      boards that are loaded and let go: mean watts of each stretch and the
//                   temperatures at its beginning (yqg9651/cuda_test)
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
