#include "agents/drivers/tpu_metrics.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "agents/drivers/tpu_metrics.pb.h"
#include "fleet/base/text.h"

namespace drover::agents {
namespace {

namespace service = tpu::monitoring::runtime;

constexpr const char* method = "/tpu.monitoring.runtime.RuntimeMetricService/GetRuntimeMetric";
constexpr std::uint16_t default_port = 8431;
constexpr std::size_t ports_max = 64;  // a process for each chip of a host
constexpr int values_max = 4096;       // a slice's devices, if libtpu reports all

struct MetricName {
  const char* name;
  std::vector<TpuValue> TpuMetrics::*values;
};
constexpr std::array<MetricName, 3> metric_names{{
    {"tpu.runtime.tensorcore.dutycycle.percent", &TpuMetrics::duty_percent},
    {"tpu.runtime.hbm.memory.usage.bytes", &TpuMetrics::memory_used_bytes},
    {"tpu.runtime.hbm.memory.total.bytes", &TpuMetrics::memory_total_bytes},
}};

void sort_by_device(std::vector<TpuValue>& values) {
  std::stable_sort(values.begin(), values.end(),
                   [](auto& a, auto& b) { return a.device < b.device; });
}

Status add_metrics_of(const GrpcServer& server, const GrpcLimits& limits, TpuMetrics& metrics) {
  std::vector<std::string> requests;
  for (const MetricName& each : metric_names) requests.push_back(tpu_metric_request(each.name));
  DROVER_ASSIGN(const auto answers, grpc_calls(server, method, requests, limits));
  std::size_t refused = 0;
  for (std::size_t index = 0; index < answers.size(); ++index) {
    if (!answers[index]) {
      if (++refused == answers.size()) return answers[index].error();
      continue;
    }
    DROVER_ASSIGN(const auto values, parse_tpu_metric_response(*answers[index]));
    auto& all = metrics.*metric_names[index].values;
    all.insert(all.end(), values.begin(), values.end());
  }
  return {};
}

}  // namespace

std::string tpu_metric_request(const std::string& name) {
  service::MetricRequest request;
  request.set_metric_name(name);
  return request.SerializeAsString();
}

Result<std::vector<TpuValue>> parse_tpu_metric_response(std::string_view bytes) {
  service::MetricResponse response;
  if (!response.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return error(ErrorKind::io, "libtpu's answer is no MetricResponse");
  }
  std::vector<TpuValue> values;
  if (response.metric().metrics_size() > values_max) {
    return error(ErrorKind::io, "libtpu's answer has {} values; at most {} are read",
                 response.metric().metrics_size(), values_max);
  }
  for (const service::Metric& metric : response.metric().metrics()) {
    const service::Gauge& gauge = metric.gauge();
    const std::int64_t device = metric.attribute().value().int_attr();
    if (gauge.value_case() == service::Gauge::kAsDouble && std::isfinite(gauge.as_double())) {
      values.push_back({device, gauge.as_double()});
    } else if (gauge.value_case() == service::Gauge::kAsInt) {
      values.push_back({device, static_cast<double>(gauge.as_int())});
    }
  }
  sort_by_device(values);
  return values;
}

Result<TpuMetrics> read_tpu_metrics(const std::string& address,
                                    const std::vector<std::uint16_t>& ports,
                                    const GrpcLimits& limits) {
  TpuMetrics metrics;
  std::optional<Error> failed;
  bool some_answered = false;
  for (const std::uint16_t port : ports) {
    const Status added = add_metrics_of({address, port}, limits, metrics);
    some_answered = some_answered || added.ok();
    // That nobody listens at one port says nothing if another one fails in another way.
    if (!added && (!failed || failed->kind == ErrorKind::not_found)) failed = added.error();
  }
  if (!some_answered && failed) return *failed;
  for (const MetricName& each : metric_names) sort_by_device(metrics.*each.values);
  return metrics;
}

std::vector<std::uint16_t> tpu_metric_ports(const char* list) {
  std::vector<std::uint16_t> ports;
  for (const std::string& word : split(list == nullptr ? "" : list, ',')) {
    std::uint16_t port = 0;
    const std::string_view text = trimmed(word);
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), port);
    const bool is_port = code == std::errc() && end == text.data() + text.size() && port != 0;
    if (is_port && ports.size() < ports_max) ports.push_back(port);
  }
  if (ports.empty()) ports.push_back(default_port);
  return ports;
}

}  // namespace drover::agents
