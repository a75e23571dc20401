#include "tests/fleet/trace/read_trace.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "fleet/base/text.h"

namespace drover {

TraceReaderOptions reading_of(TraceFormat format, std::string file, std::string model) {
  TraceReaderOptions reading;
  reading.format = format;
  reading.file = std::move(file);
  reading.model = std::move(model);
  reading.find_model = [](std::string_view name) -> Result<std::string> {
    static const std::map<std::string_view, std::string_view> known = {
        {"bert-large", "bert-large"},
        {"resnet-50", "resnet-50"},
        {"ResNet50", "resnet-50"},
        {"resnet-18-cifar", "resnet-18-cifar"},
        {"lstm-lm", "lstm-lm"},
        {"autoencoder-ml20m", "autoencoder-ml20m"},
        {"pythia-70m", "pythia-70m"},
        {"retinanet", "retinanet"},
        {"shufflenet-v2-cifar", "shufflenet-v2-cifar"}};
    const auto found = known.find(name);
    if (found != known.end()) return std::string(found->second);
    return error("unknown model \"{}\"", excerpt(name));
  };
  return reading;
}

ReadTrace read_lines(TraceReaderOptions reading, const std::vector<std::string>& lines,
                     std::uint64_t seed) {
  ReadTrace read;
  TraceReader reader(std::move(reading), RandomStream(seed));
  for (const std::string& line : lines) {
    auto row = reader.read_line(line);
    if (!row) {
      read.problems.push_back(row.error().message);
    } else if (*row) {
      read.jobs.push_back(std::move(**row));
    }
    for (std::string& remark : reader.take_remarks()) read.remarks.push_back(std::move(remark));
  }
  if (const Status whole = reader.finish(); !whole) read.problems.push_back(whole.error().message);
  return read;
}

std::optional<std::string> shared_trace(const std::string& name, std::string& why) {
  const char* shared = std::getenv("DROVER_SHARED");
  if (shared == nullptr) {
    why = "DROVER_SHARED does not name the folder of shared data";
    return std::nullopt;
  }
  const std::string path = std::string(shared) + "/traces/" + name;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    why = path + " is not there";
    return std::nullopt;
  }
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace drover
