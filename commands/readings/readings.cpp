#include "commands/readings/readings.h"

#include <poll.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "agents/scrape/texts.h"
#include "commands/readings/ssh_hosts.h"
#include "commands/shell/file_descriptor.h"
#include "fleet/base/text.h"

namespace drover::commands {
namespace {

constexpr WallSpan caps_within = std::chrono::seconds(2);
/// Until then a connection that was just opened takes samples.
constexpr WallSpan soon = std::chrono::milliseconds(250);

}  // namespace

Readings::Readings(const SourceOptions& options) : every_(options.every) {
  // Hundreds of targets take more than the usual 1,024.
  if (options.elsewhere()) raise_descriptor_limit();
  if (options.real) {
    auto drivers = std::make_unique<DriverSource>();
    drivers_ = drivers.get();
    sources_.push_back(std::move(drivers));
  }
  if (!options.pages.empty()) {
    PageFetcherSettings settings;
    settings.pause_min = std::max<WallSpan>(settings.pause_min, options.every);
    sources_.push_back(std::make_unique<PageFetcher>(options.pages, settings));
  }
  if (!options.ssh_hosts.empty()) {
    sources_.push_back(std::make_unique<SshHosts>(options.ssh_hosts, options.ssh_options));
  }
}

void Readings::request_when_due(WallTime now) {
  if (now < next_request_) return;
  // After a pause of the process one request is enough.
  next_request_ = std::max(next_request_ + every_, now);
  if (next_request_ == now) next_request_ += every_;
  for (const auto& source : sources_) source->request(now);
}

void Readings::request_soon(WallTime now) { next_request_ = std::min(next_request_, now + soon); }

WallTime Readings::next_deadline() const {
  WallTime next = next_request_;
  for (const auto& source : sources_) next = std::min(next, source->next_deadline());
  return next;
}

std::vector<int> Readings::descriptors() const {
  std::vector<int> descriptors;
  for (const auto& source : sources_) descriptors.push_back(source->descriptor());
  return descriptors;
}

std::vector<agents::TargetNews> Readings::take(WallTime now) {
  std::vector<agents::TargetNews> all;
  for (const auto& source : sources_) {
    for (agents::TargetNews& news : source->take(now)) {
      note_failure(news);
      all.push_back(std::move(news));
    }
    for (std::string& note : source->take_notes()) {
      notices_.push_back({false, "readings", printable(note)});
    }
  }
  return all;
}

void Readings::note_failure(const agents::TargetNews& news) {
  const std::string target = printable(agents::without_credentials(news.target));
  if (news.failure.empty()) {
    if (failing_.erase(target) > 0) notices_.push_back({false, target, "answers again"});
    return;
  }
  std::string& known = failing_[target];
  if (known == news.failure) return;
  known = news.failure;
  notices_.push_back({true, target, printable(news.failure)});
}

std::vector<Readings::Notice> Readings::take_notices() { return std::exchange(notices_, {}); }

void Readings::set_power_cap(const agents::CapBoard& cap) {
  if (drivers_ != nullptr) drivers_->set_power_cap(cap);
}

std::vector<CapAnswer> Readings::take_cap_answers() {
  return drivers_ == nullptr ? std::vector<CapAnswer>() : drivers_->take_cap_answers();
}

void Readings::set_power_caps_now(const std::vector<agents::CapBoard>& caps) {
  if (drivers_ == nullptr) return;
  for (const agents::CapBoard& cap : caps) drivers_->set_power_cap(cap);
  std::size_t waiting = caps.size();
  const WallTime end = wall_now() + caps_within;
  while (waiting > 0 && wall_now() < end) {
    pollfd ready{drivers_->descriptor(), POLLIN, 0};
    (void)::poll(&ready, 1, 50);
    (void)drivers_->take(wall_now());
    waiting -= std::min(waiting, drivers_->take_cap_answers().size());
  }
}

std::string nothing_found_text(const DriverSource& drivers) {
  std::vector<std::string> reasons;
  for (const agents::FoundDriver& driver : drivers.found()) {
    if (driver.devices > 0) return {};
    for (const std::string& note : driver.notes)
      reasons.push_back(driver.driver.empty() ? note : fmt::format("{}: {}", driver.driver, note));
  }
  if (drivers.found().empty()) return {};
  return "no device found on this machine: " + printable(joined(reasons, "; "));
}

}  // namespace drover::commands
