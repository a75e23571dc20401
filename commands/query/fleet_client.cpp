#include "commands/query/fleet_client.h"

#include "fleet/base/text.h"

namespace drover::commands {
namespace {

constexpr std::chrono::milliseconds turn_max{100};

Duration wall_second(const Session& session) { return wall_span(1, session.welcome().speed); }

}  // namespace

FleetClient::FleetClient(Session& session)
    : session_(session), subscriber_(wall_second(session)), model_(wall_second(session)) {}

Status FleetClient::subscribe() {
  subscribed_ = true;
  return session_.subscribe();
}

/// A JoinAccepted: the router may have restarted, and may publish at another endpoint.
Status FleetClient::follow_router(const Session::PollResult& turn, const Envelope& envelope) {
  if (!std::holds_alternative<JoinAccepted>(envelope.body)) return {};
  if (turn.clock_jump) {
    subscriber_ = tui::StreamSubscriber(wall_second(session_));
    model_ = tui::Model(wall_second(session_));
  }
  subscriber_.request_snapshot();
  return subscribed_ ? session_.subscribe() : Status{};
}

Status FleetClient::turn(std::chrono::milliseconds longest,
                         const std::function<void(const Envelope&)>& changed) {
  if (auto request = subscriber_.take_snapshot_request(now())) session_.send(request->body);
  const auto wait = session_.clock().until(subscriber_.next_deadline(), longest);
  Session::PollResult turn = session_.wait(wait);
  for (auto& [from, envelope] : turn.messages) {
    DROVER_TRY(follow_router(turn, envelope));
    if (const auto* problem = std::get_if<RequestError>(&envelope.body)) {
      if (!problem->retryable) {
        return error(ErrorKind::refused, "the router refused the request: {}",
                     printable(problem->what));
      }
      subscriber_.request_snapshot();  // it was overloaded, and has dropped the request
    }
    if (!subscriber_.receive(now(), from, envelope, model_)) continue;
    const bool last_part = std::holds_alternative<SnapshotPart>(envelope.body);
    if (last_part && !subscribed_) subscriber_.request_snapshot();
    changed(envelope);
  }
  return {};
}

Status FleetClient::read_snapshot(std::chrono::milliseconds timeout) {
  return wait_until(&FleetClient::has_snapshot, timeout);
}

Status FleetClient::sync() { return wait_until(&FleetClient::has_synced, answer_timeout); }

Status FleetClient::wait_until(bool (FleetClient::*done)() const,
                               std::chrono::milliseconds timeout) {
  const WallTime end = wall_now() + timeout;
  while (!(this->*done)() && wall_now() < end) {
    DROVER_TRY(turn(turn_max));
    session_.keep_joined();
  }
  if (!has_snapshot())
    return error(ErrorKind::lost, "the router sent no complete snapshot within {} s",
                 std::chrono::duration<double>(timeout).count());
  return {};
}

}  // namespace drover::commands
