// Where `/metrics` is served and to whom, and where it is pushed, from the options of `drover
// router`, `agent` and `export`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "commands/metrics/page/device_families.h"
#include "commands/shell/options.h"
#include "fleet/base/result.h"

namespace drover::commands {

struct ServerOptions {
  std::string host;
  std::uint16_t port = 0;   // 0: a free one
  std::string certificate;  // file; empty: no TLS
  std::string key;          // file
  std::map<std::string, std::string>
      users;  // with the hashes of their passwords; empty: all may read
};

/// `--NAME ADDRESS`, `--metrics-tls`, `--metrics-auth` and `--metrics-labels`.
std::vector<Option> server_options(const std::string& name, const std::string& help);

/// Reads the options; no value without `--NAME`. Beyond loopback one of TLS and passwords is
/// required.
std::optional<ServerOptions> read_server_options(Arguments& arguments, const std::string& name);

/// `--metrics-labels`.
GpuLabelNames read_gpu_labels(Arguments& arguments);

/// What a router or an agent does with its pages.
struct MetricsOptions {
  std::optional<ServerOptions> server;  // none: they are not served
  std::string remote_write;             // URL; empty: they are not pushed
  GpuLabelNames gpu_labels = gpu_label_names[0];
  bool any() const { return server || !remote_write.empty(); }
};

/// `--metrics` with what belongs to it, and `--remote-write`.
std::vector<Option> metrics_options();
MetricsOptions read_metrics_options(Arguments& arguments);

}  // namespace drover::commands
