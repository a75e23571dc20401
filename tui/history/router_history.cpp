#include "tui/history/router_history.h"

#include <algorithm>
#include <cmath>

#include "tui/model/trend.h"

namespace drover::tui {
namespace {

/// One value for those of a series in [from, to), as charts make it of longer bins.
double value_between(const HistoryReply& reply, const HistorySeries& series, Statistic statistic,
                     Instant from, Instant to) {
  const auto place = [&](Instant at) {
    return bin_number(at, reply.bin) - bin_number(reply.begin, reply.bin);
  };
  const auto count = static_cast<std::int64_t>(history_value_count(series.values));
  double sum = 0, greatest = absent;
  int known = 0;
  for (std::int64_t i = std::max<std::int64_t>(0, place(from));
       i <= std::min(count - 1, place(to - Duration(1))); ++i) {
    const double value = history_value_at(series.values, static_cast<std::size_t>(i));
    if (std::isnan(value)) continue;
    sum += value;
    greatest = std::isnan(greatest) ? value : std::max(greatest, value);
    ++known;
  }
  return known > 0 && statistic == Statistic::mean ? sum / known : greatest;
}

}  // namespace

HistoryAnswer answer_from(const HistoryQuestion& question, const HistoryReply& reply) {
  HistoryAnswer answer{question, {}, {}};
  if (reply.bin <= Duration::zero()) return answer;
  for (const Metric metric : served_metrics) {
    const auto series = std::ranges::find_if(reply.series, [&](const HistorySeries& one) {
      return one.pool.empty() && one.name == facts(metric).name;
    });
    if (series == reply.series.end()) continue;
    std::vector<double>& values = answer.values[static_cast<std::size_t>(metric)];
    for (int i = 0; i < question.bins; ++i) {
      const Instant begin = question.begin + i * question.bin;
      values.push_back(
          value_between(reply, *series, statistic_of(metric), begin, begin + question.bin));
    }
  }
  return answer;
}

}  // namespace drover::tui
