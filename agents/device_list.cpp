// The two lists of the command line: devices in groups, and replicas on them.
//   devices   ITEM[,ITEM]...   ITEM = DEVICE[:COUNT][@TOPOLOGY]
//   replicas  ITEM[,ITEM]...   ITEM = [MODEL:]FIRST[-LAST][@PRECISION]
// A replica item without a model repeats the model and precision before it: `llama-3.1-8b:4,5`.
#include <algorithm>

#include "agents/agent.h"
#include "fleet/base/text.h"
#include "fleet/base/whole_text.h"

namespace drover::agents {
namespace {

/// The parts before and after the first `separator`; no second part without one.
std::pair<std::string_view, std::optional<std::string_view>> split_at(std::string_view text,
                                                                      char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) return {text, std::nullopt};
  return {text.substr(0, at), text.substr(at + 1)};
}

Status check_topology(const GroupRequest& group, const devices::DeviceSpec& spec,
                      std::string_view item) {
  const auto& sizes = spec.slice_sizes;
  if (!sizes.empty() && std::find(sizes.begin(), sizes.end(), group.count) == sizes.end()) {
    return error("devices `{}`: {} has no slices of {}; it has slices of {}", printable(item),
                 spec.id, group.count, joined(sizes, ", "));
  }
  if (group.topology.empty()) return {};
  if (spec.device_class != DeviceClass::tpu) {
    return error("devices `{}`: a topology is for TPU slices, {} is a GPU", printable(item),
                 spec.id);
  }
  std::uint64_t product = 1;
  for (const std::string& side : split(group.topology, 'x')) {
    const auto number = parse_whole_text<std::uint32_t>(side);
    if (!number || *number == 0 || *number > devices_per_host_max) {
      return error("devices `{}`: topology `{}`, expected a form such as 2x4", printable(item),
                   printable(group.topology));
    }
    product = std::min<std::uint64_t>(product * *number, std::uint64_t{1} << 32);
  }
  if (product != group.count) {
    return error("devices `{}`: topology {} is {} chips, expected {}", printable(item),
                 group.topology, product, group.count);
  }
  return {};
}

Result<GroupRequest> parse_group(std::string_view item, const devices::Catalogue& catalogue) {
  const auto [front, topology] = split_at(item, '@');
  const auto [name, count] = split_at(front, ':');
  GroupRequest group;
  group.device = name;
  if (name.empty()) {
    return error("devices: an empty entry, expected a form such as h100-sxm:8");
  }
  const auto entry = catalogue.device(group.device);
  if (!entry.ok()) return error("devices `{}`: {}", printable(item), entry.error().message);
  if (count) {
    const auto number = parse_whole_text<std::uint32_t>(*count);
    if (!number || *number == 0 || *number > devices_per_host_max) {
      return error("devices `{}`: count `{}`, expected 1..{}", printable(item), printable(*count),
                   devices_per_host_max);
    }
    group.count = static_cast<std::uint16_t>(*number);
  }
  if (topology) {
    if (topology->empty()) {
      return error("devices `{}`: nothing after @, expected a form such as 2x4", printable(item));
    }
    group.topology = *topology;
  }
  if (Status status = check_topology(group, (*entry)->spec, item); !status.ok()) {
    return status.error();
  }
  return group;
}

Status parse_range(std::string_view text, std::string_view item, ReplicaRequest& replica) {
  const auto [first_text, last_text] = split_at(text, '-');
  const auto first = parse_whole_text<std::uint32_t>(first_text);
  const auto last = last_text ? parse_whole_text<std::uint32_t>(*last_text) : first;
  if (!first || !last || *first > *last || *last >= devices_per_host_max) {
    return error("replicas `{}`: devices `{}`, expected a number or a range such as 0-3",
                 printable(item), printable(text));
  }
  replica.first = static_cast<std::uint16_t>(*first);
  replica.last = static_cast<std::uint16_t>(*last);
  return {};
}

Result<ReplicaRequest> parse_replica(std::string_view item, const ReplicaRequest* before,
                                     const devices::Catalogue& catalogue) {
  const auto [front, precision] = split_at(item, '@');
  const auto [name, range] = split_at(front, ':');
  ReplicaRequest replica;
  if (range) {
    replica.model = name;
    const auto entry = catalogue.model(replica.model);
    if (!entry.ok()) return error("replicas `{}`: {}", printable(item), entry.error().message);
  } else if (before != nullptr && !name.empty() &&
             name.find_first_not_of("0123456789-") == std::string_view::npos) {
    replica.model = before->model;
    replica.precision = before->precision;
  } else {
    return error(
        "replicas `{}`: no devices, expected a form such as llama-3.1-8b:0 or "
        "llama-3.1-70b:0-3@int8",
        printable(item));
  }
  if (Status status = parse_range(range.value_or(name), item, replica); !status.ok()) {
    return status.error();
  }
  if (precision) {
    replica.precision = parse_precision(*precision);
    if (!replica.precision) {
      std::vector<std::string> known;
      for (int number = 0; number < precision_count; ++number) {
        known.emplace_back(to_text(static_cast<Precision>(number)));
      }
      return error("replicas `{}`: unknown precision `{}`{}", printable(item),
                   printable(*precision), suggestion(*precision, known));
    }
  }
  return replica;
}

}  // namespace

Result<std::vector<GroupRequest>> parse_device_list(std::string_view text,
                                                    const devices::Catalogue& catalogue) {
  std::vector<GroupRequest> groups;
  std::uint32_t total = 0;
  for (const std::string& item : split(text, ',')) {
    auto group = parse_group(trimmed(item), catalogue);
    if (!group.ok()) return group.error();
    total += group->count;
    if (total > devices_per_host_max) {
      return error("devices: {} devices up to `{}`, expected at most {} on one host", total,
                   printable(item), devices_per_host_max);
    }
    groups.push_back(std::move(*group));
  }
  return groups;
}

Result<std::vector<ReplicaRequest>> parse_replica_list(std::string_view text,
                                                       const devices::Catalogue& catalogue) {
  std::vector<ReplicaRequest> replicas;
  if (trimmed(text).empty()) return replicas;
  for (const std::string& item : split(text, ',')) {
    auto replica =
        parse_replica(trimmed(item), replicas.empty() ? nullptr : &replicas.back(), catalogue);
    if (!replica.ok()) return replica.error();
    replicas.push_back(std::move(*replica));
  }
  return replicas;
}

}  // namespace drover::agents
