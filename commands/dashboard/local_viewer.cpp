#include "commands/dashboard/local_viewer.h"

#include <utility>

#include "commands/connection/session.h"
#include "fleet/base/version.h"

namespace drover::commands {

void LocalViewer::join(Instant now) {
  const Join join{Role::client, user_and_host("watch"), software_name};
  fleet_.receive(now, LocalFleet::dashboard, {"here", ++sequence_, now, join});
}

std::vector<tui::Effect> LocalViewer::exchange(Instant now) {
  std::vector<tui::Effect> others;
  for (bool more = true; more;) {
    auto messages = fleet_.take_messages();
    for (const auto& [to, envelope] : messages) {
      const bool published = to.channel == Channel::publish;
      if (on_message) on_message(to, envelope);
      if (!published && to != LocalFleet::dashboard) continue;
      core_.receive(now, published ? publish_peer : router_peer, envelope);
    }
    core_.tick(now);
    bool sent = false;
    for (tui::Effect& effect : core_.take_effects()) {
      if (auto* send = std::get_if<Send>(&effect)) {
        fleet_.receive(now, LocalFleet::dashboard,
                       {"here", ++sequence_, now, std::move(send->envelope.body)});
        sent = true;
      } else {
        others.push_back(std::move(effect));
      }
    }
    more = sent || !messages.empty();
  }
  return others;
}

}  // namespace drover::commands
