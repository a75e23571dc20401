#include "fleet/trace/throughputs.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "fleet/base/text.h"
#include "fleet/base/whole_text.h"
#include "fleet/codec/limits.h"
#include "fleet/text/json.h"

namespace drover {
namespace {

constexpr std::string_view spread_suffix = "_unconsolidated";
constexpr double steps_per_s_max = 1e9;

// Gavel was measured on GCP, whose V100 has 16 GB on SXM2.
constexpr std::pair<std::string_view, std::string_view> worker_types[] = {
    {"k80", "k80"}, {"p100", "p100-pcie"}, {"v100", "v100-sxm2-16gb"}};

struct Gang {
  std::string job_type;
  std::uint16_t devices = 0;
};

/// "('ResNet-18 (batch size 16)', 2)".
std::optional<Gang> parse_gang(std::string_view key) {
  constexpr std::string_view open = "('", between = "', ", close = ")";
  const std::size_t middle = key.rfind(between);
  if (!key.starts_with(open) || !key.ends_with(close) || middle == std::string_view::npos) {
    return std::nullopt;
  }
  std::string_view scale = key.substr(middle + between.size());
  scale.remove_suffix(close.size());
  const auto devices = parse_whole_text<std::uint16_t>(scale);
  if (!devices || *devices == 0) return std::nullopt;
  return Gang{std::string(key.substr(open.size(), middle - open.size())), *devices};
}

Result<std::string> device_of(std::string_view worker_type, const FindName& find_device) {
  for (const auto& [known, device] : worker_types) {
    if (known == worker_type) return find_device(device);
  }
  return find_device(worker_type);
}

Result<double> steps_per_s_of(const Json& measured) {
  const Json& alone = measured["null"];
  const double number = alone.number();
  if (!alone.is_number() || !(number >= 0) || number > steps_per_s_max) {
    return error("null: found {}, expected steps per second, 0 to {}", excerpt(alone.dump()),
                 steps_per_s_max);
  }
  return number;
}

}  // namespace

Status Throughputs::add(const std::string& device, bool over_hosts, const Json& jobs) {
  for (const std::string& key : jobs.keys()) {
    const std::optional<Gang> gang = parse_gang(key);
    if (!gang) {
      return error("found \"{}\", expected a key such as \"('LM (batch size 5)', 2)\"",
                   excerpt(key));
    }
    const Result<double> steps_per_s = steps_per_s_of(jobs[key]);
    if (!steps_per_s) return error("{}: {}", excerpt(key), steps_per_s.error().message);
    if (over_hosts && gang->devices < 2) continue;
    std::vector<MeasuredThroughput>& throughputs = throughputs_[gang->job_type];
    if (throughputs.size() == codec::throughputs_max) {
      return error("{}: found more than {} throughputs", excerpt(key), codec::throughputs_max);
    }
    throughputs.push_back({device, gang->devices, *steps_per_s, over_hosts});
  }
  return {};
}

Result<Throughputs> Throughputs::parse(std::string_view json, std::string_view place,
                                       const FindName& find_device) {
  const Result<Json> workers = Json::parse(json);
  if (!workers) return error("{}: {}", place, workers.error().message);
  if (!workers->is_object()) return error("{}: expected an object of worker types", place);
  Throughputs measured;
  for (const std::string& worker : workers->keys()) {
    const Json& jobs = (*workers)[worker];
    if (!jobs.is_object()) {
      return error("{}: {}: expected an object of jobs", place, excerpt(worker));
    }
    std::string_view type = worker;
    const bool over_hosts = type.ends_with(spread_suffix);
    if (over_hosts) type.remove_suffix(spread_suffix.size());
    const Result<std::string> device = device_of(type, find_device);
    const Status added = device ? measured.add(*device, over_hosts, jobs) : Status(device.error());
    if (!added) return error("{}: {}: {}", place, excerpt(worker), added.error().message);
  }
  for (auto& [type, throughputs] : measured.throughputs_) {
    std::sort(throughputs.begin(), throughputs.end(),
              [](const MeasuredThroughput& left, const MeasuredThroughput& right) {
                return std::tie(left.device, left.over_hosts, left.devices) <
                       std::tie(right.device, right.over_hosts, right.devices);
              });
  }
  return measured;
}

const std::vector<MeasuredThroughput>& Throughputs::throughputs(std::string_view job_type) const {
  static const std::vector<MeasuredThroughput> none;
  const auto found = throughputs_.find(job_type);
  return found == throughputs_.end() ? none : found->second;
}

}  // namespace drover
