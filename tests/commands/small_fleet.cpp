#include "tests/commands/small_fleet.h"

#include "fleet/socket/socket.h"

namespace drover::commands {

SmallFleet::SmallFleet(std::vector<std::string> router_words, const std::string& speed)
    : router_words_(std::move(router_words)) {
  router_words_.insert(router_words_.begin(), {"router", "--listen", endpoint_, "--ledger",
                                               file("ledger.sqlite"), "--speed", speed});
}

bool SmallFleet::start() {
  router_ = std::make_unique<DroverProcess>(router_words_);
  if (!router_->says("router ready")) return false;
  agent_ = std::make_unique<DroverProcess>(std::vector<std::string>{
      "agent", "--connect", endpoint_, "--name", "h-1", "--devices", "l4:2"});
  return eventually([&] {
    const auto devices = Json::parse(ask({"devices", "--json"}).out);
    return devices && devices->size() == 2 && (*devices)[0]["temperature_c"].is_number();
  });
}

std::string SmallFleet::publish_endpoint() const {
  Endpoint door = *parse_endpoint(endpoint_, "");
  door.port = static_cast<std::uint16_t>(door.port + 2);
  return door.to_text();
}

std::vector<std::string> SmallFleet::with_connect(std::vector<std::string> words) const {
  words.insert(words.end(), {"--connect", endpoint_});
  return words;
}

ProcessResult SmallFleet::ask(std::vector<std::string> words) const {
  return run_drover(with_connect(std::move(words)));
}

std::string SmallFleet::trouble() const {
  return (router_ ? router_->err() : "") + (agent_ ? agent_->err() : "");
}

}  // namespace drover::commands
