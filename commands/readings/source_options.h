// The options that say which real devices are read.
#pragma once

#include <string>
#include <vector>

#include "commands/readings/page_fetcher.h"
#include "commands/shell/options.h"

namespace drover::commands {

struct SourceOptions {
  bool real = false;              // this machine's devices
  std::vector<PageTarget> pages;  // of --scrape and --prometheus
  std::vector<std::string> ssh_hosts;
  std::vector<std::string> ssh_options;  // that ssh gets before all others
  Duration every{};                      // between readings
  bool any() const { return real || elsewhere(); }
  /// Not only this machine.
  bool elsewhere() const { return !pages.empty() || !ssh_hosts.empty(); }
};

/// `--real`, `--scrape`, `--prometheus`, `--query`, `--every`.
std::vector<Option> source_options();
/// `--ssh`, `--ssh-option`.
std::vector<Option> ssh_source_options();
/// Adds a problem for options that do not go together. The default of --every is 1 s with --real
/// alone, and 5 s with pages. `real_alone`: without pages and other
/// hosts, this machine is read without --real.
SourceOptions read_source_options(Arguments& arguments, bool real_alone = false);

/// "http://n1:9400/metrics and 3 more".
std::string sources_text(const SourceOptions& options);

}  // namespace drover::commands
