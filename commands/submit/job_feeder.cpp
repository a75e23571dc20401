#include "commands/submit/job_feeder.h"

#include <algorithm>
#include <utility>

#include "fleet/base/overloaded.h"
#include "fleet/base/text.h"

namespace drover::commands {

namespace {

constexpr std::chrono::milliseconds feed_wait_max{200};
/// Jobs that may be read ahead of the router's acknowledgements: a slow router slows the feed.
constexpr std::size_t open_max = 65'536;

constexpr WallSpan acknowledge_within = std::chrono::seconds(10);  // after the last job
/// Further refused jobs are only counted.
constexpr std::uint64_t refusals_reported_max = 10;

class Feeding {
 public:
  Feeding(Session& session, WorkSource& source, StopSignals& signals, const FeedingLimits& limits,
          ConnectRefusalNotice& connect_refusal)
      : session_(session),
        source_(source),
        signals_(signals),
        limits_(limits),
        connect_refusal_(connect_refusal) {}

  Result<SubmitStats> run(const std::function<void(const SubmitResult&)>& on_refusal) {
    delivery_.on_refusal = [&](const SubmitResult& result) {
      if (++refusals_ <= refusals_reported_max) on_refusal(result);
    };
    if (limits_.remember_jobs) {
      delivery_.on_accepted = [this](JobId job) { fed_.jobs.push_back(job); };
    }
    session_.sockets().watch(signals_.descriptor());
    begun_ = wall_now();
    start_ = session_.clock().now();
    next_ = source_.next();
    while (turn()) {
    }
    if (!problem_.empty())
      return error(ErrorKind::refused, "the router refused the request: {}", problem_);
    fed_.counts = delivery_.counts();
    fed_.unacknowledged = delivery_.open();
    if (const auto connect_refusal = session_.sockets().connect_refusal()) {
      fed_.connect_refusal = connect_refusal_summary(*connect_refusal, session_.router());
    }
    return std::move(fed_);
  }

 private:
  /// Returns false when everything is done.
  bool turn() {
    const WallTime wall = wall_now();
    if (signals_.stopped() || wall - begun_ >= limits_.stop_after) next_.reset();
    take_due();
    for (Submit& submit : delivery_.due(wall)) session_.send(std::move(submit));
    if (!next_) {
      if (ended_ == WallTime{}) ended_ = wall;
      if (delivery_.open() == 0 || wall - ended_ > acknowledge_within) return false;
    }
    const Session::PollResult turn = session_.wait(wait(wall));
    // The time between two arrivals stays the same if the router's clock jumps.
    if (turn.clock_jump)
      start_ = saturating_add(start_, turn.clock_jump->to - turn.clock_jump->from);
    for (const auto& [from, envelope] : turn.messages) {
      std::visit(Overloaded{[&](const SubmitReply& reply) { delivery_.receive(reply); },
                            [&](const RequestError& problem) {
                              // Jobs that are rejected temporarily are sent again, like all that
                              // are not acknowledged.
                              if (!problem.retryable) problem_ = printable(problem.what);
                            },
                            [](const auto&) {}},
                 envelope.body);
      if (!problem_.empty()) return false;
    }
    session_.keep_joined();
    connect_refusal_.update(session_);
    return true;
  }

  void take_due() {
    const Instant now = session_.clock().now();
    while (next_ && saturating_add(start_, next_->at) <= now && delivery_.open() < open_max) {
      fed_.input_tokens += next_->job.work.input_tokens;
      fed_.output_tokens += next_->job.work.output_tokens;
      delivery_.add(std::move(next_->job));
      next_ = source_.next();
    }
  }

  std::chrono::milliseconds wait(WallTime wall) const {
    auto shortest = feed_wait_max;
    if (next_) {
      shortest = session_.clock().until(saturating_add(start_, next_->at), shortest);
      // The router is behind: its answers end the wait, and more arrivals would not help.
      if (delivery_.open() >= open_max) shortest = feed_wait_max;
      shortest = std::max(shortest, std::chrono::milliseconds(1));
    }
    const WallTime again = delivery_.next_deadline();
    if (again != WallTime::max()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(again - wall);
      shortest = std::clamp(left, std::chrono::milliseconds(1), shortest);
    }
    return shortest;
  }

  Session& session_;
  WorkSource& source_;
  StopSignals& signals_;
  FeedingLimits limits_;
  ConnectRefusalNotice& connect_refusal_;
  JobSubmitter delivery_;
  SubmitStats fed_;
  std::string problem_;  // why the router rejects the jobs, as reported by it
  std::uint64_t refusals_ = 0;
  std::optional<Arrival> next_;
  Instant start_{};
  WallTime begun_{}, ended_{};
};

}  // namespace

Result<SubmitStats> feed(Session& session, WorkSource& source, StopSignals& signals,
                         const FeedingLimits& limits, ConnectRefusalNotice& connect_refusal,
                         const std::function<void(const SubmitResult&)>& on_refusal) {
  return Feeding(session, source, signals, limits, connect_refusal).run(on_refusal);
}

}  // namespace drover::commands
