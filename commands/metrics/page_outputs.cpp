#include "commands/metrics/page_outputs.h"

#include <utility>

#include "commands/shell/output.h"

namespace drover::commands {

Result<std::unique_ptr<PageOutputs>> PageOutputs::open(const MetricsOptions& options,
                                                       LivePages& pages, const std::string& program,
                                                       AddedLabels labels) {
  auto outputs = std::make_unique<PageOutputs>();
  if (options.server) {
    DROVER_ASSIGN(outputs->server_, PageServer::open(*options.server, pages));
  }
  if (!options.remote_write.empty()) {
    const auto report = [program](const std::string& text) {
      write_stderr("{}: {}\n", program, text);
    };
    DROVER_ASSIGN(outputs->writer_,
                  RemoteWriter::open(options.remote_write, pages, std::move(labels), report));
  }
  return outputs;
}

}  // namespace drover::commands
