// Gavel's table of measured throughputs. JSON: worker type -> type of job and its scale factor,
// "('ResNet-18 (batch size 16)', 2)" -> "null" -> steps per second with exclusive devices. Keys
// other than "null" are for jobs that share devices, and are ignored.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/workload.h"

namespace drover {

class Json;

/// Returns the catalogue's id for another name of a device or model. The error lists the nearest.
using FindName = std::function<Result<std::string>(std::string_view name)>;

class Throughputs {
 public:
  /// `find_device` returns the catalogue's id of a worker type. A throughput of 0 means that the
  /// job was tried and does not run there; it is kept as 0. Worker types that end in
  /// `_unconsolidated` are gangs spread over hosts.
  static Result<Throughputs> parse(std::string_view json, std::string_view place,
                                   const FindName& find_device);

  /// The throughputs of a job type for all devices and gang sizes, sorted by these; may be empty.
  const std::vector<MeasuredThroughput>& throughputs(std::string_view job_type) const;

 private:
  Status add(const std::string& device, bool over_hosts, const Json& jobs);

  // By type of job.
  std::map<std::string, std::vector<MeasuredThroughput>, std::less<>> throughputs_;
};

}  // namespace drover
