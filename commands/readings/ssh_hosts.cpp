#include "commands/readings/ssh_hosts.h"

#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "commands/launch/payload.h"
#include "fleet/base/result.h"

namespace drover::commands {
namespace {

/// A host ends its agent and deletes its folder; without us it does so as well.
constexpr WallSpan end_within = std::chrono::seconds(2);

}  // namespace

SshHosts::SshHosts(const std::vector<std::string>& hosts, std::vector<std::string> options)
    : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  DROVER_REQUIRE(epoll_.is_open());
  if (const char* program = std::getenv("DROVER_SSH")) setup_.program = program;
  setup_.options = std::move(options);
  auto payload = build_launch_payload(true);
  if (payload) {
    setup_.needs = std::move(payload->needs);
    setup_.tar = std::move(payload->tar);
  } else {
    problem_ = payload.error().message;
  }
  for (const std::string& host : hosts) {
    hosts_.push_back(std::make_unique<SshConnection>(host, setup_, epoll_.get(),
                                                     static_cast<std::uint32_t>(hosts_.size())));
  }
}

SshHosts::~SshHosts() {
  for (const auto& host : hosts_) host->close_input();
  const WallTime end = wall_now() + end_within;
  const auto all_ended = [&] {
    return std::ranges::all_of(hosts_, [](const auto& host) { return host->ended(); });
  };
  while (!all_ended() && wall_now() < end) (void)::poll(nullptr, 0, 10);
}

void SshHosts::request(WallTime now) {
  asked_ = true;
  if (!problem_.empty()) return;
  for (const auto& host : hosts_) host->request(now);
}

std::vector<agents::TargetNews> SshHosts::take(WallTime now) {
  std::array<epoll_event, 64> ready{};
  const int count = epoll_wait(epoll_.get(), ready.data(), static_cast<int>(ready.size()), 0);
  for (int i = 0; i < count; ++i) hosts_[ready[static_cast<std::size_t>(i)].data.u32]->turn(now);
  std::vector<agents::TargetNews> all;
  const bool failed = std::exchange(asked_, false) && !problem_.empty();
  for (const auto& host : hosts_) {
    if (failed) all.push_back({host->host(), {}, problem_});
    std::ranges::move(host->take_news(), std::back_inserter(all));
  }
  return all;
}

std::vector<std::string> SshHosts::take_notes() {
  std::vector<std::string> all;
  for (const auto& host : hosts_) std::ranges::move(host->take_notes(), std::back_inserter(all));
  return all;
}

}  // namespace drover::commands
