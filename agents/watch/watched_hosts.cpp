#include "agents/watch/watched_hosts.h"

#include <algorithm>
#include <utility>

#include "fleet/base/search.h"
#include "fleet/base/text.h"

namespace drover::agents {
namespace {

/// A router accepts as many; a page could name far more.
constexpr std::size_t hosts_max = 10'000;

}  // namespace

WatchedHosts::WatchedHosts(WatchedHostSettings settings, const devices::Catalogue& catalogue)
    : settings_(std::move(settings)), catalogue_(catalogue) {}

/// size(), and none is added, when there are too many.
std::size_t WatchedHosts::number_of(const std::string& name) {
  const std::string& host = name.empty() ? settings_.host : name;
  if (const std::size_t* const known = find_in(numbers_, host)) return *known;
  WatchedHostSettings settings = settings_;
  if (host != settings_.host) {
    settings.host = host;
    settings.control = false;  // power caps are set by drivers, and those are this machine's
  }
  const std::size_t number = hosts_.size();
  if (number >= hosts_max) {
    if (!std::exchange(noted_, true))
      note_ = fmt::format("found more than {} hosts: {} and others are left out", hosts_max,
                          printable(host));
    return number + 1;
  }
  numbers_.emplace(settings.host, number);
  hosts_.push_back(
      std::unique_ptr<Entry>(new Entry{WatchedHost(std::move(settings), catalogue_), {}}));
  return number;
}

void WatchedHosts::read(Instant now, std::size_t number, const std::string& target,
                        const HostReading& reading) {
  hosts_[number]->targets.insert(target);
  numbers_of_target_[target].insert(number);
  hosts_[number]->host.read(now, reading);
}

/// Hosts of the target that its news lack.
void WatchedHosts::fail_others(Instant now, const TargetNews& news) {
  std::set<std::size_t> came;
  for (const HostReading& reading : news.hosts) {
    const std::string& name = reading.host.empty() ? settings_.host : reading.host;
    if (const std::size_t* const number = find_in(numbers_, name)) came.insert(*number);
  }
  const std::string why =
      news.failure.empty() ? "its page no longer has its metrics" : news.failure;
  const auto known = numbers_of_target_.find(news.target);
  if (known == numbers_of_target_.end()) return;
  std::erase_if(known->second, [&](std::size_t number) {
    if (came.contains(number)) return false;
    std::set<std::string>& targets = hosts_[number]->targets;
    if (targets.size() == 1) {
      hosts_[number]->host.failed(now, why);
      return false;
    }
    targets.erase(news.target);  // another one still has it
    return true;
  });
}

Instant WatchedHosts::next_deadline() const {
  Instant next = never;
  for (const auto& entry : hosts_) next = std::min(next, entry->host.next_deadline());
  return next;
}

void WatchedHosts::tick(Instant now) {
  for (const auto& entry : hosts_) {
    if (entry->host.next_deadline() <= now) entry->host.tick(now);
  }
}

}  // namespace drover::agents
