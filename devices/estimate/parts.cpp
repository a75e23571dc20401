#include "devices/estimate/parts.h"

namespace drover::devices {

Estimate estimate_from_step(const Case& question, const PowerLimitedStep& run) {
  Estimate answer;
  answer.seconds = run.step.seconds;
  answer.parts = run.step.parts;
  answer.clock_share = run.clock_share;
  answer.power_w = run.power_w;
  answer.energy_j = run.power_w * run.step.seconds * question.devices;
  answer.cost_usd = cost_usd(question, run.step.seconds);
  answer.cost_unit = "step";
  return answer;
}

double cost_usd(const Case& question, double seconds) {
  const double price = question.device->price.usd_per_h;
  return price > 0 ? price / 3600 * seconds * question.devices : -1;
}

Placement placement_of(const Case& question, int devices) {
  return {question.device, devices, question.precision};
}

Error missing(const Case& question, std::string_view columns) {
  return error("{}: {} missing", to_text(question.kind), columns);
}

}  // namespace drover::devices
