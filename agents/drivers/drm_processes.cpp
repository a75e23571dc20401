#include "agents/drivers/drm_processes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <utility>

#include "agents/drivers/sysfs.h"
#include "fleet/base/search.h"
#include "fleet/base/text.h"

namespace drover::agents {
namespace {

constexpr std::size_t fdinfo_bytes_max = 16 << 10;
constexpr const char* compute_node = "/dev/kfd";  // through which ROCm submits work

// Engines that compute and draw: those of amdgpu, of i915 (which has "compute" too) and of xe. What
// decodes videos and copies says little about how busy a card is.
constexpr std::array<std::string_view, 5> counted_engines = {"gfx", "compute", "render", "rcs",
                                                             "ccs"};

/// "12 KiB", "3 MiB", "4096"
std::optional<double> number_with_unit(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc()) return std::nullopt;
  const std::string_view unit = trimmed(text.substr(std::size_t(end - text.data())));
  const double scale = unit == "KiB" ? 1 << 10 : unit == "MiB" ? 1 << 20 : 1;
  return static_cast<double>(number) * scale;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Memory of the card itself; the other regions are main memory.
bool is_of_card(std::string_view region) {
  return region.starts_with("vram") || region.starts_with("local");
}

/// Of several statements about memory the one that counts what is there now.
struct MemoryStatements {
  std::optional<double> resident, memory, total;

  void take(std::string_view key, double bytes) {
    std::optional<double>* statement = nullptr;
    if (take_prefix(key, "drm-resident-")) {
      statement = &resident;
    } else if (take_prefix(key, "drm-memory-")) {  // amdgpu before Linux 6.13
      statement = &memory;
    } else if (take_prefix(key, "drm-total-")) {
      statement = &total;
    }
    if (statement != nullptr && is_of_card(key)) *statement = statement->value_or(0) + bytes;
  }
  std::optional<double> best() const { return resident ? resident : memory ? memory : total; }
};

void take_engine(std::string_view key, double number, DrmClient& client) {
  const auto engine = [&client](std::string_view name) -> EngineTime* {
    return contains(counted_engines, name) ? &client.engines[std::string(name)] : nullptr;
  };
  if (take_prefix(key, "drm-engine-capacity-")) {
    if (EngineTime* found = engine(key)) found->engines = std::max(number, 1.0);
  } else if (take_prefix(key, "drm-engine-") || take_prefix(key, "drm-cycles-")) {
    if (EngineTime* found = engine(key)) found->work = number;
  } else if (take_prefix(key, "drm-total-cycles-")) {
    if (EngineTime* found = engine(key)) found->total = number;
  }
}

struct FoundProcess {
  std::optional<double> memory_bytes;
  EngineShares shares;
};

/// The largest, and no more than all of the time.
std::optional<double> busiest(const EngineShares& shares) {
  std::optional<double> most;
  for (const auto& [engine, share] : shares) most = std::max(most.value_or(0), share);
  return most ? std::optional(std::min(*most, 1.0)) : std::nullopt;
}

}  // namespace

DrmClient parse_fdinfo(std::string_view text) {
  DrmClient client;
  MemoryStatements memory;
  for (const std::string& line : split(text, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || !line.starts_with("drm-")) continue;
    // The colon of a key is the first one; PCI addresses have others.
    const std::string_view key = std::string_view(line).substr(0, colon);
    const std::string_view value = trimmed(std::string_view(line).substr(colon + 1));
    if (key == "drm-pdev") client.bus = value;
    const std::optional<double> number = number_with_unit(value);
    if (!number) continue;
    if (key == "drm-client-id") client.client = static_cast<std::uint64_t>(*number);
    memory.take(key, *number);
    take_engine(key, *number, client);
  }
  client.memory_bytes = memory.best();
  return client;
}

DrmProcesses::DrmProcesses(std::string root, std::vector<std::string> nodes, std::string bus)
    : files_(root,
             [&nodes] {
               nodes.emplace_back(compute_node);
               return nodes;
             }()),
      owners_(std::move(root)),
      bus_(std::move(bus)) {}

EngineShares DrmProcesses::shares_since_before(const DrmClient& client, double elapsed_s) const {
  EngineShares shares;
  const DrmClient* before = find_in(before_, *client.client);
  if (before == nullptr || elapsed_s <= 0) return shares;
  for (const auto& [name, now] : client.engines) {
    const EngineTime* then = find_in(before->engines, name);
    if (then == nullptr || !now.work || !then->work || *now.work < *then->work) continue;
    double all = elapsed_s * 1e9;
    if (now.total) {
      if (!then->total || *now.total <= *then->total) continue;
      all = *now.total - *then->total;
    }
    shares[name] = (*now.work - *then->work) / all / now.engines;
  }
  return shares;
}

DrmUse DrmProcesses::read(double now_s) {
  std::map<std::uint64_t, FoundProcess> found;  // by pid
  std::map<std::uint64_t, DrmClient> clients;
  std::set<std::uint64_t> computing;  // by ROCm, whose work is not in these counters
  EngineShares all_shares;
  DrmUse use;
  const double elapsed_s = before_s_ < 0 ? 0 : now_s - before_s_;
  for (const OpenFile& file : files_.find(now_s)) {
    if (file.target == compute_node) {
      computing.insert(file.pid);
      continue;
    }
    const auto text = read_kernel_file(file.folder + "/fdinfo/" + file.number, fdinfo_bytes_max);
    if (!text) continue;
    DrmClient client = parse_fdinfo(*text);
    if (client.bus != bus_ || !client.client || clients.count(*client.client) > 0) continue;
    FoundProcess& process = found[file.pid];
    if (client.memory_bytes) {
      process.memory_bytes = process.memory_bytes.value_or(0) + *client.memory_bytes;
      use.memory_bytes = use.memory_bytes.value_or(0) + *client.memory_bytes;
    }
    for (const auto& [engine, share] : shares_since_before(client, elapsed_s)) {
      process.shares[engine] += share;
      all_shares[engine] += share;
    }
    clients.emplace(*client.client, std::move(client));
  }
  for (const auto& [pid, each] : found) {
    DeviceProcess process;
    process.pid = pid;
    process.memory_bytes = each.memory_bytes;
    if (computing.count(pid) == 0) process.share = busiest(each.shares);
    use.processes.push_back(std::move(process));
  }
  owners_.describe(use.processes);
  use.busy = busiest(all_shares);
  use.complete = !files_.some_hidden();
  if (use.complete && clients.empty()) {  // nobody uses the card
    use.memory_bytes = 0;
    if (elapsed_s > 0) use.busy = 0;
  }
  before_ = std::move(clients);
  before_s_ = now_s;
  return use;
}

}  // namespace drover::agents
