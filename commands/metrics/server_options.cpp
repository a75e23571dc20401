#include "commands/metrics/server_options.h"

#include <arpa/inet.h>
#include <sys/stat.h>

#include <utility>

#include "commands/metrics/user_hashes.h"
#include "commands/shell/files.h"
#include "commands/shell/url.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::commands {

namespace {

constexpr std::size_t users_bytes_max = 64U << 10;

struct Address {
  std::string host;
  std::uint16_t port = 0;
};

/// "127.0.0.1:9400", "[::1]:9400", "gpu-7:9400".
Result<Address> parse_address(const std::string& text, const std::string& place) {
  const auto wrong = [&] {
    return error("{}: found '{}', expected HOST:PORT, such as 127.0.0.1:9400", place,
                 excerpt(text));
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return wrong();
  std::string host = text.substr(0, colon);
  if (host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  else if (host.find(':') != std::string::npos)
    return wrong();
  const auto port = parse_integer(text.substr(colon + 1), place);
  if (host.empty() || !port || *port < 0 || *port > 65'535) return wrong();
  return Address{host, static_cast<std::uint16_t>(*port)};
}

bool is_loopback(const std::string& host) {
  in_addr four{};
  if (inet_pton(AF_INET, host.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24U == 127;
  in6_addr six{};
  if (inet_pton(AF_INET6, host.c_str(), &six) == 1) return IN6_IS_ADDR_LOOPBACK(&six);
  return host == "localhost";
}

/// A file of hashes is for its owner alone.
Result<std::map<std::string, std::string>> read_users(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0 && (found.st_mode & 077U) != 0) {
    return error("--metrics-auth {}: others can read or write it: chmod 600 {}", printable(path),
                 printable(path));
  }
  auto text = read_file(path, users_bytes_max);
  if (!text) return error("--metrics-auth {}", text.error().message);
  return parse_users(*text, "--metrics-auth " + printable(path));
}

Status read_access(const Arguments& arguments, const std::string& name, ServerOptions& options) {
  DROVER_ASSIGN(const auto address, parse_address(arguments.text(name), "--" + name));
  options.host = address.host;
  options.port = address.port;
  if (arguments.has("metrics-tls")) {
    const auto files = split(arguments.text("metrics-tls"), ',');
    if (files.size() != 2 || files[0].empty() || files[1].empty()) {
      return error("--metrics-tls: found '{}', expected CERTIFICATE,KEY: two PEM files",
                   excerpt(arguments.text("metrics-tls")));
    }
    options.certificate = files[0];
    options.key = files[1];
  }
  if (arguments.has("metrics-auth")) {
    DROVER_ASSIGN(options.users, read_users(arguments.text("metrics-auth")));
  }
  if (is_loopback(options.host) || !options.certificate.empty() || !options.users.empty()) {
    return {};
  }
  return error(
      "--{} {}: is not loopback: anyone who can reach it could read the fleet's state; use "
      "--metrics-tls CERTIFICATE,KEY or --metrics-auth FILE",
      name, printable(arguments.text(name)));
}

}  // namespace

std::vector<Option> server_options(const std::string& name, const std::string& help) {
  return {
      {name, "ADDRESS", help},
      {"metrics-tls", "CERT,KEY", "serve metrics over TLS with this certificate and key (PEM)"},
      {"metrics-auth", "FILE",
       "serve metrics to the users in FILE only: lines USER:HASH, as `htpasswd -nB USER` writes "
       "them"},
      {"metrics-labels", "STYLE",
       "labels of GPUs: snake-case (hostname, model_name; default, which promtool accepts), dcgm "
       "(Hostname, modelName) or dcgm-hostname (hostname, modelName, as newer dcgm-exporters)"}};
}

std::optional<ServerOptions> read_server_options(Arguments& arguments, const std::string& name) {
  if (!arguments.has(name)) {
    for (const char* other : {"metrics-tls", "metrics-auth"}) {
      if (arguments.has(other)) {
        arguments.add_problem(error("--{} works only with --{}", other, name));
      }
    }
    return std::nullopt;
  }
  ServerOptions options;
  if (const Status read = read_access(arguments, name, options); !read) {
    arguments.add_problem(read.error());
  }
  return options;
}

GpuLabelNames read_gpu_labels(Arguments& arguments) {
  std::vector<std::string> styles;
  for (const GpuLabelNames& names : gpu_label_names) styles.emplace_back(names.style);
  const std::string style = arguments.one_of("metrics-labels", styles, styles.front());
  for (const GpuLabelNames& names : gpu_label_names) {
    if (names.style == style) return names;
  }
  return gpu_label_names[0];
}

std::vector<Option> metrics_options() {
  std::vector<Option> options = server_options(
      "metrics",
      "serve /metrics for Prometheus at HOST:PORT; beyond loopback only with --metrics-tls or "
      "--metrics-auth (docs/metrics.md)");
  options.push_back(
      {"remote-write", "URL",
       "push the metrics every 5 s to Prometheus or VictoriaMetrics (docs/metrics.md)"});
  return options;
}

MetricsOptions read_metrics_options(Arguments& arguments) {
  MetricsOptions options;
  options.server = read_server_options(arguments, "metrics");
  options.gpu_labels = read_gpu_labels(arguments);
  options.remote_write = arguments.text("remote-write");
  if (arguments.has("remote-write")) {
    const auto url = parse_url(options.remote_write, "--remote-write");
    if (!url) arguments.add_problem(url.error());
  }
  if (arguments.has("metrics-labels") && !options.any()) {
    arguments.add_problem(error("--metrics-labels works only with --metrics or --remote-write"));
  }
  return options;
}

}  // namespace drover::commands
