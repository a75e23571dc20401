// Estimates of a single collective over devices of one model.
#include <fmt/format.h>

#include "devices/estimate/parts.h"
#include "devices/operation/power.h"
#include "devices/operation/step_accumulator.h"
#include "devices/training/collective.h"

namespace drover::devices {
namespace {

/// A case does not say which network its collective uses. Published timings between hosts are from
/// a cloud whose devices share NICs, so that network is assumed if it was measured.
std::string network_note(const NetworkSpec& network) {
  return fmt::format(
      "between hosts: {} of {:.1f} GB/s",
      network.nics > 0 ? fmt::format("{} NICs", network.nics) : std::string("one NIC per device"),
      network.nic_bandwidth / 1e9);
}

}  // namespace

Result<Estimate> estimate_collective(const Case& question) {
  if (!question.bytes) return missing(question, "bytes");
  if (question.devices < 2) {
    return error("devices: found {}, expected at least 2", question.devices);
  }
  const DeviceSpec& device = *question.device;
  const CollectiveGroup group{
      question.devices, devices_per_host(device, question.devices, question.devices_per_node), 1};
  const NetworkSpec network = cloud_network_of(device);
  if (group.hosts() > 1 && network.nic_bandwidth <= 0) {
    return error("devices: {} do not fit one host, and the network of {} is unknown",
                 question.devices, device.id);
  }
  const Rates rates(placement_of(question, question.devices), 1);
  StepAccumulator sum(rates);
  sum.add_link(
      all_reduce_bytes(rates, *question.bytes),
      collective_s(question.collective, *question.bytes, group, links_of(device), network));
  PowerLimitedStep run;
  run.step = sum.step();
  run.power_w = power_w(device, run.step, true, 1);
  Estimate answer = estimate_from_step(question, run);
  answer.cost_unit = "collective";
  if (group.hosts() > 1) answer.note = network_note(network);
  return answer;
}

}  // namespace drover::devices
