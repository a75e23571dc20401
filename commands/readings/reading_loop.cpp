#include "commands/readings/reading_loop.h"

#include <poll.h>

#include <algorithm>

namespace drover::commands {

ReadingLoop::ReadingLoop(const SourceOptions& options, LocalFleet& fleet, Clock& clock)
    : fleet_(fleet), clock_(clock), readings_(options) {}

std::chrono::milliseconds ReadingLoop::wait_max(std::chrono::milliseconds longest) const {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(readings_.next_deadline() - wall_now());
  longest = std::clamp(left, std::chrono::milliseconds(0), longest);
  return clock_.until(fleet_.next_deadline(), longest);
}

void ReadingLoop::turn(std::chrono::milliseconds longest) {
  readings_.request_when_due(wall_now());
  std::vector<pollfd> watched;
  for (const int descriptor : descriptors_) watched.push_back({descriptor, POLLIN, 0});
  for (const int descriptor : readings_.descriptors()) watched.push_back({descriptor, POLLIN, 0});
  (void)::poll(watched.data(), watched.size(), static_cast<int>(wait_max(longest).count()));
  pass_on(wall_now());
  fleet_.tick(clock_.now());
  for (auto& [host, cap] : fleet_.take_caps()) readings_.set_power_cap(cap);
}

void ReadingLoop::pass_on(WallTime now) {
  for (const agents::TargetNews& news : readings_.take(now)) fleet_.take(clock_.now(), news);
  for (Readings::Notice& notice : readings_.take_notices()) {
    const Severity severity = notice.problem ? Severity::warning : Severity::info;
    fleet_.receive(clock_.now(), publish_peer,
                   {"here", 0, clock_.now(),
                    Event{severity, std::move(notice.about), std::move(notice.text)}});
  }
  for (const CapAnswer& answer : readings_.take_cap_answers()) {
    // Only this machine's devices have power caps that are set here.
    for (std::size_t host = 0; host < fleet_.hosts(); ++host) {
      if (fleet_.host(host).settings().control)
        fleet_.cap_set(clock_.now(), host, answer.asked, answer.status);
    }
  }
}

void ReadingLoop::settle_caps() {
  std::vector<agents::CapBoard> caps;
  for (auto& [host, cap] : fleet_.take_caps()) caps.push_back(std::move(cap));
  readings_.set_power_caps_now(caps);
}

}  // namespace drover::commands
