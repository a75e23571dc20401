// What connects a board with others: its NVLinks, and the PCIe between boards.
#include <algorithm>
#include <array>

#include "agents/drivers/nvml/nvidia_device.h"

namespace drover::agents {

namespace {

using nvml::Answer;

constexpr unsigned links_max = 18;   // NVML_NVLINK_MAX_LINKS
constexpr unsigned others_max = 64;  // boards of one host
constexpr std::array<nvml::LinkCounter, 4> link_counters = {
    nvml::link_replays, nvml::link_recoveries, nvml::link_crc_flit, nvml::link_crc_data};

LinkEnd end_of(unsigned type) {
  if (type == nvml::link_end_gpu) return LinkEnd::device;
  if (type == nvml::link_end_processor) return LinkEnd::processor;
  return type == nvml::link_end_switch ? LinkEnd::link_switch : LinkEnd::unknown;
}

PciePath path_of(unsigned level) {
  switch (level) {
    case nvml::level_board:
      return PciePath::board;
    case nvml::level_one_switch:
      return PciePath::one_switch;
    case nvml::level_switches:
      return PciePath::switches;
    case nvml::level_host_bridge:
      return PciePath::host_bridge;
    case nvml::level_numa_node:
      return PciePath::numa_node;
    case nvml::level_system:
      return PciePath::between_nodes;
    default:
      return PciePath::unknown;
  }
}

}  // namespace

/// A board without links does not support the question; one with fewer than the most refuses the
/// numbers beyond.
void NvidiaDevice::read_links(double now_s) {
  links_read_s_ = now_s;
  if (!questions_.worth_asking(question_links)) return;
  facts_.links.clear();
  facts_.links_known = false;
  for (unsigned number = 0; number < links_max; ++number) {
    unsigned active = 0;
    const Answer answer = library_.link_state(board_.handle, number, &active);
    if (number > 0 && (answer == Answer::invalid_argument || answer == Answer::not_supported))
      break;
    if (!questions_.note(question_links, library_.link_state.symbol(), answer)) {
      facts_.links.clear();
      facts_.links_known = answer == Answer::not_supported;
      return;
    }
    facts_.links.push_back(read_link(number, active == 1));
  }
  facts_.links_known = true;
}

DeviceLink NvidiaDevice::read_link(unsigned number, bool active) {
  DeviceLink link;
  link.number = static_cast<std::uint8_t>(number);
  link.active = active;
  if (!active) return link;
  unsigned type = 0;
  if (library_.link_end(board_.handle, number, &type) == Answer::ok) link.end = end_of(type);
  nvml::PciAddress peer{};
  if (library_.link_peer(board_.handle, number, &peer) == Answer::ok) link.peer = bus_text(peer);
  nvml::FieldValue rate{};
  rate.field = nvml::field_link_rate;
  if (library_.fields(board_.handle, 1, &rate) == Answer::ok && rate.answer == Answer::ok &&
      number_of(rate) > 0) {
    link.bytes_per_s = number_of(rate) * 1e6;
  }
  for (const nvml::LinkCounter counter : link_counters) {
    std::uint64_t count = 0;
    if (library_.link_errors(board_.handle, number, counter, &count) != Answer::ok) continue;
    link.errors = link.errors.value_or(0) + static_cast<double>(count);
  }
  return link;
}

void NvidiaDevice::read_paths() {
  facts_.paths.clear();
  unsigned count = 0;
  if (library_.device_count(&count) != Answer::ok) return;
  for (unsigned index = 0; index < std::min(count, others_max); ++index) {
    if (index == board_.index || facts_.paths.size() >= device_paths_max) continue;
    nvml::Device other = nullptr;
    nvml::PciAddress address{};
    unsigned level = 0;
    if (library_.device_by_index(index, &other) != Answer::ok ||
        library_.pci_address(other, &address) != Answer::ok ||
        library_.common_ancestor(board_.handle, other, &level) != Answer::ok) {
      continue;
    }
    facts_.paths.push_back({bus_text(address), path_of(level)});
  }
}

}  // namespace drover::agents
