#include "agents/drivers/board_reading.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fleet/base/search.h"

namespace drover::agents {

void put(BoardReading& reading, Metric metric, const Result<double>& value) {
  auto& missing = reading.board.missing;
  const auto id = static_cast<std::uint8_t>(metric);
  if (value) {
    reading.values[metric] = *value;
    std::erase_if(missing, [id](const MissingMetric& each) { return each.metric == id; });
  } else if (std::isnan(reading.values[metric]) &&
             find_by(missing, &MissingMetric::metric, id) == nullptr) {
    missing.push_back({id, value.error().message});
  }
}

void finish(BoardReading& reading, std::span<const ConstantReason> reasons) {
  for (const ConstantReason& each : reasons) put(reading, each.metric, error("{}", each.why));
  std::sort(reading.board.missing.begin(), reading.board.missing.end(),
            [](auto& a, auto& b) { return a.metric < b.metric; });
}

Result<double> CounterRate::update(double counter, double now_s) {
  const double counter_before = std::exchange(counter_, counter);
  const double at_s_before = std::exchange(at_s_, now_s);
  if (at_s_before < 0) return error("a rate needs two readings");
  if (counter < counter_before || now_s <= at_s_before) return error("the counter was reset");
  return (counter - counter_before) / (now_s - at_s_before);
}

}  // namespace drover::agents
