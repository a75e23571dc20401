#include "commands/readings/reading_loop.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "agents/scrape/texts.h"
#include "fleet/base/text.h"

namespace drover::commands {
namespace {

constexpr WallSpan caps_within = std::chrono::seconds(2);

}  // namespace

ReadingLoop::ReadingLoop(const SourceOptions& options, LocalFleet& fleet, Clock& clock)
    : fleet_(fleet), clock_(clock), every_(options.every) {
  if (options.real) {
    auto drivers = std::make_unique<DriverSource>();
    drivers_ = drivers.get();
    sources_.push_back(std::move(drivers));
  }
  if (!options.pages.empty()) sources_.push_back(std::make_unique<PageFetcher>(options.pages));
}

void ReadingLoop::request_when_due(WallTime now) {
  if (now < next_request_) return;
  // After a pause of the process one request is enough.
  next_request_ = std::max(next_request_ + every_, now);
  if (next_request_ == now) next_request_ += every_;
  for (const auto& source : sources_) source->request(now);
}

std::chrono::milliseconds ReadingLoop::wait_max(std::chrono::milliseconds longest) const {
  WallTime next = next_request_;
  for (const auto& source : sources_) next = std::min(next, source->next_deadline());
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - wall_now());
  longest = std::clamp(left, std::chrono::milliseconds(0), longest);
  return clock_.until(fleet_.next_deadline(), longest);
}

void ReadingLoop::turn(std::chrono::milliseconds longest) {
  request_when_due(wall_now());
  std::vector<pollfd> watched;
  for (const int descriptor : descriptors_) watched.push_back({descriptor, POLLIN, 0});
  for (const auto& source : sources_) watched.push_back({source->descriptor(), POLLIN, 0});
  (void)::poll(watched.data(), watched.size(), static_cast<int>(wait_max(longest).count()));
  pass_on(wall_now());
  fleet_.tick(clock_.now());
  for (auto& [host, cap] : fleet_.take_caps()) {
    if (drivers_ != nullptr) drivers_->set_power_cap(cap);
  }
}

void ReadingLoop::pass_on(WallTime now) {
  for (const auto& source : sources_) {
    for (const agents::TargetNews& news : source->take(now)) {
      const Instant at = clock_.now();
      note_failure(at, news);
      fleet_.take(at, news);
    }
    for (const std::string& note : source->take_notes()) {
      say(clock_.now(), Severity::info, "readings", note);
    }
    for (const CapAnswer& answer : source->take_cap_answers()) {
      // Only this machine's devices have power caps that are set here.
      for (std::size_t host = 0; host < fleet_.hosts(); ++host)
        fleet_.cap_set(clock_.now(), host, answer.asked, answer.status);
    }
  }
}

void ReadingLoop::note_failure(Instant now, const agents::TargetNews& news) {
  const std::string target = agents::without_credentials(news.target);
  if (news.failure.empty()) {
    if (failing_.erase(target) > 0) say(now, Severity::info, target, "answers again");
    return;
  }
  const auto known = failing_.find(target);
  if (known == failing_.end() || known->second != news.failure)
    say(now, Severity::warning, target, news.failure);
  failing_[target] = news.failure;
}

void ReadingLoop::say(Instant now, Severity severity, const std::string& subject,
                      const std::string& text) {
  fleet_.receive(now, publish_peer,
                 {"here", 0, now, Event{severity, printable(subject), printable(text)}});
}

void ReadingLoop::settle_caps() {
  std::size_t waiting = 0;
  for (auto& [host, cap] : fleet_.take_caps()) {
    if (drivers_ == nullptr) return;
    drivers_->set_power_cap(cap);
    ++waiting;
  }
  const WallTime end = wall_now() + caps_within;
  while (waiting > 0 && wall_now() < end) {
    pollfd ready{drivers_->descriptor(), POLLIN, 0};
    (void)::poll(&ready, 1, 50);
    (void)drivers_->take(wall_now());
    waiting -= std::min(waiting, drivers_->take_cap_answers().size());
  }
}

}  // namespace drover::commands
