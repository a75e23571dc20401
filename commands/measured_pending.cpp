// Tables that nobody reads yet: their rows are left out with these words. Each stands aside for the
// file that reads the table.
#include "commands/measured.h"

namespace drover::commands {

[[maybe_unused]] static MeasuredTable unread(const CsvTable& table) {
  MeasuredTable answer;
  for (const CsvRow& row : table.rows) answer.skipped.push_back({row.line, "not read yet"});
  return answer;
}

#if !__has_include("commands/measured_kernels.cpp")
MeasuredTable measured_kernels(const CsvTable& table) { return unread(table); }
#endif
#if !__has_include("commands/measured_training.cpp")
MeasuredTable measured_training(const CsvTable& table) { return unread(table); }
#endif
#if !__has_include("commands/measured_classic.cpp")
MeasuredTable measured_classic_training(const CsvTable& table) { return unread(table); }
MeasuredTable measured_classic_inference(const CsvTable& table) { return unread(table); }
#endif
#if !__has_include("commands/measured_serving.cpp")
MeasuredTable measured_serving(const CsvTable& table) { return unread(table); }
MeasuredTable measured_serving_energy(const CsvTable& table) { return unread(table); }
#endif
#if !__has_include("commands/measured_power.cpp")
MeasuredTable measured_power(const CsvTable& table) { return unread(table); }
#endif
#if !__has_include("commands/measured_capping.cpp")
MeasuredTable measured_capping(const CsvTable& table) { return unread(table); }
#endif

}  // namespace drover::commands
