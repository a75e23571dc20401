#include "fleet/job.h"

#include <array>

#include "fleet/result.h"

namespace drover {

std::string_view to_text(JobState state) {
  static constexpr std::array<std::string_view, 5> names{"queued", "leased", "running", "finished",
                                                         "failed"};
  const auto index = static_cast<std::size_t>(state);
  DROVER_REQUIRE(index < names.size());
  return names[index];
}

Usage& Usage::operator+=(const Usage& other) {
  device_s += other.device_s;
  energy_j += other.energy_j;
  cost_usd += other.cost_usd;
  return *this;
}

}  // namespace drover
