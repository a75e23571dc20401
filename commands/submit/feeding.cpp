#include "commands/submit/feeding.h"

#include <algorithm>
#include <utility>

#include "fleet/base/text.h"

namespace drover::commands {

namespace {

constexpr std::chrono::milliseconds longest_wait{200};
/// So many jobs are read ahead of the router's acknowledgements; a slow router slows us down.
constexpr std::size_t open_max = 65'536;

class Feeding {
 public:
  Feeding(Session& session, WorkSource& source, StopSignals& signals, const FeedingLimits& limits,
          BarredNotice& barred)
      : session_(session), source_(source), signals_(signals), limits_(limits), barred_(barred) {}

  Fed run(std::function<void(const SubmitResult&)> on_refusal) {
    delivery_.on_refusal = std::move(on_refusal);
    if (limits_.remember_jobs) {
      delivery_.on_taken = [this](JobId job) { fed_.jobs.push_back(job); };
    }
    session_.sockets().watch(signals_.descriptor());
    begun_ = wall_now();
    start_ = session_.clock().now();
    next_ = source_.next();
    while (turn()) {
    }
    fed_.counts = delivery_.counts();
    fed_.unacknowledged = delivery_.open();
    if (const auto barred = session_.sockets().barred()) {
      fed_.shut_out = barred_words(*barred, session_.router());
    }
    return std::move(fed_);
  }

 private:
  /// False when all is done.
  bool turn() {
    const Wall wall = wall_now();
    if (signals_.stopped()) fed_.stopped = true;
    if (fed_.stopped || wall - begun_ >= limits_.stop_after) next_.reset();
    take_due();
    for (Submit& submit : delivery_.due(wall)) session_.send(std::move(submit));
    if (!next_) {
      if (ended_ == Wall{0}) ended_ = wall;
      if (delivery_.open() == 0 || wall - ended_ > limits_.acknowledge_within) return false;
    }
    const Session::Turn turn = session_.wait(wait(wall));
    // The gap between two arrivals stays what it is, whatever time the router lives at.
    if (turn.leap) start_ = saturating_add(start_, turn.leap->to - turn.leap->from);
    for (const auto& [from, envelope] : turn.messages) {
      if (const auto* reply = std::get_if<SubmitReply>(&envelope.body)) delivery_.receive(*reply);
      // What is turned away for now is sent again, like all that is not acknowledged.
      const auto* problem = std::get_if<Problem>(&envelope.body);
      if (problem != nullptr && !problem->passing) {
        fed_.problem = printable(problem->what);
        return false;
      }
    }
    session_.knock();
    barred_.look(session_);
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

  std::chrono::milliseconds wait(Wall wall) const {
    auto shortest = longest_wait;
    if (next_) {
      shortest = session_.clock().until(saturating_add(start_, next_->at), shortest);
      // The router is behind: its answers wake us, more arrivals would not help.
      if (delivery_.open() >= open_max) shortest = longest_wait;
      shortest = std::max(shortest, std::chrono::milliseconds(1));
    }
    const Wall again = delivery_.next_deadline();
    if (again != Wall::max()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(again - wall);
      shortest = std::clamp(left, std::chrono::milliseconds(1), shortest);
    }
    return shortest;
  }

  Session& session_;
  WorkSource& source_;
  StopSignals& signals_;
  FeedingLimits limits_;
  BarredNotice& barred_;
  Delivery delivery_;
  Fed fed_;
  std::optional<Arrival> next_;
  Instant start_{};
  Wall begun_{0}, ended_{0};
};

}  // namespace

Fed feed(Session& session, WorkSource& source, StopSignals& signals, const FeedingLimits& limits,
         BarredNotice& barred, std::function<void(const SubmitResult&)> on_refusal) {
  return Feeding(session, source, signals, limits, barred).run(std::move(on_refusal));
}

}  // namespace drover::commands
