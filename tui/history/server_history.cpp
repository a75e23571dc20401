#include "tui/history/server_history.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tui/model/model.h"

namespace drover::tui {
namespace {

constexpr int pause_max_s = 60;
/// Charts that move into the past by less than a slack of the range need no further answer.
constexpr int slack_divisor = 8;
constexpr int wanted_bins_max = served_bins_max / (slack_divisor + 1) * slack_divisor;

/// The same range with a later begin: its last bins.
HistoryQuestion limited(HistoryQuestion question) {
  const int over = std::max(0, question.bins - wanted_bins_max);
  question.begin += over * question.bin;
  question.bins -= over;
  return question;
}

HistoryQuestion with_slack(HistoryQuestion question) {
  const int slack = question.bins / slack_divisor;
  question.begin -= slack * question.bin;
  question.bins += slack;
  return question;
}

}  // namespace

Statistic statistic_of(Metric metric) {
  const HistoryMetricFacts* const kept = facts_of_source(metric);
  const bool bits = metric == Metric::throttle;  // whose mean has no meaning
  return kept == nullptr || bits ? Statistic::maximum : kept->long_bin_statistic;
}

bool ServerHistory::answered(const HistoryQuestion& wanted, Instant known) const {
  if (!answer_) return false;
  const HistoryQuestion& question = answer_->question;
  return question.device == wanted.device && question.bin == wanted.bin &&
         question.begin <= wanted.begin && question.end() >= std::min(known, wanted.end());
}

std::optional<HistoryQuestion> ServerHistory::follow(const HistoryQuestion& wanted, Instant known,
                                                     Instant now) {
  wanted_.reset();
  known_ = known;
  if (wanted.begin >= known) return std::nullopt;
  wanted_ = limited(wanted);
  if (open_ || now < ask_at_ || answered(*wanted_, known)) return std::nullopt;
  open_ = with_slack(*wanted_);
  return open_;
}

void ServerHistory::take(Instant now, HistoryAnswer answer) {
  if (!open_ || answer.question != *open_) return;
  open_.reset();
  failure_ = answer.failure;
  pause_s_ = failure_.empty() ? 0 : std::clamp(2 * pause_s_, 1, pause_max_s);
  ask_at_ = saturating_add(now, pause_s_ * wall_);
  if (failure_.empty()) answer_ = std::move(answer);
}

HistoryBins ServerHistory::read(const DeviceId& device, Metric metric, Instant begin, Duration bin,
                                Instant until) const {
  const std::int64_t first = bin_number(begin, bin);
  const std::int64_t count = bin_number(until, bin) - first + 1;
  HistoryBins bins{Instant(first * bin), bin, {}};
  bins.values.resize(static_cast<std::size_t>(std::max<std::int64_t>(0, count)), absent);
  if (!answer_ || answer_->question.device != device || answer_->question.bin != bin) return bins;
  const std::vector<double>& values = answer_->values[static_cast<std::size_t>(metric)];
  const std::int64_t before = first - bin_number(answer_->question.begin, bin);
  for (std::int64_t i = std::max<std::int64_t>(0, -before); i < count; ++i) {
    if (before + i >= std::ssize(values)) break;
    bins.values[static_cast<std::size_t>(i)] = values[static_cast<std::size_t>(before + i)];
  }
  return bins;
}

std::string ServerHistory::note(std::string_view server) const {
  if (!wanted_) return {};
  if (!failure_.empty()) return fmt::format("history: {}: {}", server, failure_);
  if (!answered(*wanted_, known_)) return fmt::format("history: waiting for {}", server);
  const bool none = std::ranges::all_of(answer_->values, &std::vector<double>::empty);
  return none ? fmt::format("history: {} has nothing older", server) : std::string();
}

}  // namespace drover::tui
