// Where the pages of a router or an agent go: to clients that ask, and to a server that they are
// pushed to.
#pragma once

#include <memory>
#include <string>

#include "commands/metrics/live_pages.h"
#include "commands/metrics/page_server.h"
#include "commands/metrics/remote_write.h"
#include "commands/metrics/server_options.h"
#include "fleet/base/result.h"

namespace drover::commands {

class PageOutputs {
 public:
  /// `program`: for messages on standard error: "drover router". `labels`: of samples that are
  /// pushed. The pages must outlive this.
  static Result<std::unique_ptr<PageOutputs>> open(const MetricsOptions& options, LivePages& pages,
                                                   const std::string& program, AddedLabels labels);

  /// Where they are served; empty: they are not.
  std::string url() const { return server_ ? server_->url() : ""; }

 private:
  std::unique_ptr<PageServer> server_;    // null without --metrics
  std::unique_ptr<RemoteWriter> writer_;  // null without --remote-write
};

}  // namespace drover::commands
