// Identifiers of jobs, processes, hosts, devices and replicas.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "fleet/base/random_stream.h"
#include "fleet/base/result.h"

namespace drover {

/// 128 random bits. A client generates a job's id and stores it before it sends the job, so the
/// router recognises a job that is sent twice.
struct JobId {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  auto operator<=>(const JobId&) const = default;
  bool empty() const { return high == 0 && low == 0; }
};

/// 128 random bits, generated at each start of an agent: distinguishes two runs on the same host.
struct Incarnation {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  auto operator<=>(const Incarnation&) const = default;
};

/// Real hosts have at most 16.
inline constexpr std::size_t devices_per_host_max = 4096;
/// One for each device.
inline constexpr std::size_t replicas_per_host_max = devices_per_host_max;

/// One accelerator as the operating system numbers it: `HOST/N`.
struct DeviceId {
  std::string host;
  std::uint16_t index = 0;
  auto operator<=>(const DeviceId&) const = default;
};

/// One loaded copy of a model: `HOST/rN`. The router chooses N for the replicas that it starts. The
/// replicas that an agent starts with are numbered from 0.
struct ReplicaId {
  std::string host;
  std::uint32_t number = 0;
  auto operator<=>(const ReplicaId&) const = default;
};

std::string to_text(const JobId& id);        // 32 hexadecimal digits
std::string to_short_text(const JobId& id);  // the first 8 of them, for screens
std::string to_text(const DeviceId& id);     // "host/3"
std::string to_text(const ReplicaId& id);    // "host/r0"
Result<JobId> parse_job_id(std::string_view text);
Result<DeviceId> parse_device_id(std::string_view text);

JobId generate_job_id(RandomStream& random);
Incarnation generate_incarnation(RandomStream& random);

inline constexpr std::size_t name_bytes_max = 64;
/// Whether the text is a valid name of a host, rack, site, tenant or model:
/// `[A-Za-z0-9._:-]{1,64}`. The decoder rejects others, so no name can carry an escape sequence.
bool is_name(std::string_view text);

}  // namespace drover

template <>
struct std::hash<drover::JobId> {
  std::size_t operator()(const drover::JobId& id) const noexcept { return id.low ^ (id.high * 31); }
};
