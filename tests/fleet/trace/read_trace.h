// What the specifications of traces share: reading lines, and the real files.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/trace/trace.h"

namespace drover {

/// `bert-large` and `resnet-50` are models, `ResNet50` is the latter's other name.
TraceReaderOptions reading_of(TraceFormat format, std::string file, std::string model = "");

struct ReadTrace {
  std::vector<TraceJob> jobs;
  std::vector<std::string> problems;
  std::vector<std::string> remarks;
};

ReadTrace read_lines(TraceReaderOptions reading, const std::vector<std::string>& lines,
                     std::uint64_t seed = 1);

/// The lines of a file of the shared traces; nothing, and the reason, when it is not there.
std::optional<std::string> shared_trace(const std::string& name, std::string& why);
std::vector<std::string> lines_of(const std::string& text);

}  // namespace drover

/// The text of a real file, as `text`, or the test ends here with the reason.
#define DROVER_SHARED_TRACE(name)                          \
  std::string absent;                                      \
  const auto found = ::drover::shared_trace(name, absent); \
  if (!found) GTEST_SKIP() << absent;                      \
  const std::string& text = *found
