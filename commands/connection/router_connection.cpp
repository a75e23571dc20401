#include "commands/connection/router_connection.h"

#include <algorithm>
#include <utility>

namespace drover::commands {

void RouterConnection::expect_messages(WallTime now) {
  expects_messages_ = true;
  sent(now);
}

void RouterConnection::sent(WallTime now) {
  if (!expected_since_) expected_since_ = now;
}

void RouterConnection::received(WallTime now) {
  expected_since_.reset();
  if (expects_messages_) expected_since_ = now;
}

bool RouterConnection::established(std::uint64_t connections) {
  if (std::exchange(connections_, connections) == connections) return false;
  // Answers to what was sent on the old connection do not arrive on this one.
  if (!expects_messages_) expected_since_.reset();
  join_needed_ = true;
  // The first one sends the Join that waits for it.
  if (connections > 1) join_from_ = WallTime::min();
  return true;
}

void RouterConnection::rejected_for_now(WallTime now) {
  join_needed_ = true;
  join_from_ = now + room_interval;
}

void RouterConnection::restart() {
  join_needed_ = true;
  clock_runs_ = false;
  join_from_ = WallTime::min();
}

RouterConnection::Joined RouterConnection::accepted(const JoinAccepted& welcome, Instant here) {
  join_needed_ = false;
  if (!std::exchange(clock_runs_, true)) return {true, std::nullopt};
  const auto clock_jump = clock_jump_to(welcome, here);
  return {clock_jump.has_value(), clock_jump};
}

WallSpan RouterConnection::silence(WallTime now) const {
  return expected_since_ ? now - *expected_since_ : WallSpan::zero();
}

WallTime RouterConnection::join_due() const {
  if (join_needed_) return join_from_;
  if (!expected_since_) return WallTime::max();
  return std::max(join_from_, *expected_since_ + router_silence_max);
}

WallTime RouterConnection::replacement_due() const {
  if (!replace_after_ || !expected_since_) return WallTime::max();
  return std::max(*expected_since_, replaced_) + *replace_after_;
}

bool RouterConnection::take_join(WallTime now) {
  if (now < join_due()) return false;
  join_from_ = now + join_interval;
  return true;
}

bool RouterConnection::take_replacement(WallTime now) {
  if (now < replacement_due()) return false;
  replaced_ = now;
  return true;
}

WallTime RouterConnection::next_deadline() const { return std::min(join_due(), replacement_due()); }

}  // namespace drover::commands
