// Gavel's table of measured throughputs: JSON of worker type -> "('ResNet-18 (batch size 16)', 2)",
// the type of job and its scale factor -> "null" -> steps per second when it has the devices alone.
// What else stands beside "null" is of jobs that share devices, and not read.
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

/// The catalogue's id for a name that others use; the problem lists the nearest.
using FindName = std::function<Result<std::string>(std::string_view name)>;

class Throughputs {
 public:
  /// `find_device` answers the catalogue's id of a worker type. A throughput of 0 says that the job
  /// was tried and does not run there, and so does its pace of 0. Worker types that end in
  /// `_unconsolidated` are gangs spread over hosts.
  static Result<Throughputs> parse(std::string_view json, std::string_view place,
                                   const FindName& find_device);

  /// On all devices and gang sizes, by these; empty where nothing was measured.
  const std::vector<Pace>& paces(std::string_view job_type) const;
  bool empty() const { return paces_.empty(); }

 private:
  Status add(const std::string& device, bool over_hosts, const Json& jobs);

  std::map<std::string, std::vector<Pace>, std::less<>> paces_;  // by type of job
};

}  // namespace drover
