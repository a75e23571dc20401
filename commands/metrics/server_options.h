// Where `/metrics` is served and to whom, from the options of `drover router`, `agent` and
// `export`.
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

inline constexpr const char* metrics_help =
    "serve /metrics for Prometheus at HOST:PORT; beyond loopback only with --metrics-tls or "
    "--metrics-auth (docs/metrics.md)";
/// `--NAME ADDRESS`, `--metrics-tls`, `--metrics-auth` and `--metrics-labels`.
std::vector<Option> server_options(const std::string& name, const std::string& help);

/// Reads the options; no value without `--NAME`. Beyond loopback one of TLS and passwords is
/// required.
std::optional<ServerOptions> read_server_options(Arguments& arguments, const std::string& name);

/// `--metrics-labels`.
GpuLabelNames read_gpu_labels(Arguments& arguments);

}  // namespace drover::commands
