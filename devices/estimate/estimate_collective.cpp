// One collective alone, over devices of one kind.
#include <fmt/format.h>

#include "devices/estimate/estimate_parts.h"
#include "devices/operation/power.h"
#include "devices/operation/step_sum.h"
#include "devices/training/collective.h"

namespace drover::devices {
namespace {

/// Nothing says which network a lone collective crosses. The published timings between hosts are
/// of a cloud whose devices share cards, so that is what it is taken for where it was measured.
std::string network_note(const NetworkSpec& network) {
  return fmt::format(
      "between hosts: {} of {:.1f} GB/s",
      network.cards > 0 ? fmt::format("{} cards", network.cards) : std::string("a card per device"),
      network.card_bandwidth / 1e9);
}

}  // namespace

Result<Estimate> estimate_collective(const Case& question) {
  if (!question.bytes) return missing(question, "bytes");
  if (question.devices < 2) {
    return error("devices: found {}, expected at least 2", question.devices);
  }
  const DeviceSpec& device = *question.device;
  const Group group{question.devices,
                    devices_per_host(device, question.devices, question.devices_per_node), 1};
  const NetworkSpec network = cloud_network_of(device);
  if (group.hosts() > 1 && network.card_bandwidth <= 0) {
    return error("devices: {} do not fit one host, and the network of {} is not known",
                 question.devices, device.id);
  }
  const Rates rates(placement_of(question, question.devices), 1);
  StepSum sum(rates);
  sum.add_link(
      all_reduce_bytes(rates, *question.bytes),
      collective_s(question.collective, *question.bytes, group, links_of(device), network));
  Sustained run;
  run.step = sum.step();
  run.power_w = power_w(device, run.step, true, 1);
  Estimate answer = from_sustained(question, run);
  answer.cost_unit = "collective";
  if (group.hosts() > 1) answer.note = network_note(network);
  return answer;
}

}  // namespace drover::devices
