// What libtpu tells about the chips that its program uses: libtpu serves metrics by gRPC from
// within each process that runs on a TPU, and from nowhere else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/drivers/grpc_call.h"

namespace drover::agents {

/// A value of one device, as libtpu numbers them: a chip, or one of a chip's two cores.
struct TpuValue {
  std::int64_t device = 0;
  double value = 0;
  bool operator==(const TpuValue&) const = default;
};

/// The message that asks for a metric, and the values in the answer, by device.
std::string tpu_metric_request(const std::string& name);
Result<std::vector<TpuValue>> parse_tpu_metric_response(std::string_view bytes);

/// Each list in the order of devices; one that libtpu does not serve is empty.
struct TpuMetrics {
  std::vector<TpuValue> duty_percent;
  std::vector<TpuValue> memory_used_bytes;
  std::vector<TpuValue> memory_total_bytes;
};

/// Those of all processes that serve metrics at these ports. The error is `not_found` if no process
/// listens. Takes at most connect_s + request_s for each port.
Result<TpuMetrics> read_tpu_metrics(const std::string& address,
                                    const std::vector<std::uint16_t>& ports,
                                    const GrpcLimits& limits = {});

/// The ports in TPU_RUNTIME_METRICS_PORTS: "8431,8432"; without valid ones 8431, libtpu's default.
std::vector<std::uint16_t> tpu_metric_ports(const char* list);

}  // namespace drover::agents
